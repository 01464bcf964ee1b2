import { LocalError } from "../base/errors.ts";
import { cloneJson, equalJson, isObject, type JsonObject } from "../base/json.ts";
import type {
  InterceptorType,
  InvokeResult,
  MutationResult,
  Phase,
  Severity,
  Suggestion,
  ValidationMessage,
  ValidationResult,
} from "../wire/gen/interceptors.ts";
import { readMutation } from "./verdict.ts";

/** What was asked, and how long it took: the members of a result that are ours, whatever came back. */
export interface Asked {
  readonly name: string;
  readonly type: InterceptorType;
  readonly phase: Phase;
  readonly durationMs: number;
}

/** The message of a rejection that gives none. */
export const REJECTED = "rejected";

/**
 * What a handler returned, as the canonical result. Everything in it is a copy, so that the handler cannot change it afterwards. `original`
 * is the payload before the handler had a copy of it. Throws `malformed_result`, or `not_json` for what JSON cannot carry.
 */
export function resultOfHandler(output: unknown, original: unknown, asked: Asked, maxDepth: number): InvokeResult {
  if (asked.type === "validation") {
    return typeof output === "boolean" ? readValidation({ valid: output }, asked) : readValidation(cloneJson(output, maxDepth), asked);
  }
  if (output === undefined) throw malformed("a mutator must return a payload, or unchanged()");
  const mutation = readMutation(output);
  const extra = mutation?.info === undefined ? undefined : cloneJson(mutation.info, maxDepth);
  if (mutation?.changed === false) return mutationResult(asked, extra, false, original);
  const payload = cloneJson(mutation === undefined ? output : mutation.payload, maxDepth);
  return equalJson(payload, original) ? mutationResult(asked, extra, false, original) : mutationResult(asked, extra, true, payload);
}

/**
 * The answer of a source, checked and canonical: severities filled in, unknown members dropped. Payload and info are taken as they
 * are, not copied. Throws `malformed_result`.
 */
export function readResult(answer: unknown, asked: Asked): InvokeResult {
  return asked.type === "validation" ? readValidation(answer, asked) : readMutationResult(answer, asked);
}

/** Whether a result says no so that the message must not pass (SEP-2624, Execution Model: only `severity: "error"` blocks). */
export function blocks(result: InvokeResult): boolean {
  return result.type === "validation" && !result.valid && result.severity === "error";
}

/** A result's own severity, else the highest of its messages, else `error`. */
export function resolveSeverity(severity: unknown, messages: readonly ValidationMessage[]): Severity {
  if (severity !== undefined) return readSeverity(severity);
  if (messages.length === 0 || messages.some((message) => message.severity === "error")) return "error";
  return messages.some((message) => message.severity === "warn") ? "warn" : "info";
}

function readValidation(answer: unknown, asked: Asked): ValidationResult {
  const said = readCommon(answer, asked);
  const { valid, severity, suggestions, signature } = said;
  if (typeof valid !== "boolean") throw malformed("valid must be a boolean");
  const messages = readMessages(said.messages);
  const resolved = valid && severity === undefined ? undefined : resolveSeverity(severity, messages);
  // Laxer readers look at messages alone, so a result that blocks has one that says so.
  if (!valid && resolved === "error" && !messages.some((message) => message.severity === "error")) {
    messages.push({ message: REJECTED, severity: "error" });
  }
  const result = ours<ValidationResult>(asked, said.info);
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

function readMutationResult(answer: unknown, asked: Asked): MutationResult {
  const { modified, payload, info } = readCommon(answer, asked);
  if (typeof modified !== "boolean") throw malformed("modified must be a boolean");
  if (modified && payload === undefined) throw malformed("modified is true, and there is no payload");
  return mutationResult(asked, info, modified, payload);
}

function readCommon(answer: unknown, asked: Asked): JsonObject {
  if (!isObject(answer)) throw malformed("the result must be an object");
  const { type, phase } = answer;
  if (type !== undefined && type !== asked.type) throw malformed(`type must be "${asked.type}"`);
  if (phase !== undefined && phase !== asked.phase) throw malformed(`phase must be "${asked.phase}"`);
  return answer;
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
    message: typeof said.message === "string" ? said.message : REJECTED,
    severity: readSeverity(said.severity),
  };
  return typeof said.path === "string" ? { path: said.path, ...message } : message;
}

function readSeverity(severity: unknown): Severity {
  return severity === "info" || severity === "warn" ? severity : "error";
}

function isSuggestion(suggestion: unknown): suggestion is Suggestion {
  return isObject(suggestion) && typeof suggestion.path === "string" && suggestion.value !== undefined;
}

function mutationResult(asked: Asked, info: unknown, modified: boolean, payload: unknown): MutationResult {
  const result = ours<MutationResult>(asked, info);
  result.modified = modified;
  result.payload = payload;
  return result;
}

// Member by member: this runs for each invocation, and spreads cost ten times as much.
function ours<R extends InvokeResult>({ type, name, phase, durationMs }: Asked, info: unknown): R {
  const result: Partial<InvokeResult> = { type, interceptor: name, phase, durationMs };
  if (isObject(info)) result.info = info;
  // The callers add what their type has besides.
  return result as R;
}

function malformed(what: string): LocalError {
  return new LocalError("malformed_result", what);
}
