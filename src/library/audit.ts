import { toHex, utf8Encode, utf8Length } from "../core/base/bytes.ts";
import { canonicalText } from "../core/base/canonical-text.ts";
import { LocalError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { hmacSha256 } from "../core/base/hmac.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type HandlerInput, type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow } from "../core/interceptor/verdict.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { eventsSchema, invalid, readConfig, readEvents, readText } from "./config.ts";
import { postJson, readService, type Service, SERVICE_MEMBERS, serviceSchema } from "./http-post.ts";
import type { Tools } from "./tools.ts";

/** What is kept of a message: nothing that it says. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly at: string;
  readonly event: string;
  readonly phase: Phase;
  /** The tool or prompt, or the URI of a resource without user, password, query and fragment, as the request names it; 256 characters at most. */
  readonly target?: string;
  readonly session?: string;
  readonly who?: { readonly type: string; readonly id?: string; readonly issuer?: string };
  readonly trace?: string;
  /** Of a response: that it is an error, or a tool's result that says so. */
  readonly failed?: true;
  /** Size of the payload's JSON text in UTF-8. */
  readonly bytes: number;
  /** `hmac-sha256:` and hexadecimal digits, over the payload with sorted members; of payloads up to 64 KiB. */
  readonly digest?: string;
}

/** Keeps a record. What it throws or rejects with fails the interceptor, and so blocks the message. */
export type AuditSink = (record: AuditRecord) => void | Promise<void>;

/** What `audit` records, and where it sends it. */
export interface LibraryAuditConfig extends Partial<Service> {
  /** Methods, as hooks name them; all unless given. */
  readonly events?: readonly string[];
  /** The key of the digests, of 16 characters or more: with it digests of different processes compare. A random one unless given. */
  readonly key?: string;
}

/** What `audit` is given by a program, beside its config. */
export interface AuditTools extends Tools {
  /** Where records go. In its place a config may have a `url`: a service that gets each as a POST. */
  readonly sink?: AuditSink;
}

const OWNER = "audit";
const MAX_TEXT_CHARS = 256;
// The digest is made in this thread, some 20 ns a byte.
const MAX_DIGEST_BYTES = 65_536;

export const auditConfigSchema: JsonObject = {
  type: "object",
  properties: { ...serviceSchema, events: eventsSchema, key: { type: "string", minLength: 16 } },
  additionalProperties: false,
};

/**
 * A validator that lets everything pass once it is on record, for chains without a gateway, which has an audit of its own: that one knows what all
 * interceptors decided, this one what has come to it. Records hold names, sizes and keyed digests, no payloads. Throws `invalid_argument` for a wrong
 * config, and where there is nowhere to write.
 */
export function audit(config: LibraryAuditConfig = {}, { host = detectHost(), sink }: AuditTools = {}): Interceptor {
  const { service, events, key } = readAudit(config);
  const keep: ((record: AuditRecord, input: HandlerInput) => void | Promise<void>) | undefined = sink ?? (service === undefined ? undefined : toService(service, host));
  if (keep === undefined) throw invalid(OWNER, undefined, 'has nowhere to write: give it a "url", or the factory a function "sink"');
  let secret = key === undefined ? undefined : utf8Encode(key, host);
  const digestOf = (payload: unknown) => {
    secret ??= host.random(new Uint8Array(64));
    return `hmac-sha256:${toHex(hmacSha256(secret, utf8Encode(canonicalText(payload), host)))}`;
  };
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Keeps a record of each message, without what it says.",
      hooks: [
        { events, phase: "request" },
        { events, phase: "response" },
      ],
      handlesErrors: true,
      withRequest: true,
      configSchema: auditConfigSchema,
    },
    (input: HandlerInput) => {
      const { payload, event, phase, context, config: called } = input;
      if (Object.keys(called).length > 0) throw new LocalError("refused", "a call cannot change the config of audit");
      const bytes = utf8Length(JSON.stringify(payload));
      const target = targetOf(phase === "request" ? payload : context.request?.params);
      const who = context.principal;
      const issuer = who?.claims?.["iss"];
      const record: AuditRecord = {
        at: new Date(host.wallTime()).toISOString(),
        event,
        phase,
        ...(target === undefined ? {} : { target }),
        ...(context.sessionId === undefined ? {} : { session: context.sessionId }),
        ...(who === undefined ? {} : { who: { type: who.type, ...(who.id === undefined ? {} : { id: cut(who.id) }), ...(typeof issuer === "string" ? { issuer: cut(issuer) } : {}) } }),
        ...(context.traceId === undefined ? {} : { trace: context.traceId }),
        ...(phase === "response" && isObject(payload) && (payload["error"] !== undefined || payload["isError"] === true) ? { failed: true } : {}),
        bytes,
        ...(bytes > MAX_DIGEST_BYTES ? {} : { digest: digestOf(payload) }),
      };
      const kept = keep(record, input);
      return kept instanceof Promise ? kept.then(() => allow()) : allow();
    },
  );
}

function readAudit(value: unknown) {
  const config = readConfig(value, [...SERVICE_MEMBERS, "events", "key"], OWNER);
  const key = readText(config, "key", OWNER);
  if (key !== undefined && key.length < 16) throw invalid(OWNER, "key", "must be a string of 16 characters or more");
  return {
    service: ownMember(config, "url") === undefined ? undefined : readService(config, OWNER),
    events: readEvents(config, "events", OWNER) ?? ["*"],
    key,
  };
}

function toService(service: Service, host: Host): (record: AuditRecord, input: HandlerInput) => Promise<void> {
  return async (record, { signal }) => void (await postJson(service, { ...record }, { host, signal }));
}

function targetOf(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const name = ownMember(params, "name");
  if (typeof name === "string") return cut(name);
  const uri = ownMember(params, "uri");
  return typeof uri === "string" ? cut(withoutSecrets(uri)) : undefined;
}

// A user and password stand before an `@`, with two slashes before them or not, as parsers take it.
function withoutSecrets(uri: string): string {
  return uri.replace(/[?#][^]*$/, "").replace(/^(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/\\]*@/i, "$1");
}

function cut(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`;
}
