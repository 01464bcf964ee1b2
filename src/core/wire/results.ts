import { LocalError } from "../base/errors.ts";
import { equalJson, isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import { foldCase } from "../base/json-refusal.ts";
import type { ListedType } from "./descriptors.ts";
import type {
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
  readonly type: ListedType;
  readonly phase: Phase;
  readonly durationMs: number;
}

/** What a sink of another SDK answers: whether it took note, and what it measured. Nothing follows from it. */
export interface SinkResult {
  type: "sink";
  interceptor: string;
  phase: Phase;
  durationMs: number;
  info?: JsonObject;
  recorded?: boolean;
  metrics?: Record<string, number>;
}

/** What an invocation of any type that is read comes to. */
export type ReadResult = InvokeResult | SinkResult;

/** The message of a rejection that gives none. */
export const REJECTED = "rejected";

/**
 * The answer of a source, flat or in Go's nesting, checked and canonical: severities filled in, unknown members dropped. `interceptor` is the
 * name that was asked: an answer that says another one is somebody else's verdict, one that says none is completed; the duration is the answer's where it gives one. Payload and info are taken as they are, not copied. Throws
 * `malformed_result` for what is a failure and no verdict (semantics, section 5).
 */
export function readResult(answer: unknown, asked: Asked): ReadResult {
  const said = readCommon(flatten(answer, asked), asked);
  if (!isNameOf(said["interceptor"], asked)) throw malformed(`interceptor must be ${JSON.stringify(asked.name)}`);
  const result = readers[asked.type](said, asked);
  if (isDuration(said["durationMs"])) result.durationMs = said["durationMs"];
  return result;
}

const readers: Readonly<Record<ListedType, (said: JsonObject, asked: Asked) => ReadResult>> = {
  validation: verdictOf,
  mutation: mutationOf,
  sink: sinkOf,
};

/**
 * The result as a server told `alsoNested` answers: flat, and after that the members of its type once more as Go's SDK nests them, since a Go
 * chain sees no denial otherwise. What both say is the same, so every reader that compares them is content.
 */
export function alsoNested(result: InvokeResult): JsonObject {
  const { type, interceptor: _name, phase: _phase, durationMs: _duration, ...own } = result;
  return { ...result, [type]: own };
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
export function blocks(result: ReadResult): boolean {
  return result.type === "validation" && !result.valid && result.severity === "error";
}

function readCommon(answer: unknown, asked: Pick<Asked, "type" | "phase">): JsonObject {
  if (!isObject(answer)) throw malformed("the result must be an object");
  const { type, phase } = answer;
  if (type !== undefined && type !== asked.type) throw malformed(`type must be "${asked.type}"`);
  if (phase !== undefined && phase !== asked.phase) throw malformed(`phase must be "${asked.phase}"`);
  return answer;
}

// What writers without optional members put there for a name that they do not give names nobody.
function isNameOf(said: unknown, { name }: Asked): boolean {
  return said === undefined || said === null || said === "" || said === name;
}

// What decides; a variant in another case, or a nested twin that says something else, is what another reader would go by.
const DECIDING: ReadonlySet<string> = new Set(["type", "phase", "interceptor", "valid", "severity", "messages", "modified", "payload"]);

/** The members of an answer, those that Go nests brought up. Throws where they are said twice and differ, or are nested under another type. */
function flatten(answer: unknown, { type }: Asked): unknown {
  if (!isObject(answer)) return answer;
  refuseOtherCase(answer);
  let flat = answer;
  for (const name of NESTS) {
    if (!Object.hasOwn(answer, name)) continue;
    const nested = answer[name];
    if (!isObject(nested)) throw malformed(`${name} must be an object`);
    if (name !== type) throw malformed(`it has a ${name}, and is asked for a ${type}`);
    refuseOtherCase(nested);
    // A verdict is as strong as all three together, so both forms say it whole, or one of them says nothing of it.
    if (VERDICT.some((member) => Object.hasOwn(answer, member)) && VERDICT.some((member) => Object.hasOwn(nested, member))) {
      for (const member of VERDICT) if (!equalJson(answer[member] ?? [], nested[member] ?? [])) throw twofold(name, member);
    }
    flat = {};
    for (const member of Object.keys(nested)) setMember(flat, member, nested[member]);
    for (const member of Object.keys(answer)) {
      if (DECIDING.has(member) && Object.hasOwn(nested, member) && !equalJson(answer[member], nested[member])) {
        throw twofold(name, member);
      }
      setMember(flat, member, answer[member]);
    }
  }
  return flat;
}

function twofold(name: string, member: string): LocalError {
  return malformed(`${member} says one thing, and ${name}/${member} another`);
}

const NESTS = ["validation", "mutation"] as const;
const VERDICT = ["valid", "severity", "messages"] as const;

// Spelt as they should be, and asked first, as folding costs more than all else that is done to read a result.
const SPELT: ReadonlySet<string> = new Set([...DECIDING, "durationMs", "info", "suggestions", "signature", ...NESTS]);

function refuseOtherCase(said: JsonObject): void {
  for (const name of Object.keys(said)) {
    if (!SPELT.has(name) && DECIDING.has(foldCase(name))) throw malformed(`${JSON.stringify(name)} is not spelt as the SEP has it`);
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

// Nothing hangs on it, so what is malformed in it is dropped.
function sinkOf(said: JsonObject, asked: Asked): SinkResult {
  const result = started<SinkResult>(asked, said["info"]);
  const recorded = ownMember(said, "recorded");
  const metrics = ownMember(said, "metrics");
  if (typeof recorded === "boolean") result.recorded = recorded;
  if (isObject(metrics) && Object.values(metrics).every((value) => typeof value === "number")) result.metrics = metrics as Record<string, number>;
  return result;
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
function started<R extends ReadResult>({ type, name, phase, durationMs }: Asked, info: unknown): R {
  const result: Pick<ReadResult, "type" | "interceptor" | "phase" | "durationMs" | "info"> = { type, interceptor: name, phase, durationMs };
  if (isObject(info)) result.info = info;
  // The callers add what their type has besides.
  return result as R;
}

function malformed(what: string): LocalError {
  return new LocalError("malformed_result", what);
}
