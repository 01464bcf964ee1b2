import { toHex, utf8Encode } from "../core/base/bytes.ts";
import { canonicalText } from "../core/base/canonical-text.ts";
import { LocalError } from "../core/base/errors.ts";
import { detectHost, type Host, type PlatformSignal } from "../core/base/host.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { sha256 } from "../core/base/sha256.ts";
import { type HandlerInput, type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { invalid, readConfig, readPatterns, readWhole } from "./config.ts";
import { postJson, readService, type Service, SERVICE_MEMBERS, serviceSchema } from "./http-post.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { createStates, readScope, type Scope, scopeSchema } from "./state.ts";
import type { Tools } from "./tools.ts";

/** What somebody is asked to say yes to. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** `sha256:` and hexadecimal digits, over the tool and its arguments: what the answer is for. */
  readonly digest: string;
  readonly sessionId?: string;
  readonly principal?: Principal;
}

/** Says yes or no. Anything but a boolean is a failure. The signal aborts once nobody waits any more. */
export type Approve = (request: ApprovalRequest, signal: PlatformSignal) => boolean | Promise<boolean>;

/** Which calls wait for a yes, and how long. */
export interface ApprovalConfig extends Partial<Service> {
  /** Names of tools, or `prefix*`, whose calls wait. Every one unless given. */
  readonly tools?: readonly string[];
  /** Milliseconds that a call waits; then it fails. 120,000 unless given. */
  readonly waitMs?: number;
  /** Milliseconds for which a yes is also good for the same call of the same session or principal. 0 unless given: each call is asked for. */
  readonly reuseMs?: number;
  readonly scope?: Scope;
}

/** What `approval` is given by a program, beside its config. */
export interface ApprovalTools extends Tools {
  /** Who is asked. In its place a config may have a `url`: a service that gets the request, and answers `{ approved, digest }`. */
  readonly approve?: Approve;
}

const OWNER = "approval";
const DEFAULT_WAIT_MS = 120_000;
// From before a call was mutated to after it.
const REVALIDATION_MS = 60_000;
const MAX_REMEMBERED = 1000;

export const approvalConfigSchema: JsonObject = {
  type: "object",
  properties: {
    ...serviceSchema,
    tools: patternsSchema,
    waitMs: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
    reuseMs: { type: "integer", minimum: 0 },
    scope: scopeSchema,
  },
  additionalProperties: false,
};

/**
 * A validator that holds calls of tools until somebody says yes. A yes is for these arguments: what mutators have changed afterwards is asked for anew,
 * as guards validate again, and a service has to repeat the digest. Throws `invalid_argument` for a wrong config, and where there is
 * nobody to ask.
 */
export function approval(config: ApprovalConfig = {}, { host = detectHost(), approve }: ApprovalTools = {}): Interceptor {
  const { service, needs, waitMs, reuseMs, scope } = readApproval(config);
  const ask = approve ?? (service === undefined ? undefined : askService(service, host));
  if (ask === undefined) throw invalid(OWNER, undefined, 'has nobody to ask: give it a "url", or the factory a function "approve"');
  // By digest, when a yes was given.
  const states = createStates({ owner: OWNER, scope, create: () => new Map<string, number>() });
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Holds calls of tools until somebody approves them.",
      hooks: [{ events: ["tools/call"], phase: "request" }],
      timeoutMs: waitMs,
      configSchema: approvalConfigSchema,
    },
    async ({ payload, context, config: called, signal }: HandlerInput) => {
      if (Object.keys(called).length > 0) throw new LocalError("refused", "a call cannot change the config of approval");
      const tool = isObject(payload) ? ownMember(payload, "name") : undefined;
      if (typeof tool !== "string") return deny("The name of a tool must be a string", { path: "/name" });
      if (!needs(tool)) return allow();
      const given = isObject(payload) ? ownMember(payload, "arguments") : undefined;
      const args = isObject(given) ? given : {};
      const digest = `sha256:${toHex(sha256(utf8Encode(canonicalText([tool, args]), host)))}`;
      const yeses = states.of(context);
      const goodMs = context.revalidation === true ? Math.max(reuseMs, REVALIDATION_MS) : reuseMs;
      const since = yeses.get(digest);
      if (since !== undefined && host.now() - since < goodMs) return allow();
      const { sessionId, principal } = context;
      const yes = await ask({ tool, arguments: args, digest, ...(sessionId === undefined ? {} : { sessionId }), ...(principal === undefined ? {} : { principal }) }, signal);
      if (typeof yes !== "boolean") throw new LocalError("malformed_result", "approve must answer true or false");
      if (!yes) return deny(`The call of ${tool} was not approved`);
      yeses.delete(digest);
      if (yeses.size >= MAX_REMEMBERED) for (const oldest of yeses.keys()) if (yeses.delete(oldest)) break;
      yeses.set(digest, host.now());
      return allow();
    },
  );
}

/** Whose memory it has under a config. */
export function approvalScope(config: unknown): Scope {
  return readApproval(config).scope;
}

function readApproval(value: unknown) {
  const config = readConfig(value, [...SERVICE_MEMBERS, "tools", "waitMs", "reuseMs", "scope"], OWNER);
  const tools = readPatterns(config, "tools", OWNER);
  const service = ownMember(config, "url") === undefined ? undefined : readService(config, OWNER);
  return {
    service,
    needs: tools === undefined ? () => true : compilePatterns(tools),
    waitMs: readWhole(config, "waitMs", OWNER, 1, 2_147_483_647) ?? DEFAULT_WAIT_MS,
    reuseMs: readWhole(config, "reuseMs", OWNER, 0) ?? 0,
    scope: readScope(ownMember(config, "scope"), OWNER),
  };
}

function askService(service: Service, host: Host): Approve {
  return async (request, signal) => {
    const { approved, digest } = await postJson(service, { ...request }, { host, signal });
    if (typeof approved !== "boolean") throw new LocalError("malformed_result", "the service's answer has no approved: true or false");
    // An answer that went astray, or was kept for another call.
    if (approved && digest !== request.digest) throw new LocalError("malformed_result", "the service's answer is for another call: its digest is not the one that was asked for");
    return approved;
  };
}
