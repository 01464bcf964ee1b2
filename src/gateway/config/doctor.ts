import { readdirSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { describeError, LocalError } from "../../core/base/errors.ts";
import { createSignal, type Signal } from "../../core/base/signal.ts";
import type { ChainLog } from "../../core/chain/report.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { auditStats, type AuditStatistics, type InterceptorStatistics } from "../audit-stats.ts";
import { keySetsAtUrls } from "./auth.ts";
import { buildPlan, createPools, type BuildOptions, type BuiltPlan } from "./build.ts";
import type { InterceptorsConfig, UpstreamConfig } from "./config.ts";
import { inTime } from "./in-time.ts";
import { escape, type LoadedConfig } from "./load.ts";
import { neverRuns } from "./never-runs.ts";
import { effectiveOrders, orderDoubts, type EffectiveOrder } from "./order-doubts.ts";
import { probeUpstream, type UpstreamFacts } from "./probe.ts";
import { unknownTools } from "./unknown-tools.ts";

/** How it went to open an item, or to reach an upstream. */
export interface Contact {
  readonly name: string;
  readonly pointer: string;
  /** `ready-made redact`, `module ./x.ts`, `command npx`, a URL. */
  readonly what: string;
  readonly ms: number;
  /** Interceptors of an item. */
  readonly interceptors?: readonly string[];
  /** What an upstream says of itself. */
  readonly facts?: UpstreamFacts;
  readonly error?: string;
}

/** Something that is wrong (`problem`), or that cannot be told or need not be wrong (`note`). */
export interface Finding {
  readonly level: "problem" | "note";
  readonly about: "reach" | "match" | "order" | "fired";
  /** `file:line:column: /pointer what`. */
  readonly what: string;
  readonly todo: string;
}

/** What an interceptor of a chain has done, by an audit log. */
export interface Fired {
  /** Its address, ITEM/NAME, as `check` has it. */
  readonly name: string;
  readonly pointer: string;
  readonly stats: InterceptorStatistics | undefined;
}

export interface Diagnosis {
  readonly items: readonly Contact[];
  /** Empty where none was asked. */
  readonly upstreams: readonly Contact[];
  readonly orders: readonly EffectiveOrder[];
  /** Absent without an audit log to read. */
  readonly audit?: Pick<AuditStatistics, "decisions" | "first" | "last" | "unreadable"> & { readonly files: readonly string[] };
  readonly fired: readonly Fired[];
  readonly findings: readonly Finding[];
}

export interface DiagnoseOptions {
  readonly log: Log;
  readonly chainLog: (entry: ChainLog) => void;
  readonly signal: Signal;
  /** Whether upstreams are asked what they are. */
  readonly connect: boolean;
  /** How long each item and upstream has to answer. */
  readonly eachMs: number;
  /** Audit logs to read in place of the one that the configuration names. */
  readonly auditFiles: readonly string[];
  /** Milliseconds since the epoch: decisions from then on count. */
  readonly since?: number;
}

/**
 * Looks at a configuration as it would run: opens each item by itself, so that a broken one hides no other, asks upstreams, and reads the audit log. Rejects with a
 * `ConfigError` where no plan can be made of it, and with the reason of `signal`.
 */
export async function diagnose(loaded: LoadedConfig, options: DiagnoseOptions): Promise<Diagnosis> {
  const { log, chainLog, signal } = options;
  const items = new Map<string, Contact>();
  const around: BuildOptions["around"] = async ({ item, pointer, label }, open) => {
    const contact = { name: label, pointer, what: describeItem(item) };
    const { value, ms, error } = await inItsTime(options, open, (late) => late.release());
    const interceptors = value?.listed.map((one) => nameIn(one));
    items.set(pointer, { ...contact, ms, ...(interceptors === undefined ? {} : { interceptors }), ...(error === undefined ? {} : { error }) });
    return value;
  };
  const built = await buildPlan(loaded, { pools: createPools(), log, chainLog, signal, dry: true, around });
  try {
    const upstreams = options.connect ? await Promise.all([...built.upstreams].map(([name, { plan, config }]) => probe(name, plan, config, { ...options, limits: loaded.config.limits }))) : [];
    const keySets = options.connect ? await keySetsAtUrls(loaded) : [];
    if (signal.aborted) throw signal.reason;
    const contacts = [...items.values()].sort((left, right) => left.pointer.localeCompare(right.pointer, "en", { numeric: true }));
    const facts = new Map(upstreams.flatMap(({ name, facts: one }) => (one === undefined ? [] : [[name, one] as const])));
    const { audit, fired, findings } = await firedLately(built, options);
    return {
      items: contacts,
      upstreams,
      orders: effectiveOrders(built),
      ...(audit === undefined ? {} : { audit }),
      fired,
      findings: [...reachFindings(built, contacts, upstreams), ...keySets.map(keySetFinding), ...matchFindings(built, facts), ...orderFindings(built), ...findings],
    };
  } finally {
    await built.close();
  }
}

interface Attempt<T> {
  readonly value?: T;
  readonly ms: number;
  readonly error?: string;
}

async function inItsTime<T>({ signal, eachMs }: DiagnoseOptions, work: (signal: Signal) => Promise<T>, giveBack: (late: T) => unknown): Promise<Attempt<T>> {
  const stop = createSignal(signal);
  const timer = setTimeout(() => stop.abort(new LocalError("timeout", `it has not answered within ${eachMs} ms`)), eachMs);
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  try {
    return { value: await inTime(work(stop.signal), stop.signal, giveBack), ms: ms() };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    return { error: describeError(stop.signal.aborted ? stop.signal.reason : thrown), ms: ms() };
  } finally {
    clearTimeout(timer);
    stop.dispose();
  }
}

interface ProbeContext extends DiagnoseOptions {
  readonly limits: LoadedConfig["config"]["limits"];
}

async function probe(name: string, plan: Parameters<typeof probeUpstream>[0], config: UpstreamConfig, context: ProbeContext): Promise<Contact> {
  const { log, limits } = context;
  const { value, ms, error } = await inItsTime(context, (signal) => probeUpstream(plan, { log, limits, signal }), () => {});
  return { name, pointer: `/upstreams/${escape(name)}`, what: describeServer(config), ms, ...(value === undefined ? {} : { facts: value }), ...(error === undefined ? {} : { error }) };
}

function nameIn(listed: unknown): string {
  return typeof listed === "object" && listed !== null && "name" in listed ? String(listed.name) : "?";
}

function describeItem(item: InterceptorsConfig): string {
  return item.use === undefined ? describeServer(item) : `ready-made ${item.use}`;
}

function describeServer({ module, command, url }: Pick<UpstreamConfig, "module" | "command" | "url">): string {
  return module !== undefined ? `module ${module}` : command !== undefined ? `command ${command}` : (url ?? "");
}

// As `check` has it, without the word that tells a warning from an error.
function placed({ loaded }: BuiltPlan, pointer: string, message: string): string {
  return bare(loaded.problems().warning(pointer, message));
}

function bare(warning: string): string {
  return warning.replace(": warning: ", ": ");
}

function reachFindings(built: BuiltPlan, items: readonly Contact[], upstreams: readonly Contact[]): readonly Finding[] {
  const finding = ({ pointer, name, what, ms, error }: Contact, todo: string): readonly Finding[] =>
    error === undefined ? [] : [{ level: "problem", about: "reach", what: placed(built, pointer, `${name} cannot be used (${what}, after ${ms} ms): ${error}`), todo }];
  return [...items.flatMap((item) => finding(item, todoFor(item.what))), ...upstreams.flatMap((upstream) => finding(upstream, "start it by itself, and see what it says"))];
}

function keySetFinding(line: string): Finding {
  return { level: "problem", about: "reach", what: bare(line), todo: "ask the issuer where its keys are: its metadata has jwks_uri" };
}

function todoFor(what: string): string {
  const [kind, name] = what.split(" ");
  if (kind === "ready-made") return `see what its config takes: mcp-interceptors help ${name}`;
  return kind === "module" ? "load it by itself: mcp-interceptors list takes its path" : "start it by itself: mcp-interceptors list takes its command, in quotes, or its URL";
}

function matchFindings(built: BuiltPlan, facts: ReadonlyMap<string, UpstreamFacts>): readonly Finding[] {
  const idle = neverRuns(built, facts).map((line): Finding => ({ level: "problem", about: "match", what: bare(line), todo: "make its events, upstreams and condition fit what is there, or take it out" }));
  const odd = built.warnings.map((line): Finding => ({ level: "problem", about: "match", what: bare(line), todo: "change that member of the configuration" }));
  const unknown = unknownTools(built, facts).map((line): Finding => ({ level: "problem", about: "match", what: bare(line), todo: "name a tool that is there, or take the name out" }));
  return [...odd, ...idle, ...unknown];
}

function orderFindings(built: BuiltPlan): readonly Finding[] {
  return orderDoubts(built).map(({ pointer, message, todo }): Finding => ({ level: "problem", about: "order", what: placed(built, pointer, message), todo }));
}

async function firedLately(built: BuiltPlan, { auditFiles, since }: DiagnoseOptions): Promise<Pick<Diagnosis, "audit" | "fired" | "findings">> {
  const { loaded } = built;
  const named = loaded.config.audit?.file;
  const note = (pointer: string, message: string, todo: string): Finding => ({ level: "note", about: "fired", what: placed(built, pointer, message), todo });
  if (auditFiles.length === 0 && named === undefined) {
    return { fired: [], findings: [note("", "has no audit, so nobody can tell what has fired", 'add "audit": { "file": "audit.jsonl" }, or name logs with --audit')] };
  }
  const files = auditFiles.length > 0 ? auditFiles : logsAt(resolve(loaded.folder, named ?? ""));
  if (files.length === 0) return { fired: [], findings: [note("/audit/file", "is not there: no gateway has written it yet", "run the gateway, or name logs with --audit")] };
  const { interceptors, decisions, first, last, unreadable } = await auditStats(files, since === undefined ? {} : { since });
  const fired = firedOf(built, interceptors);
  const findings = fired.flatMap(({ name, pointer, stats }): Finding[] => {
    if (stats === undefined) return decisions === 0 ? [] : [note(pointer, `${name} has not run in ${decisions} decisions`, "see whether messages of its kind come at all: mcp-interceptors explain")];
    const failures = Object.entries(stats.failures);
    if (failures.length === 0) return [];
    const went = stats.failedOpen === 0 ? "" : `; ${stats.failedOpen} messages went on all the same`;
    const what = `${name} has failed: ${failures.map(([reason, count]) => `${reason} ${count}`).join(", ")} of ${stats.ran}${went}`;
    const todo = stats.failedOpen === 0 ? "see the gateway's own log for why; what it failed on was refused" : "see the gateway's own log for why; take failOpen away where nothing may pass unjudged";
    return [{ level: "problem", about: "fired", what: placed(built, pointer, what), todo }];
  });
  const nothing = decisions === 0 ? [note("/audit/file", "has no decision of that time", "send a message through the gateway, or look further back")] : [];
  return { audit: { files, decisions, unreadable, ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }, fired, findings: [...nothing, ...findings] };
}

function firedOf({ chains, items }: BuiltPlan, statistics: AuditStatistics["interceptors"]): readonly Fired[] {
  const known = new Map<string, Fired>();
  const entries = [...chains.values()].flatMap(({ chain }) => chain.entries);
  for (const { name, address, label } of entries) {
    const pointer = items.get(label)?.pointer;
    // What the gateway puts in itself is nobody's to look after.
    if (pointer === undefined || known.has(address)) continue;
    // Logs of before have names alone, which say nothing where two items have one.
    const key = [address, ...(entries.some((other) => other.name === name && other.address !== address) ? [] : [name])].find((one) => Object.hasOwn(statistics, one));
    known.set(address, { name: address, pointer, stats: key === undefined ? undefined : statistics[key] });
  }
  return [...known.values()];
}

/** A log, those of workers beside it, and the renamed files of each. */
function logsAt(path: string): readonly string[] {
  const ending = extname(path);
  const stem = basename(path, ending);
  const ours = (name: string) => name.startsWith(stem) && /^(?:\.\d{1,4})?$/.test(name.slice(stem.length, name.length - ending.length)) && name.endsWith(ending);
  try {
    const names = readdirSync(dirname(path)).filter((name) => ours(name) || (/\.\d{6}$/.test(name) && ours(name.slice(0, -7))));
    return names.sort().map((name) => join(dirname(path), name));
  } catch {
    // No folder, no log.
    return [];
  }
}
