import { joinBytes, toHex, utf8DecodeExact, utf8Encode } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { hmacSha256 } from "../core/base/hmac.ts";
import type { Host } from "../core/base/host.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { scanJson } from "../core/base/json-text.ts";
import type { SignalLike } from "../core/base/signal.ts";
import { invalid } from "./config.ts";

// Calls of services that a policy names: one JSON object there, one back, by the fetch of the host.

/** A service that is asked by POST, with JSON. */
export interface Service {
  readonly url: string;
  /** Signs what is sent; at least 16 characters. */
  readonly secret?: string;
  /** Sent along: a token, say. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The members of a config that name a service. */
export const serviceSchema: JsonObject = {
  url: { type: "string", pattern: "^(https://[^\\s]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]+)?([/?][^\\s]*)?)$" },
  secret: { type: "string", minLength: 16 },
  headers: { type: "object", additionalProperties: { type: "string", pattern: "^[\\t -~]*$" }, propertyNames: { pattern: "^[!#-'*+.0-9A-Z^_`a-z|~-]+$" } },
};
export const SERVICE_MEMBERS = ["url", "secret", "headers"] as const;

const MAX_ANSWER_BYTES = 4_194_304;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?]\S*)?$/;

/** Reads the members of `serviceSchema`. Throws `invalid_argument` for plain HTTP to anybody but this machine, and for an address with a password in it. */
export function readService(config: JsonObject, owner: string): Service {
  const url = ownMember(config, "url");
  if (typeof url !== "string" || !/^https?:\/\/[^\s]+$/.test(url)) throw invalid(owner, "url", "must be an http or https URL");
  if (!url.startsWith("https://") && !LOOPBACK.test(url)) throw invalid(owner, "url", "must be https, but for this machine itself: what is judged crosses it in the clear");
  if (/^https?:\/\/[^/?#]*@/.test(url)) throw invalid(owner, "url", 'must have no user or password in it; put an Authorization into "headers"');
  const secret = ownMember(config, "secret");
  if (secret !== undefined && (typeof secret !== "string" || secret.length < 16)) throw invalid(owner, "secret", "must be a string of 16 characters or more");
  const headers = ownMember(config, "headers");
  return { url, ...(secret === undefined ? {} : { secret }), ...(headers === undefined ? {} : { headers: readHeaders(headers, owner) }) };
}

// Of the transport, and of the signature.
const OWN_HEADERS = /^(?:host|content-length|transfer-encoding|connection|x-mcp-interceptors-.*)$/i;

function readHeaders(value: unknown, owner: string): Readonly<Record<string, string>> {
  if (!isObject(value)) throw invalid(owner, "headers", "must be an object of strings");
  const headers: [string, string][] = Object.entries(value).map(([name, text]) => {
    if (!/^[!#-'*+.0-9A-Z^_`a-z|~-]+$/.test(name)) throw invalid(owner, `headers.${name}`, "is no name of a header");
    if (OWN_HEADERS.test(name)) throw invalid(owner, `headers.${name}`, "is set by whoever sends the request");
    if (typeof text !== "string" || !/^[\t -~]*$/.test(text)) throw invalid(owner, `headers.${name}`, "must be a string of printable ASCII");
    return [name, text];
  });
  return Object.fromEntries(headers);
}

/**
 * Posts an object, and gives the one that comes back. With a secret the headers `x-mcp-interceptors-timestamp` (seconds) and `x-mcp-interceptors-signature`
 * (`v1=` and the hexadecimal HMAC-SHA256 of timestamp, `.` and body) go along. Follows no redirect. Rejects with `refused` for another status than 200,
 * with `malformed_result` for an answer that is no JSON object or of more than 4 MiB, with `host_missing` without a `fetch`, and with what `fetch` rejects with.
 */
export async function postJson(service: Service, value: JsonObject, { host, signal }: { readonly host: Host; readonly signal: SignalLike }): Promise<JsonObject> {
  if (host.fetch === undefined) throw new LocalError("host_missing", 'this runtime has no fetch; pass a host with the slot "fetch"');
  const body = JSON.stringify(value);
  const headers: Record<string, string> = { ...service.headers, "content-type": "application/json", accept: "application/json" };
  if (service.secret !== undefined) {
    const timestamp = String(Math.floor(host.wallTime() / 1000));
    headers["x-mcp-interceptors-timestamp"] = timestamp;
    headers["x-mcp-interceptors-signature"] = `v1=${toHex(hmacSha256(utf8Encode(service.secret, host), utf8Encode(`${timestamp}.${body}`, host)))}`;
  }
  // The slot is typed for whatever a host has; this is how WHATWG's is called, and what it gives.
  const send = host.fetch as unknown as (url: string, init: object) => Promise<FetchAnswer>;
  const answer = await send(service.url, { method: "POST", headers, body, redirect: "error", signal });
  if (answer.status !== 200) {
    await answer.body?.cancel().catch(() => {});
    throw new LocalError("refused", `the service answers with status ${answer.status}`);
  }
  const { value: read, refusal } = scanJson(await textOf(answer));
  if (refusal !== undefined || !isObject(read)) throw new LocalError("malformed_result", "the service's answer is no JSON object");
  return read;
}

interface FetchAnswer {
  readonly status: number;
  readonly body: { getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }> }; cancel(): Promise<void> } | null;
}

async function textOf({ body }: FetchAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const reader = body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value === undefined) continue;
    pieces.push(value);
    bytes += value.length;
    if (bytes > MAX_ANSWER_BYTES) throw new LocalError("malformed_result", `the service's answer has more than ${MAX_ANSWER_BYTES} bytes`);
  }
  const text = utf8DecodeExact(joinBytes(pieces));
  if (text === undefined) throw new LocalError("malformed_result", "the service's answer is no UTF-8");
  return text;
}
