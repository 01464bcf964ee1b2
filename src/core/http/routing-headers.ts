import { ErrorCode, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import { isRequest, type NotificationMessage, type RequestMessage } from "../wire/message.ts";
import { META } from "../wire/versions.ts";
import type { HeaderMap } from "./exchange.ts";
import { decodeHeaderValue, encodeHeaderValue, trimOws } from "../wire/header-value.ts";
import { paramValue, type ParamHeader } from "./param-headers.ts";

// What a stateless message says in its headers besides its body, so that whoever routes it need not read that (2026-07-28, Request Metadata).

/** Lower-case names of the headers that MCP has given a meaning. */
export const HEADER = {
  version: "mcp-protocol-version",
  session: "mcp-session-id",
  method: "mcp-method",
  name: "mcp-name",
  paramPrefix: "mcp-param-",
  lastEventId: "last-event-id",
} as const;

/** Methods with an `Mcp-Name`, and the param that it repeats. */
const NAMED = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
/** The tasks extension (SEP-2663) adds these. Its clients write the header; one without is left to that extension to refuse. */
const TASKS = new Map([
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** The protocol version that a stateless message carries in its `_meta`. */
export function versionInBody({ params }: RequestMessage | NotificationMessage): string | undefined {
  const meta = params === undefined ? undefined : ownMember(params, "_meta");
  const version = isObject(meta) ? ownMember(meta, META.protocolVersion) : undefined;
  return typeof version === "string" ? version : undefined;
}

/**
 * The headers of a stateless message, from what is really sent: after the last mutator, that is. `params` are those of the called tool. The
 * version is left out where the body has none.
 */
export function routingHeaders(message: RequestMessage | NotificationMessage, params: readonly ParamHeader[] = []): [name: string, value: string][] {
  const { method } = message;
  const headers: [string, string][] = [[HEADER.method, encodeHeaderValue(method)]];
  const version = versionInBody(message);
  if (version !== undefined) headers.push([HEADER.version, encodeHeaderValue(version)]);
  const name = nameIn(message.params, NAMED.get(method) ?? TASKS.get(method));
  if (name !== undefined) headers.push([HEADER.name, encodeHeaderValue(name)]);
  if (method === "tools/call") {
    for (const { name: header, path } of params) {
      const text = paramText(paramValue(message.params?.["arguments"], path));
      if (text !== undefined) headers.push([`${HEADER.paramPrefix}${header.toLowerCase()}`, encodeHeaderValue(text)]);
    }
  }
  return headers;
}

/**
 * Holds the headers of a stateless POST to its body, and gives the error of code -32020 that refuses it (with HTTP 400), or nothing. What a
 * request lacks in its body itself (its version, a tool's name) is not judged here. A notification may come without headers, as the
 * revision asks for none; those that it has must fit. Those of the called tool's parameters have a check of their own.
 */
export function checkRoutingHeaders(headers: HeaderMap, message: RequestMessage | NotificationMessage): RpcError | undefined {
  const { method } = message;
  const required = isRequest(message);
  return (
    checkVersion(headers.get(HEADER.version), versionInBody(message), required) ??
    checkText("Mcp-Method", headers.get(HEADER.method), method, required) ??
    checkText("Mcp-Name", headers.get(HEADER.name), nameIn(message.params, NAMED.get(method) ?? TASKS.get(method)), required && NAMED.has(method))
  );
}

function nameIn(params: JsonObject | undefined, member: string | undefined): string | undefined {
  const name = params === undefined || member === undefined ? undefined : ownMember(params, member);
  return typeof name === "string" ? name : undefined;
}

// A version has no Base64 form, and the header is wanted even where the body has none.
function checkVersion(header: string | undefined, body: string | undefined, required: boolean): RpcError | undefined {
  if (header === undefined) return required ? mismatch("the header MCP-Protocol-Version is missing") : undefined;
  const value = trimOws(header);
  if (body === undefined || value === body) return undefined;
  return mismatch(`the header MCP-Protocol-Version is ${quote(value)}, the body says ${quote(body)}`);
}

function checkText(name: string, header: string | undefined, body: string | undefined, required: boolean): RpcError | undefined {
  if (header === undefined) return required && body !== undefined ? mismatch(`the header ${name} is missing`) : undefined;
  const value = decodeHeaderValue(header);
  if (value === undefined) return mismatch(`the header ${name} has characters that it may not have, or is badly encoded`);
  if (body !== undefined && value !== body) return mismatch(`the header ${name} is ${quote(value)}, the body says ${quote(body)}`);
  return undefined;
}

/** The same for the arguments of a call, by the parameters that its tool wants repeated. Headers that no parameter asks for mean nothing here. */
export function checkParamHeaders(headers: HeaderMap, args: unknown, params: readonly ParamHeader[]): RpcError | undefined {
  for (const { name, path } of params) {
    const shown = `Mcp-Param-${name}`;
    const header = headers.get(`${HEADER.paramPrefix}${name.toLowerCase()}`);
    const body = paramValue(args, path);
    if (header === undefined) {
      // A list or an object cannot be mirrored: the tool's schema refuses it.
      if (body !== undefined && typeof body !== "object") return mismatch(`the header ${shown} is missing`);
      continue;
    }
    const value = decodeHeaderValue(header);
    if (value === undefined) return mismatch(`the header ${shown} has characters that it may not have, or is badly encoded`);
    if (body === undefined) return mismatch(`the header ${shown} is there, but the arguments have no such value`);
    if (!matches(value, body)) return mismatch(`the header ${shown} differs from the arguments`);
  }
  return undefined;
}

const NUMBER = /^-?(?:0|[1-9]\d{0,29})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

// Numbers are compared as numbers: 42.0 is 42. They are written as JSON has them: of 042 readers make different ones.
function matches(header: string, body: unknown): boolean {
  if (typeof body === "number") return NUMBER.test(header) && Number(header) === body && Math.abs(body) <= Number.MAX_SAFE_INTEGER;
  return header === paramText(body);
}

// A number past the safe integers has no header: what is read of it may be another one than what is sent.
function paramText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "true" : "false";
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined;
}

// What is quoted is the sender's own, but an answer may pass a log.
function quote(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}

function mismatch(what: string): RpcError {
  return new RpcError(ErrorCode.headerMismatch, `Header mismatch: ${what}`);
}
