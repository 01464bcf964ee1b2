// PLACEHOLDER until spec/generate.ts writes this file: the names and shapes below are the contract.
import type { JsonObject } from "../../base/json.ts";

export type RequestId = string | number;
export interface RequestMessage { jsonrpc: "2.0"; id: RequestId; method: string; params?: JsonObject }
export interface NotificationMessage { jsonrpc: "2.0"; method: string; params?: JsonObject }
export interface ResultMessage { jsonrpc: "2.0"; id: RequestId; result: JsonObject }
export interface ErrorObject { code: number; message: string; data?: unknown }
/** `id` is missing or null where the request could not be read. */
export interface ErrorMessage { jsonrpc: "2.0"; id?: RequestId | null; error: ErrorObject }
