// PLACEHOLDER until spec/generate.ts writes this file: the names and shapes below are the contract.
import type { JsonObject } from "../../base/json.ts";

export type Phase = "request" | "response";
export type InterceptorType = "validation" | "mutation";
export type Mode = "active" | "audit";
export type Severity = "info" | "warn" | "error";
export interface Hook { events: string[]; phase: Phase }
export type PriorityHint = number | { request?: number; response?: number };
export interface Compat { minProtocol: string; maxProtocol?: string }
export interface InterceptorDescriptor {
  name: string;
  version?: string;
  description?: string;
  type: InterceptorType;
  hooks: Hook[];
  mode?: Mode;
  failOpen?: boolean;
  priorityHint?: PriorityHint;
  compat?: Compat;
  configSchema?: JsonObject;
  _meta?: JsonObject;
}
export interface ListInterceptorsParams { event?: string; cursor?: string; _meta?: JsonObject }
export interface ListInterceptorsResult { interceptors: InterceptorDescriptor[]; nextCursor?: string; _meta?: JsonObject }
export interface Principal { type: "user" | "service" | "anonymous"; id?: string; claims?: JsonObject }
export interface InvocationContext {
  principal?: Principal;
  traceId?: string;
  spanId?: string;
  timestamp?: string;
  sessionId?: string;
}
export interface InvokeParams {
  name: string;
  event: string;
  phase: Phase;
  payload?: unknown;
  config?: JsonObject;
  timeoutMs?: number;
  context?: InvocationContext;
  _meta?: JsonObject;
}
export interface ValidationMessage { path?: string; message: string; severity: Severity }
export interface Suggestion { path: string; value: unknown }
export interface Signature { algorithm: "ed25519"; publicKey: string; value: string }
export interface ValidationResult {
  type: "validation";
  interceptor: string;
  phase: Phase;
  durationMs: number;
  info?: JsonObject;
  valid: boolean;
  severity?: Severity;
  messages?: ValidationMessage[];
  suggestions?: Suggestion[];
  signature?: Signature;
  _meta?: JsonObject;
}
export interface MutationResult {
  type: "mutation";
  interceptor: string;
  phase: Phase;
  durationMs: number;
  info?: JsonObject;
  modified: boolean;
  payload: unknown;
  _meta?: JsonObject;
}
export type InvokeResult = ValidationResult | MutationResult;
export interface InterceptorsCapability { supportedEvents: string[] }
