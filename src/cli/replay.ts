import { LocalError } from "../core/base/errors.ts";
import { ownMember } from "../core/base/json.ts";
import type { ChainLog } from "../core/chain/report.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import type { BuiltPlan } from "../gateway/config/build.ts";
import { compareFates, createReplayer, type Comparison, type Fate, type Verdict } from "../gateway/config/replay.ts";
import { readRecording, type RecordedMessage, type RecordingLine } from "../gateway/recording.ts";
import { DEFAULT_REPLACEMENT } from "../library/redact-config.ts";
import { saysKeyless } from "../library/state.ts";
import { nodeHost } from "../node/host.ts";
import { counted, printable } from "./describe.ts";
import { describeUnread, UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import type { ParsedOptions } from "./options.ts";
import { principalOption } from "./payload.ts";
import { progressOn } from "./progress.ts";
import { runSession, SESSION_OPTIONS, type Session } from "./session.ts";
import { unlessAborted } from "./start-watch.ts";
import { openConfig, upstreamNamed } from "./target.ts";
import { type Paint, paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

/** `replay FILE --config A`: what configurations make of a recorded session. */
export const replay = defineVerb({
  name: "replay",
  words: "file",
  usage: "FILE --config A [--against B] [OPTIONS]",
  about: `Runs the messages of a recording, in their order and each session by itself,
through the guard that a gateway with the configuration has before an upstream,
and says which are refused by whom, and where they are changed. With --against
the same for another configuration, and where the two differ: in what the other
side gets. Without it A is compared with letting everything pass. Prints no
payload. FILE is - for stdin.

No upstream is reached or started; modules, interceptor servers and services of
the configuration are, and do what they do. Ready-made interceptors live in the
time of the recording, so that limits by time hold as they would have; others
have the time of now. What was masked when it was recorded is a mask here, too.
An answer to a request that is refused is "unreached", and no difference.`,
  options: [
    { name: "config", short: "c", value: "FILE", help: "the configuration A" },
    { name: "against", value: "FILE", help: "the configuration B" },
    { name: "upstream", value: "NAME", names: "upstreams", help: "before this upstream; needed where a configuration has several" },
    { name: "principal", value: "FILE|JSON", help: "who calls, where the recording does not say" },
    { name: "all", help: "list all messages, not only those that differ" },
    ...SESSION_OPTIONS.filter(({ name }) => name === "timeout" || name === "verbose"),
    JSON_OPTION,
  ],
  examples: ["mcp-interceptors replay session.jsonl --config gateway.jsonc \\\n    --against next.jsonc"],
  exit: "Exit code: 0 where A and B agree (without B: where A lets everything pass as it\nis), 1 where they differ, 2 for a wrong word, configuration or file,\nand for a recording of which nothing can be read.",
  action(parsed) {
    const [file, ...more] = parsed.positionals;
    const [a] = parsed.values.get("config") ?? [];
    const [b] = parsed.values.get("against") ?? [];
    if (file === undefined || more.length > 0) throw new UsageError(file === undefined ? "the recording is missing" : `unexpected ${JSON.stringify(more[0])}`, "mcp-interceptors replay FILE --config A");
    if (a === undefined) throw new UsageError("--config is missing", "mcp-interceptors replay FILE --config A");
    const principal = principalOption(parsed);
    // The configurations are opened here, under the clock of the recording.
    const values = new Map([...parsed.values].filter(([name]) => name !== "config"));
    return runSession({ ...parsed, values }, (session) => play(parsed, { file, a, b, principal }, session));
  },
});

interface Side {
  readonly built: BuiltPlan;
  put(entry: RecordedMessage, message: Parameters<ReturnType<typeof createReplayer>["put"]>[1]): Promise<Fate>;
}

/** A message and its fates, without payloads: a long recording is more than fits. */
interface Row extends Comparison, Pick<RecordedMessage, "at" | "session" | "from" | "kind" | "event" | "id"> {
  readonly line: number;
  readonly tool?: string;
  readonly a: Shown;
  readonly b?: Shown;
}

type Shown = Omit<Fate, "message">;

interface Notes {
  full: boolean;
  unreadable: number;
  /** The first line that is. */
  firstUnreadable?: Extract<RecordingLine, { kind: "unreadable" }>;
  /** Messages that hold masks. */
  masked: number;
  /** Interceptors that failed for want of somebody who calls. */
  readonly keyless: Set<string>;
}

interface Task {
  readonly file: string;
  readonly a: string;
  readonly b: string | undefined;
  readonly principal: Principal | undefined;
}

async function play(parsed: ParsedOptions, { file, a, b, principal }: Task, { log, chainLog, signal, secrets }: Session): Promise<() => Exit> {
  let now = 0;
  const notes: Notes = { full: false, unreadable: 0, masked: 0, keyless: new Set() };
  const host = { ...nodeHost(), now: () => now, wallTime: () => now };
  const noting = (entry: ChainLog) => {
    if (entry.address !== undefined && saysKeyless(entry.message)) notes.keyless.add(entry.address);
    chainLog(entry);
  };
  const closers: (() => Promise<void>)[] = [];
  const openSide = async (config: string): Promise<Side> => {
    const built = await openConfig(config, { log, chainLog: noting, signal, secrets, host });
    closers.push(() => built.close());
    const upstream = upstreamNamed(built, parsed.values.get("upstream")?.[0]);
    const replayer = createReplayer(built, { upstream, signal, ...(principal === undefined ? {} : { principal }) });
    closers.push(() => replayer.close());
    return { built, put: replayer.put };
  };
  try {
    const left = await openSide(a);
    const right = b === undefined ? undefined : await openSide(b);
    const rows: Row[] = [];
    const progress = progressOn(process.stderr);
    // A pipe may be silent for ever, and Ctrl-C ends that, too.
    const reading = linesIn(file);
    for (;;) {
      const { value: one, done } = await unlessAborted(reading.next(), signal);
      if (done === true) break;
      if (one.kind === "full") notes.full = true;
      if (one.kind === "unreadable") {
        notes.unreadable++;
        notes.firstUnreadable ??= one;
      }
      if (one.kind !== "message") continue;
      const { line, entry, message } = one;
      if (holdsMasks(message)) notes.masked++;
      // Clocks do not go back.
      now = Math.max(now, Date.parse(entry.at));
      const fate = await left.put(entry, message);
      const other = await right?.put(entry, message);
      const untouched: Fate = { verdict: "passed", ...(message === undefined ? {} : { message }) };
      const compared = compareFates(other === undefined ? untouched : fate, other ?? fate);
      rows.push({ line, ...placeOf(entry), a: shown(fate), ...(other === undefined ? {} : { b: shown(other) }), ...compared });
      progress.tell(`${rows.length} messages`);
    }
    progress.end();
    // What says nothing about anything agrees with nothing.
    if (rows.length === 0 && notes.firstUnreadable !== undefined) throw new UsageError(`nothing of ${file} can be read: ${describeUnreadable(notes)}`, RECORDED);
    return () => {
      const shown = secrets.hideIn(rows);
      for (const warning of warningsOf(notes)) process.stderr.write(`mcp-interceptors: warning: ${warning}\n`);
      if (parsed.values.has("json")) printJson(asJson(shown, notes));
      else process.stdout.write(describe(shown, parsed.values.has("all"), { a, b }));
      return { code: rows.every(({ agree }) => agree) ? 0 : 1 };
    };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function placeOf({ at, session, from, kind, event, id, params }: RecordedMessage): Pick<Row, "at" | "session" | "from" | "kind" | "event" | "id" | "tool"> {
  const tool = event === "tools/call" && params !== undefined ? ownMember(params, "name") : undefined;
  return { at, session, from, kind, event, ...(id === undefined ? {} : { id }), ...(typeof tool === "string" ? { tool } : {}) };
}

function shown({ message: _payload, ...fate }: Fate): Shown {
  return fate;
}

const RECORDED = "a recording is what mcp-interceptors record has written";

function describeUnreadable({ unreadable, firstUnreadable }: Notes): string {
  const { line, why } = firstUnreadable ?? { line: 0, why: "" };
  return `${unreadable === 1 ? "" : `${unreadable} lines, the first `}line ${line}: ${printable(why, 200)}`;
}

async function* linesIn(file: string): ReturnType<typeof readRecording> {
  try {
    // Of a stream without an encoding: buffers.
    yield* file === "-" ? readRecording("stdin", process.stdin as AsyncIterable<Buffer>) : readRecording(file);
  } catch (thrown) {
    throw new UsageError(thrown instanceof LocalError ? thrown.message : `${file}: ${describeUnread(thrown)}`, RECORDED);
  }
}

// As `record` has written them, by the ready-made interceptors with their default config.
function holdsMasks(message: unknown): boolean {
  const [before = ""] = DEFAULT_REPLACEMENT.split("{type}");
  return JSON.stringify(message)?.includes(before) === true;
}

function warningsOf(notes: Notes): readonly string[] {
  const { full, unreadable, masked, keyless } = notes;
  return [
    ...(keyless.size === 0 ? [] : [`${[...keyless].map((address) => printable(address)).join(", ")} failed for want of somebody who calls: --principal '{"id":"ada"}' says who`]),
    ...(masked === 0 ? [] : [`${masked === 1 ? "1 message holds" : `${masked} messages hold`} masks of when it was recorded, and interceptors judge these: record --raw keeps what was there`]),
    ...(unreadable === 0 ? [] : [`${counted(unreadable, "line")} of the recording cannot be read and ${unreadable === 1 ? "was" : "were"} passed over (${describeUnreadable(notes)})`]),
    ...(full ? ["the recording became full: what came after that is not in it"] : []),
  ];
}

interface SideSummary {
  readonly verdicts: Partial<Record<Verdict, number>>;
  /** By interceptor, or by reason where none decided. */
  readonly blockedBy: Readonly<Record<string, number>>;
}

function summaryOf(fates: readonly Shown[]): SideSummary {
  const count = (words: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return Object.fromEntries(counts);
  };
  const stopped = fates.filter(({ verdict }) => verdict === "blocked" || verdict === "dropped");
  return { verdicts: count(fates.map(({ verdict }) => verdict)), blockedBy: count(stopped.map(({ by, reason }) => by ?? reason ?? "unknown")) };
}

function asJson(rows: readonly Row[], { unreadable }: Notes) {
  const sides = { a: summaryOf(rows.map(({ a }) => a)), ...(rows[0]?.b === undefined ? {} : { b: summaryOf(rows.flatMap(({ b }) => b ?? [])) }) };
  return { messages: rows, summary: { messages: rows.length, differ: rows.filter(({ agree }) => !agree).length, ...(unreadable === 0 ? {} : { unreadable }), ...sides } };
}

const MAX_POINTERS = 10;

function describe(rows: readonly Row[], all: boolean, { a, b }: { readonly a: string; readonly b: string | undefined }): string {
  const paint = paintFor();
  const lines = rows.filter(({ agree }) => all || !agree).flatMap((row) => describeRow(row, paint));
  const differ = rows.filter(({ agree }) => !agree).length;
  const total = `${rows.length} ${rows.length === 1 ? "message" : "messages"}`;
  const verdict = b === undefined ? (differ === 0 ? "all pass as they are" : `${differ} refused or changed`) : differ === 0 ? "A and B agree" : `A and B differ in ${differ}`;
  const sides = [`A, ${printable(a, 200)}: ${describeSummary(summaryOf(rows.map((row) => row.a)))}`, ...(b === undefined ? [] : [`B, ${printable(b, 200)}: ${describeSummary(summaryOf(rows.flatMap((row) => row.b ?? [])))}`])];
  return `${lines.length === 0 ? "" : `${lines.join("\n")}\n\n`}${(differ === 0 ? paint.good : paint.bad)(`${total}: ${verdict}`)}\n${sides.join("\n")}\n`;
}

function describeRow({ line, event, tool, kind, id, from, a, b, differences }: Row, paint: Paint): readonly string[] {
  const what = `${printable(event)}${tool === undefined ? "" : ` ${printable(tool)}`}`;
  return [
    `${paint.bold(what)}  ${kind}${id === undefined ? "" : ` ${printable(JSON.stringify(id))}`} of the ${from}, line ${line}`,
    `  ${b === undefined ? "" : "A  "}${describeFate(a, paint)}`,
    ...(b === undefined ? [] : [`  B  ${describeFate(b, paint)}`]),
    ...(b === undefined || differences.length === 0 ? [] : [`  differ at ${pointers(differences)}`]),
  ];
}

function describeFate({ verdict, by, reason, code, changes = [] }: Shown, paint: Paint): string {
  if (verdict === "passed") return paint.good("passes");
  if (verdict === "changed") return `${paint.warn("is changed")}${changes.length === 0 ? "" : ` at ${pointers(changes)}`}`;
  if (verdict === "unreached" || verdict === "withheld") return paint.dim(verdict);
  return `${paint.bad(verdict === "blocked" ? "is blocked" : "is dropped")}${by === undefined ? "" : ` by ${printable(by)}`}: ${reason ?? "unknown"}${code === undefined ? "" : ` (${code})`}`;
}

function pointers(changes: Comparison["differences"]): string {
  const shown = changes.slice(0, MAX_POINTERS).map(({ pointer, kind }) => `${printable(pointer === "" ? "(all of it)" : pointer, 200)}${kind === "replaced" ? "" : ` (${kind})`}`);
  return `${shown.join(", ")}${changes.length > MAX_POINTERS ? ` and ${changes.length - MAX_POINTERS} more` : ""}`;
}

function describeSummary({ verdicts, blockedBy }: SideSummary): string {
  const words = Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  const by = Object.entries(blockedBy).map(([name, count]) => `${printable(name)} ${count}`);
  return `${words.join(", ") || "nothing"}${by.length === 0 ? "" : `; stopped by ${by.join(", ")}`}`;
}
