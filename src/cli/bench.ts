import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import { currentOf } from "../core/guard/chain-source.ts";
import { isErrorResponse, isResult } from "../core/wire/message.ts";
import { benchMessage, representativeMessages, type BenchMessage, type BenchRow } from "../gateway/config/bench.ts";
import { readRecording, UNKNOWN_EVENT } from "../gateway/recording.ts";
import { configFile } from "./config-options.ts";
import { printable } from "./describe.ts";
import { describeUnread, UsageError } from "./errors.ts";
import { eventNamed } from "./event.ts";
import { type ParsedOptions, wholeOption } from "./options.ts";
import { objectOption, principalOption } from "./payload.ts";
import { progressOn } from "./progress.ts";
import { runSession, SESSION_OPTIONS } from "./session.ts";
import { upstreamNamed } from "./target.ts";
import { columns, paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

const RUN_MS = 400;
const MOST_MS = 60_000;
const MAX_RECORDED = 20;

interface UpstreamCost {
  readonly upstream: string;
  readonly rows: readonly BenchRow[];
}

/** `bench CONFIG`: what a configuration costs. */
export const bench = defineVerb({
  name: "bench",
  words: "file",
  usage: "CONFIG [OPTIONS]",
  about: `Runs messages through the chain before each upstream, one after the other, and
prints what that takes: a list of tools, a call, and results of 1 to 256 KiB, or
messages of your own. Measures the chain alone, not the gateway around it.
Nothing reaches an upstream; interceptor servers and services are called really,
and see all these messages. Each is of a session of its own, and of the user
"bench".`,
  options: [
    { name: "upstream", value: "NAME", names: "upstreams", help: "the chain before this upstream alone" },
    { name: "payload", value: "FILE|-|JSON", help: "measure with this message: method and params, for an answer also result or error" },
    { name: "recording", value: "FILE", help: `measure with the first ${MAX_RECORDED} messages of a recording` },
    { name: "tool", value: "NAME", help: "the tool that the messages are about; search unless said otherwise" },
    { name: "principal", value: "FILE|JSON", help: "who calls" },
    { name: "time", value: "MS", help: `how long each message is measured; ${RUN_MS} unless said otherwise` },
    ...SESSION_OPTIONS.filter(({ name }) => name === "timeout" || name === "verbose"),
    JSON_OPTION,
  ],
  examples: ["mcp-interceptors bench gateway.jsonc", `mcp-interceptors bench gateway.jsonc --upstream files \\\n    --payload '{"method":"tools/call","params":{"name":"search"}}'`],
  exit: "Exit code: 0; 1 where an interceptor failed or time ran out, 2 for a wrong word\nor configuration.",
  async action(parsed) {
    const file = configFile("bench", { ...parsed, values: new Map() });
    const runMs = wholeOption(parsed.values, "time", MOST_MS, " of milliseconds") ?? RUN_MS;
    const principal = principalOption(parsed) ?? { type: "user", id: "bench" };
    const only = parsed.values.get("upstream")?.[0];
    const messages = await messagesOf(parsed);
    return runSession({ ...parsed, positionals: [], values: new Map([...parsed.values, ["config", [file]]]) }, async ({ config, signal, secrets }) => {
      if (config === undefined) throw new UsageError("the configuration is missing", "mcp-interceptors bench CONFIG");
      const upstreams = only === undefined ? [...config.chains.keys()] : [upstreamNamed(config, only)];
      const progress = progressOn(process.stderr);
      const costs: UpstreamCost[] = [];
      for (const upstream of upstreams) {
        const chain = currentOf(config.plan.chain(upstream)).current();
        const rows: BenchRow[] = [];
        for (const message of messages) {
          progress.tell(`${printable(upstream)}: ${printable(message.name)}`);
          rows.push(await benchMessage(chain, message, { runMs, principal, signal }));
        }
        costs.push({ upstream, rows });
      }
      progress.end();
      return () => {
        const shown = secrets.hideIn(costs);
        if (parsed.values.has("json")) printJson(shown);
        else process.stdout.write(shown.map(describe).join("\n"));
        return { code: costs.some(({ rows }) => rows.some(({ failed }) => failed > 0)) ? 1 : 0 };
      };
    });
  },
});

async function messagesOf(parsed: ParsedOptions): Promise<readonly BenchMessage[]> {
  const recording = parsed.values.get("recording")?.[0];
  const payload = objectOption(parsed, "payload");
  if (recording !== undefined && payload !== undefined) throw new UsageError("--payload and --recording are two sources of messages", "measure one after the other");
  if (recording !== undefined) return recordedMessages(recording);
  if (payload !== undefined) return [givenMessage(payload)];
  return representativeMessages(parsed.values.get("tool")?.[0] ?? "search");
}

function givenMessage({ method, params = {}, result, error }: JsonObject): BenchMessage {
  const hint = `--payload '{ "method": "tools/call", "params": { … } }'`;
  if (method === undefined) throw new UsageError("--payload needs a method", hint);
  const event = eventNamed(method, "the method of --payload");
  const [payload, phase] = result !== undefined ? [result, "response" as const] : error !== undefined ? [{ error }, "response" as const] : [params, "request" as const];
  if (!isObject(params) || !isObject(payload)) throw new UsageError(`--payload: params and result must be objects`, hint);
  return { name: phase === "request" ? event : `${event} answer`, event, phase, payload, ...(phase === "request" ? {} : { request: { method: event, params }, error: result === undefined }) };
}

async function recordedMessages(file: string): Promise<readonly BenchMessage[]> {
  const messages: BenchMessage[] = [];
  const asked = new Map<string, JsonObject>();
  try {
    for await (const one of readRecording(file)) {
      if (one.kind !== "message" || one.message === undefined || one.entry.event === UNKNOWN_EVENT) continue;
      const { message, entry: { event, phase, session, from, id }, line } = one;
      const name = `line ${line}: ${event}`;
      if ("method" in message) {
        const payload = message.params ?? {};
        asked.set(JSON.stringify([session, from, id]), payload);
        messages.push({ name, event, phase, payload });
      } else {
        const params = asked.get(JSON.stringify([session, from === "client" ? "server" : "client", id])) ?? {};
        const payload = isResult(message) ? message.result : isErrorResponse(message) ? { error: message.error } : {};
        messages.push({ name: `${name} answer`, event, phase, payload, request: { method: event, params }, error: isErrorResponse(message) });
      }
      if (messages.length >= MAX_RECORDED) break;
    }
  } catch (thrown) {
    throw new UsageError(thrown instanceof LocalError ? thrown.message : `--recording ${file}: ${describeUnread(thrown)}`);
  }
  if (messages.length === 0) throw new UsageError(`${file} has no message to measure with`);
  return messages;
}

function describe({ upstream, rows }: UpstreamCost): string {
  const paint = paintFor();
  const head = ["  message", "bytes", "p50 µs", "p99 µs", "mean µs", "a second", ""].map((word) => paint.dim(word));
  const table = rows.map(({ message, bytes, p50Us, p99Us, meanUs, perSecond, ...row }) => [
    `  ${printable(message)}`,
    String(bytes),
    microseconds(p50Us),
    microseconds(p99Us),
    microseconds(meanUs),
    String(Math.round(perSecond)),
    paint.warn(remarks(row).join(", ")),
  ]);
  const addresses = rows[0]?.interceptors.map(({ address }) => address) ?? [];
  const shares = rows.map(({ message, interceptors }) => [`  ${printable(message)}`, ...interceptors.map(({ p50Us, share }) => (p50Us === 0 ? "–" : `${microseconds(p50Us)} (${Math.round(share * 100)} %)`))]);
  const each = addresses.length === 0 ? "  no interceptor\n" : `\n${columns([["  p50 µs, and share", ...addresses.map((address) => printable(address))].map((word) => paint.dim(word)), ...shares])}\n`;
  return `${paint.bold(printable(upstream))}\n${columns([head, ...table])}\n${each}`;
}

function remarks({ runs, refused, failed }: Pick<BenchRow, "runs" | "refused" | "failed">): readonly string[] {
  const share = (count: number, what: string) => (count === 0 ? [] : [`${what} ${count === runs ? "each time" : `${count} times of ${runs}`}`]);
  return [...share(refused, "refused"), ...share(failed, "an interceptor failed")];
}

function microseconds(value: number): string {
  return value < 100 ? value.toFixed(1) : String(Math.round(value));
}
