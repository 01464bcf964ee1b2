import { RpcError } from "../core/base/errors.ts";
import { diffJson } from "../core/base/json-diff.ts";
import { isObject, type JsonObject, parsePointer } from "../core/base/json.ts";
import { valueAt } from "../core/base/json-pointer.ts";
import type { Chain } from "../core/chain/chain.ts";
import type { Direction, Plan } from "../core/chain/plan.ts";
import { currentOf } from "../core/guard/chain-source.ts";
import type { ChainResult, ChainResultEntry } from "../core/chain/result.ts";
import type { BuiltPlan } from "../gateway/config/build.ts";
import type { InterceptorsConfig } from "../gateway/config/config.ts";
import { labelsOf } from "../gateway/config/names.ts";
import { readyMade } from "../library/catalog.ts";
import { unseenBy } from "../core/guard/judge.ts";
import { followingCases, type Case } from "../core/guard/routes.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { casesOf, directionAtFace, messageOf } from "../gateway/config/trial.ts";
import { createChain } from "../node/chain.ts";
import { isModulePath } from "../node/load-module.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import { MESSAGE_OPTIONS, optionFor, readMessage, REFUSED } from "./invoke.ts";
import { runSession, SESSION_OPTIONS, type Session } from "./session.ts";
import { TARGETS, upstreamNamed } from "./target.ts";
import { columns, paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";
import { isHttpUrl } from "./words.ts";

/** `chain TARGET…`: one message through a chain. */
export const chain = defineVerb({
  name: "chain",
  words: "target",
  usage: "TARGET… --event EVENT [OPTIONS]",
  about: `Puts the interceptors of the targets into one chain, runs a message through it,
and shows the plan, what each said, and what became of the payload.

${TARGETS}

With -c, --upstream and no target: the chain that stands before that upstream,
with the conditions and settings of the configuration.`,
  options: [
    ...MESSAGE_OPTIONS,
    { name: "direction", value: "DIRECTION", choices: ["receiving", "sending"], help: "whether the message arrives or leaves; as at a server unless said otherwise: requests arrive there and answers leave, but for what servers ask of clients" },
    { name: "upstream", value: "NAME", names: "upstreams", help: "take the chain of this upstream of the configuration" },
    { name: "plan", help: "show what would run, and run nothing" },
    ...SESSION_OPTIONS,
    JSON_OPTION,
  ],
  examples: [
    `mcp-interceptors chain redact ./policy.ts --event tools/call \\\n    --payload '{"name":"search","arguments":{"q":"ada@example.com"}}'`,
    "mcp-interceptors chain -c gateway.jsonc --upstream files --event tools/list \\\n    --plan",
  ],
  exit: "Exit code: 0 where the message passes, 3 where the chain refuses it, 1 where\nit fails or runs out of time, or a target does not answer, 2 for a wrong word,\nfile or configuration.",
  action(parsed) {
    const { event, phase, payload, context } = readMessage(parsed);
    // The choices of the option are these.
    const direction = (parsed.values.get("direction")?.[0] as Direction | undefined) ?? directionAtFace(event, phase);
    return runSession(parsed, async (session) => {
      const made = await chainOf(parsed.positionals, parsed.values.get("upstream")?.[0], session);
      const result = await runCases(made, { event, phase, direction, payload }, (query) =>
        parsed.values.has("plan") ? undefined : made.execute({ ...query, signal: session.signal, revalidate: "if-modified", provenance: "pointers", ...(context === undefined ? {} : { context }) }),
      );
      return () => {
        const [lacks] = session.lacking.has("principal") ? ["principal" as const] : session.lacking;
        if (lacks !== undefined) session.log({ level: "error", message: optionFor(lacks) });
        const { hideIn } = session.secrets;
        // What interceptors are is nothing of the configuration; what they say may be.
        const shownOf = (run: Run): Run => ({ ...run, payload: hideIn(run.payload), result: hideIn(run.result) });
        const shown = { embedded: result.embedded.map(shownOf), own: result.own && shownOf(result.own), refusal: hideIn(result.refusal) };
        if (parsed.values.has("json")) printJson(asJson(shown, direction));
        else process.stdout.write(describeRuns(shown, direction));
        return { code: exitCodeOf(result) };
      };
    });
  },
});

interface Query {
  readonly event: string;
  readonly phase: Phase;
  readonly direction: Direction;
  readonly payload: unknown;
}

/** One thing that is judged of the message: itself, or what it embeds. */
interface Run extends Query {
  readonly plan: Plan;
  readonly result: ChainResult | undefined;
}

interface Runs {
  /** In the order of a guard: what is embedded first. */
  readonly embedded: readonly Run[];
  /** Absent where a message does nothing but ask for input, or what it embeds is refused. */
  readonly own: Run | undefined;
  /** Why no guard lets it through, whatever is in the chain. */
  readonly refusal: string | undefined;
}

async function runCases(chain: Chain, asked: Query, execute: (query: Query) => Promise<ChainResult> | undefined): Promise<Runs> {
  const { event, phase, direction, payload } = asked;
  const runOne = async (query: Query): Promise<Run> => ({ ...query, plan: chain.plan(query), result: await (await execute(query))?.settled });
  const cases = isObject(payload) ? casesFor(chain, event, phase, payload) : [];
  if (typeof cases === "string") return { embedded: [], own: undefined, refusal: cases };
  if (!isObject(payload) || cases.length === 0) return { embedded: [], own: await runOne(asked), refusal: undefined };
  let message = messageOf(phase === "request" ? { method: event, params: payload } : { method: event, result: payload });
  const runs: Run[] = [];
  const pending = [...cases];
  for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
    const run = await runOne({ event: item.event, phase: item.phase, direction, payload: item.payload(message) });
    runs.push(run);
    if (run.result !== undefined && run.result.status !== "success") break;
    if (run.result?.modified === true && isObject(run.result.finalPayload)) message = item.write(message, run.result.finalPayload);
    if (item === cases.at(-1) && phase === "request") pending.push(...followingCases(message, item.event));
  }
  const isOwn = (run: Run) => run.event === event && run.phase === phase;
  return { embedded: runs.filter((run) => !isOwn(run)), own: runs.find(isOwn), refusal: undefined };
}

function casesFor(chain: Chain, event: string, phase: Phase, payload: JsonObject): readonly Case[] | string {
  // A chain is given errors as `{ error }`, which embed nothing.
  if (phase === "response" && isObject(payload["error"])) return [];
  try {
    const cases = casesOf(phase === "request" ? { method: event, params: payload } : { method: event, result: payload }, chain);
    return unseenBy(chain, cases, { event, phase }) ?? cases;
  } catch (thrown) {
    if (thrown instanceof RpcError) return event === "tasks/result" ? "a guard judges it as the answer to the request that created the task: --event tools/call shows how" : thrown.message;
    throw thrown;
  }
}

function exitCodeOf({ embedded, own, refusal }: Runs): number {
  if (refusal !== undefined) return REFUSED;
  const result = [...embedded, own].map((run) => run?.result).find((one) => one !== undefined && one.status !== "success");
  if (result === undefined) return 0;
  return result.results.some(({ address, error }) => address === result.abortedAt?.address && error !== undefined) ? 1 : REFUSED;
}

function asJson({ embedded, own, refusal }: Runs, direction: Direction) {
  const runOf = ({ plan, result }: Run) => ({ plan: planOf(plan), ...(result === undefined ? {} : { result: { ...result, settled: undefined } }) });
  return {
    direction,
    ...(own === undefined ? { plan: [] } : runOf(own)),
    ...(embedded.length === 0 ? {} : { embedded: embedded.map((run) => ({ event: run.event, phase: run.phase, ...runOf(run) })) }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

function describeRuns({ embedded, own, refusal }: Runs, direction: Direction): string {
  if (refusal !== undefined) return `The message ${paintFor().bad("is refused")}: ${printable(refusal, 1000)}\n`;
  const describeRun = ({ plan, result, payload }: Run) => `${describePlan(plan, direction)}${result === undefined ? "" : `\n${describeResult(result, payload)}`}`;
  return [...embedded.map((run) => `${paintFor().bold(`embedded ${run.event}, ${run.phase}`)}\n${describeRun(run)}`), ...(own === undefined ? [] : [describeRun(own)])].join("\n");
}

async function chainOf(words: readonly string[], upstream: string | undefined, { config, open, signal, chainLog }: Session): Promise<Chain> {
  if (upstream !== undefined) {
    if (config === undefined) throw new UsageError("--upstream is a name of a configuration", "add -c FILE");
    if (words.length > 0) throw new UsageError("--upstream takes the chain of the configuration, and no target beside it");
    return currentOf(config.plan.chain(upstreamNamed(config, upstream))).current();
  }
  if (words.length === 0) throw new UsageError("no target is given", "mcp-interceptors chain TARGET… --event EVENT");
  const chain = createChain({ log: chainLog });
  const labels = labelsOf(words.map((word) => itemOf(word, config)));
  for (const [index, word] of words.entries()) {
    const { source } = await open(word, labels[index] ?? word);
    await chain.addSource(source, { signal });
  }
  return chain;
}

// As an item of a configuration, which gives it the name that it would have there.
function itemOf(word: string, config: BuiltPlan | undefined): InterceptorsConfig {
  const [made = ""] = word.split("=");
  if (config?.items.has(word) === true) return { use: word };
  if (readyMade.has(made)) return { use: made };
  if (isHttpUrl(word)) return { url: word };
  return isModulePath(word) ? { module: word } : { command: word };
}

function planOf({ steps }: Plan) {
  return steps.map(({ type, entries }) => ({ type, entries: entries.map(({ entry: { address, policy }, active }) => ({ address, mode: active ? "active" : "audit", failOpen: policy.failOpen, timeoutMs: policy.timeoutMs })) }));
}

function describePlan(plan: Plan, direction: Direction): string {
  const paint = paintFor();
  if (plan.steps.length === 0) return `${paint.bold("plan")}, ${direction}: no interceptor hooks this\n`;
  const rows = plan.steps.flatMap(({ type, entries }, index) =>
    entries.map(({ entry, active, incompatible }, at) => [
      at === 0 ? `  ${index + 1}. ${type === "mutation" ? "mutate, one after the other" : "validate, all together"}` : "",
      printable(entry.address),
      [active ? "" : "audit", entry.policy.failOpen ? "fail-open" : "", incompatible ?? ""].filter((word) => word !== "").join(", "),
    ]),
  );
  return `${paint.bold("plan")}, ${direction}\n${columns(rows)}\n`;
}

function describeResult(result: ChainResult, before: unknown): string {
  const paint = paintFor();
  const rows = result.results.map((entry) => [`  ${printable(entry.address)}`, verdictOf(entry), paint.dim(`${entry.elapsedMs.toFixed(1)} ms`)]);
  const outcome = result.status === "success" ? paint.good("passes") : paint.bad(result.status === "timeout" ? "runs out of time" : result.status === "mutation_failed" ? "fails" : "is refused");
  const by = result.abortedAt === undefined ? "" : `, by ${printable(result.abortedAt.address)}: ${printable(result.abortedAt.reason, 1000)}`;
  return `${paint.bold("results")}\n${rows.length === 0 ? "  none" : columns(rows)}\n\nThe message ${outcome}${by}\n${result.status === "success" ? describeChanges(before, result.finalPayload) : ""}`;
}

function verdictOf({ mode, revalidation, error, type, valid, severity, messages = [], modified }: ChainResultEntry): string {
  const paint = paintFor();
  const notes = [mode === "audit" ? "audit" : "", revalidation === true ? "again" : ""].filter((note) => note !== "").map((note) => paint.dim(` (${note})`)).join("");
  if (error !== undefined) return `${paint.bad("failed")}: ${error.reason}${error.failOpen === true ? ", and fails open" : ""}${notes}`;
  if (type === "mutation") return `${modified === true ? paint.warn("changed") : "unchanged"}${notes}`;
  const said = messages.map((message) => `${message.severity}: ${printable(message.message, 200)}`).join("; ");
  const verdict = valid === false && severity === "error" ? paint.bad("refuses") : paint.good("passes");
  return `${verdict}${said === "" ? "" : ` ${said}`}${notes}`;
}

const LONGEST_VALUE = 200;

/** What is different afterwards, a line for each place. */
export function describeChanges(before: unknown, after: unknown): string {
  const paint = paintFor();
  const at = (value: unknown, pointer: string) => printable(JSON.stringify(valueAt(value, parsePointer(pointer) ?? [])) ?? "", LONGEST_VALUE);
  const lines = diffJson(before, after).flatMap(({ pointer, kind }) => [
    `  ${paint.bold(printable(pointer === "" ? "(all of it)" : pointer, LONGEST_VALUE))}`,
    ...(kind === "added" ? [] : [paint.bad(`    - ${at(before, pointer)}`)]),
    ...(kind === "removed" ? [] : [paint.good(`    + ${at(after, pointer)}`)]),
  ]);
  return lines.length === 0 ? "" : `\n${paint.bold("changes")}\n${lines.join("\n")}\n`;
}
