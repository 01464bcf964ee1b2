import { describeError, LocalError, RpcError } from "../core/base/errors.ts";
import { didYouMean } from "../core/base/nearest.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import { contextProblem } from "../core/wire/context.ts";
import type { InvokeParams } from "../core/wire/gen/interceptors.ts";
import { blocks, readResult, type ReadResult } from "../core/wire/results.ts";
import { type MissingKey, missingKey } from "../library/state.ts";
import { printable, remembersBy } from "./describe.ts";
import { UsageError } from "./errors.ts";
import { eventNamed } from "./event.ts";
import { type OptionSpec, type ParsedOptions } from "./options.ts";
import { objectOption, principalOption, readJson } from "./payload.ts";
import { runSession, SESSION_OPTIONS } from "./session.ts";
import { unlessAborted } from "./start-watch.ts";
import { listOf, TARGETS } from "./target.ts";
import { type Paint, paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

/** What a message is, for verbs that show interceptors one. */
export const MESSAGE_OPTIONS: readonly OptionSpec[] = [
  { name: "event", value: "NAME", help: "what the message is: a method, such as tools/call" },
  { name: "phase", value: "PHASE", choices: ["request", "response"], help: "request (the default), or response" },
  { name: "payload", value: "FILE|-|JSON", help: "params of the request, or the result; - reads stdin, {} where it is not given" },
  { name: "principal", value: "FILE|JSON", help: "who sends it: { \"type\": \"user\", \"id\": \"ada\", \"claims\": { … } }" },
  { name: "context", value: "FILE|JSON", help: "the same with what else is known: { principal, sessionId, … }" },
];

/** The exit code for what a policy refuses. */
export const REFUSED = 3;

/** `invoke TARGET NAME`: one interceptor, once. */
export const invoke = defineVerb({
  name: "invoke",
  words: "target",
  usage: "TARGET NAME --event EVENT [OPTIONS]",
  about: `Calls one interceptor of the target, as interceptor/invoke does.\n\n${TARGETS}`,
  options: [...MESSAGE_OPTIONS, { name: "with", value: "FILE|JSON", help: "config for this call" }, ...SESSION_OPTIONS, JSON_OPTION],
  examples: [
    `mcp-interceptors invoke redact redact --event tools/call --phase response \\\n    --payload '{"content":[{"type":"text","text":"write to ada@example.com"}]}'`,
  ],
  exit: "Exit code: 0 where it lets the message pass or changes it, 3 where it refuses\nit, 1 where it fails or the target does not answer, 2 for a wrong word or file.",
  action(parsed) {
    const [target, name, ...more] = parsed.positionals;
    if (target === undefined || name === undefined) throw new UsageError("a target and the name of an interceptor are needed", "mcp-interceptors invoke TARGET NAME --event EVENT");
    if (more.length > 0) throw new UsageError(`unexpected ${JSON.stringify(more[0])}`, "mcp-interceptors help invoke");
    const message = readMessage(parsed);
    const config = objectOption(parsed, "with");
    return runSession(parsed, async ({ signal, open, log, secrets }) => {
      const { source } = await open(target, "target");
      const listed = await listOf(source, target, signal);
      const descriptor = listed.find((one) => one.name === name);
      if (descriptor === undefined) {
        const names = listed.map((one) => one.name);
        throw new UsageError(`${target} has no interceptor ${JSON.stringify(name)}`, didYouMean(name, names, `it has ${names.map((one) => printable(one)).join(", ")}`));
      }
      const started = performance.now();
      // A handler of this process may never settle, and its source waits for it.
      const asked = () => unlessAborted((async () => source.invoke({ name, ...message, ...(config === undefined ? {} : { config }) }, signal))(), signal);
      const read = (answer: unknown) => readResult(answer, { name, type: descriptor.type, phase: message.phase, durationMs: Math.ceil(performance.now() - started) });
      const result = await asked().then(read).catch((thrown: unknown) => {
        tellCause(thrown, name, parsed.values.has("verbose"), log);
        return failureOf(thrown);
      });
      return () => {
        const shown = secrets.hideIn(result);
        if (parsed.values.has("json")) printJson(shown);
        else process.stdout.write(describe(shown));
        return { code: "error" in result ? 1 : blocks(result) ? REFUSED : 0 };
      };
    });
  },
});

/** The message of `MESSAGE_OPTIONS`. */
export function readMessage(parsed: ParsedOptions): Omit<InvokeParams, "name" | "payload"> & { readonly payload: unknown } {
  const { values } = parsed;
  const event = eventNamed(values.get("event")?.[0], "--event");
  const word = values.get("payload")?.[0];
  const context = contextOption(parsed);
  return {
    event,
    phase: values.get("phase")?.[0] === "response" ? "response" : "request",
    payload: word === undefined ? {} : readJson(word, "payload"),
    ...(context === undefined ? {} : { context }),
  };
}

const CONTEXT_MEMBERS = ["principal", "traceId", "spanId", "timestamp", "sessionId"];

function contextOption(parsed: ParsedOptions): InvokeParams["context"] {
  const principal = principalOption(parsed);
  const given = objectOption(parsed, "context");
  if (given === undefined) return principal === undefined ? undefined : { principal };
  const problem = contextProblem(given);
  if (problem !== undefined) throw new UsageError(`--context: ${problem}`, `--context '{ "principal": { "type": "user", "id": "ada" } }'`);
  if (principal !== undefined && given["principal"] !== undefined) throw new UsageError("--principal and --context both say who sends it", "use one of them");
  const unknown = Object.keys(given).find((name) => !CONTEXT_MEMBERS.includes(name));
  // A context is open, so that others may look at what no policy here does; most likely it is a slip.
  if (unknown !== undefined) {
    const hint = ["type", "id", "claims"].includes(unknown) ? "who sends it is --principal" : didYouMean(unknown, CONTEXT_MEMBERS, `known are ${CONTEXT_MEMBERS.join(", ")}`);
    process.stderr.write(`mcp-interceptors: warning: --context has an unknown member ${printable(JSON.stringify(unknown))}; ${hint}\n`);
  }
  return { ...given, ...(principal === undefined ? {} : { principal }) };
}

interface Failure {
  readonly error: { readonly code?: number; readonly message: string; readonly data?: unknown };
}

// What a chain would take for a failure of the interceptor: an error, or an answer that is no result.
function failureOf(thrown: unknown): Failure {
  if (thrown instanceof RpcError) return { error: thrown.toJson() };
  if (thrown instanceof LocalError && thrown.code === "malformed_result") return { error: { message: thrown.message } };
  throw thrown;
}

/** How to give a message what interceptors remember by. */
export function optionFor(lacks: MissingKey): string {
  const principal = `--principal '{"type":"user","id":"ada"}'`;
  return `${lacks === "principal" ? principal : `--context '{"sessionId":"s1"}', or ${principal},`} says whose the message is`;
}

// The result has the reason alone, as over the wire; what was thrown may quote the payload.
function tellCause(thrown: unknown, name: string, verbose: boolean, log: Log): void {
  if (!(thrown instanceof RpcError) || thrown.cause === undefined) return;
  const lacks = missingKey(describeError(thrown.cause));
  if (lacks !== undefined) log({ level: "error", message: `${name} failed: ${remembersBy(lacks)}; ${optionFor(lacks)}` });
  else if (verbose) log({ level: "error", message: `${name} failed`, error: thrown.cause });
  else log({ level: "error", message: `${name} failed; --verbose says what its error says` });
}

function describe(result: ReadResult | Failure): string {
  const paint = paintFor();
  if ("error" in result) return `${paint.bad("failed")}  ${printable(JSON.stringify(result.error), 1000)}\n`;
  const lines = [outcome(result, paint)];
  if (result.type === "validation") {
    for (const { severity, message, path } of result.messages ?? []) lines.push(`  ${severity}: ${printable(message, 1000)}${path === undefined ? "" : ` at ${printable(path)}`}`);
  }
  if (result.info !== undefined) lines.push(`  info: ${printable(JSON.stringify(result.info), 1000)}`);
  if (result.type === "mutation" && result.modified) lines.push(JSON.stringify(result.payload, null, 2));
  return `${lines.join("\n")}\n`;
}

function outcome(result: ReadResult, paint: Paint): string {
  if (result.type === "sink") return "takes note";
  if (result.type === "mutation") return result.modified ? paint.warn("changes the message") : paint.good("leaves the message as it is");
  return blocks(result) ? paint.bad("refuses the message") : paint.good("lets the message pass");
}
