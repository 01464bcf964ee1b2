import { createHmac, randomBytes } from "node:crypto";
import { LocalError } from "../core/base/errors.ts";
import { canonicalText } from "../core/base/canonical-text.ts";
import type { Decision, InterceptorOutcome } from "../core/guard/decision.ts";

const MAX_CHARS = 256;
const MAX_POINTERS = 100;
const MAX_OUTCOMES = 200;

/**
 * What an audit keeps of a decision, member by member, so that what decisions may hold one day is not written by itself: who, what, by which interceptors,
 * how long, digests and the pointers that were changed. No value of a payload, whatever `provenance` says. Texts of the peer's choice (ids, names of
 * methods and tools, pointers) are cut at 256 characters, lists at 100 pointers and 200 outcomes; what was left out is counted.
 */
export function auditRecord(decision: Decision, upstream?: string): Record<string, unknown> {
  const { at, durationMs, role, direction, kind, event, phase, id, verdict, reason, by, code, changes = [], interceptors, connection, sessionId, traceId, tool, digests, principal } = decision;
  return {
    kind: "decision",
    at,
    upstream,
    who: principal === undefined ? undefined : { type: principal.type, id: cut(principal.id), issuer: cut(principal.issuer) },
    session: sessionId,
    connection,
    trace: traceId,
    role,
    direction,
    message: kind,
    event: cut(event),
    phase,
    tool: cut(tool),
    id: typeof id === "string" ? cut(id) : id,
    verdict,
    reason,
    by: cut(by),
    code,
    ms: rounded(durationMs),
    digests: digests && { payload: cut(digests.payload), final: cut(digests.final) },
    changed: changes.length === 0 ? undefined : changes.slice(0, MAX_POINTERS).map(({ pointer, kind: how }) => [how, cut(pointer)]),
    moreChanged: more(changes.length, MAX_POINTERS),
    interceptors: interceptors.slice(0, MAX_OUTCOMES).map(outcome),
    moreInterceptors: more(interceptors.length, MAX_OUTCOMES),
  };
}

function outcome({ name, address, type, mode, outcome: how, severity, failure, durationMs }: InterceptorOutcome) {
  return { name: cut(name), address: cut(address), type, mode, outcome: how, severity, failure, ms: rounded(durationMs) };
}

function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}

function more(length: number, max: number): number | undefined {
  return length > max ? length - max : undefined;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/**
 * Digests for `GuardPolicy.digest`: `hmac-sha256:` and 64 hexadecimal digits over the payload's text with sorted members, so that equal payloads have
 * equal digests. With a key, whoever has it can tell whether a payload that he has in his hands is the one that was judged. Without one, a random key of this
 * process: then equal payloads of one run can be told, and nobody can try out what a short one might have been. A plain hash would let anybody try.
 */
export function createAuditDigest(key?: string): (payload: unknown) => string {
  if (key === "") throw new LocalError("invalid_argument", "an empty key keeps nothing secret");
  const secret = key === undefined ? randomBytes(32) : createHmac("sha256", key).update("mcp-interceptors audit digest").digest();
  return (payload) => `hmac-sha256:${createHmac("sha256", secret).update(canonicalText(payload)).digest("hex")}`;
}
