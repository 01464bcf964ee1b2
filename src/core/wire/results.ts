import { LocalError } from "../base/errors.ts";
import { equalJson, isObject, type JsonObject } from "../base/json.ts";
import type {
  InterceptorType,
  InvokeResult,
  MutationResult,
  Phase,
  Severity,
  Suggestion,
  ValidationMessage,
  ValidationResult,
} from "./gen/interceptors.ts";

// Every result is built here, from a handler's output or from the answer of a source, so there is one form: members in the order of the
// wire, `type` first (C# needs it there), each verdict clear to stricter and to laxer readers.

/** What was asked, and how long it took as the asker counts: what a result says of these is checked or replaced. */
export interface Asked {
  readonly name: string;
  readonly type: InterceptorType;
  readonly phase: Phase;
  readonly durationMs: number;
}

/** The message of a rejection that gives none. */
export const REJECTED = "rejected";

/**
 * The answer of a source, checked and canonical: severities filled in, unknown members dropped. `interceptor` is always the name that was
 * asked; the duration is the answer's where it gives one. Payload and info are taken as they are, not copied. Throws `malformed_result`
 * for what is a failure and no verdict (semantics, section 5).
 */
export function readResult(answer: unknown, asked: Asked): InvokeResult {
  const said = readCommon(answer, asked);
  refuseDoubt(said);
  const result = asked.type === "validation" ? verdictOf(said, asked) : mutationOf(said, asked);
  if (isDuration(said["durationMs"])) result.durationMs = said["durationMs"];
  return result;
}

/** What a validator has said, as the canonical result. Throws `malformed_result`. */
export function readVerdict(answer: unknown, asked: Asked): ValidationResult {
  return verdictOf(readCommon(answer, asked), asked);
}

export function mutationResult(asked: Asked, info: unknown, modified: boolean, payload: unknown): MutationResult {
  const result = started<MutationResult>(asked, info);
  result.modified = modified;
  result.payload = payload;
  return result;
}

/** Whether a result says no so that the message must not pass (SEP-2624, Execution Model: only `severity: "error"` blocks). */
export function blocks(result: InvokeResult): boolean {
  return result.type === "validation" && !result.valid && result.severity === "error";
}

function readCommon(answer: unknown, asked: Asked): JsonObject {
  if (!isObject(answer)) throw malformed("the result must be an object");
  const { type, phase } = answer;
  if (type !== undefined && type !== asked.type) throw malformed(`type must be "${asked.type}"`);
  if (phase !== undefined && phase !== asked.phase) throw malformed(`phase must be "${asked.phase}"`);
  return answer;
}

// What decides; a variant in another case, or a nested twin that says something else, is what another reader would go by.
const DECIDING: ReadonlySet<string> = new Set(["type", "phase", "valid", "severity", "messages", "modified", "payload"]);

function refuseDoubt(said: JsonObject): void {
  for (const name of Object.keys(said)) {
    if (!DECIDING.has(name) && DECIDING.has(name.toLowerCase())) throw malformed(`${JSON.stringify(name)} is not spelt as the SEP has it`);
    if (name !== "validation" && name !== "mutation") continue;
    const nested = said[name];
    if (!isObject(nested)) throw malformed(`${name} must be an object`);
    for (const member of DECIDING) {
      if (Object.hasOwn(said, member) && Object.hasOwn(nested, member) && !equalJson(said[member], nested[member])) {
        throw malformed(`${member} says one thing, and ${name}/${member} another`);
      }
    }
  }
}

function verdictOf(said: JsonObject, asked: Asked): ValidationResult {
  const { valid, severity, suggestions, signature } = said;
  if (typeof valid !== "boolean") throw malformed("valid must be a boolean");
  const messages = readMessages(said["messages"]);
  const resolved = valid && severity === undefined ? undefined : resolveSeverity(severity, messages);
  // Laxer readers look at messages alone, so a result that blocks has one that says so.
  if (!valid && resolved === "error" && !messages.some((message) => message.severity === "error")) {
    messages.push({ message: REJECTED, severity: "error" });
  }
  const result = started<ValidationResult>(asked, said["info"]);
  result.valid = valid;
  if (resolved !== undefined) result.severity = resolved;
  if (messages.length > 0) result.messages = messages;
  if (Array.isArray(suggestions)) {
    const kept = suggestions.filter(isSuggestion);
    if (kept.length > 0) result.suggestions = kept;
  }
  // Reserved by the SEP; passed on as it is, for whoever can check it.
  if (isObject(signature)) result.signature = signature as unknown as NonNullable<ValidationResult["signature"]>;
  return result;
}

function mutationOf({ modified, payload, info }: JsonObject, asked: Asked): MutationResult {
  if (typeof modified !== "boolean") throw malformed("modified must be a boolean");
  if (modified && payload === undefined) throw malformed("modified is true, and there is no payload");
  return mutationResult(asked, info, modified, payload);
}

// A result's own severity, else the highest of its messages, else `error`.
function resolveSeverity(severity: unknown, messages: readonly ValidationMessage[]): Severity {
  if (severity !== undefined) return readSeverity(severity);
  if (messages.length === 0 || messages.some((message) => message.severity === "error")) return "error";
  return messages.some((message) => message.severity === "warn") ? "warn" : "info";
}

function readMessages(said: unknown): ValidationMessage[] {
  if (said === undefined) return [];
  if (!Array.isArray(said)) throw malformed("messages must be a list");
  return said.map(readMessage);
}

// A message without a readable text or severity still counts as an objection: the verdict must not get lost over its wording.
function readMessage(said: unknown): ValidationMessage {
  if (!isObject(said)) return { message: typeof said === "string" ? said : REJECTED, severity: "error" };
  const message: ValidationMessage = {
    message: typeof said["message"] === "string" ? said["message"] : REJECTED,
    severity: readSeverity(said["severity"]),
  };
  return typeof said["path"] === "string" ? { path: said["path"], ...message } : message;
}

// No spelling of a severity softens a verdict: what is none of ours counts as an error.
function readSeverity(severity: unknown): Severity {
  return severity === "info" || severity === "warn" ? severity : "error";
}

function isSuggestion(suggestion: unknown): suggestion is Suggestion {
  return isObject(suggestion) && typeof suggestion["path"] === "string" && suggestion["value"] !== undefined;
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

// Member by member: this runs for each invocation, and spreads cost ten times as much.
function started<R extends InvokeResult>({ type, name, phase, durationMs }: Asked, info: unknown): R {
  const result: Partial<InvokeResult> = { type, interceptor: name, phase, durationMs };
  if (isObject(info)) result.info = info;
  // The callers add what their type has besides.
  return result as R;
}

function malformed(what: string): LocalError {
  return new LocalError("malformed_result", what);
}
