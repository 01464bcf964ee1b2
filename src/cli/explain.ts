import type { JsonObject } from "../core/base/json.ts";
import { explain as trace, type ConditionTrace, type PhaseTrace, type UpstreamTrace } from "../gateway/config/explain.ts";
import { isAboutTask } from "../core/guard/task-table.ts";
import { askForTools } from "../gateway/config/learn-hints.ts";
import { configFile } from "./config-options.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import { eventNamed } from "./event.ts";
import type { ParsedOptions } from "./options.ts";
import { objectOption, principalOption } from "./payload.ts";
import { runSession, SESSION_OPTIONS } from "./session.ts";
import { upstreamNamed } from "./target.ts";
import { columns, type Paint, paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

/** `explain CONFIG --method M`: which rules apply to a message, and why. */
export const explain = defineVerb({
  name: "explain",
  words: "file",
  usage: "CONFIG --method METHOD [OPTIONS]",
  about: `Says for a request and the answer to it, or for a notification, which
interceptors of the configuration run in which order, which do not, and why:
hooks, conditions part by part, upstreams. Runs no interceptor, sends nothing.`,
  options: [
    { name: "method", value: "METHOD", help: "of the message: tools/call, resources/read" },
    { name: "tool", value: "NAME", help: "the tool that is called; with tasks/result and the like: whose call has created the task" },
    { name: "arguments", value: "FILE|-|JSON", help: "its arguments" },
    { name: "params", value: "FILE|-|JSON", help: "the params of any other request" },
    { name: "upstream", value: "NAME", names: "upstreams", help: "before this upstream alone" },
    { name: "principal", value: "FILE|JSON", help: "who calls: { \"type\": \"user\", \"id\": \"ada\", \"claims\": { … } }" },
    { name: "connect", help: "ask upstreams for their tools, as conditions may look at annotations" },
    ...SESSION_OPTIONS.filter(({ name }) => name === "timeout" || name === "verbose"),
    JSON_OPTION,
  ],
  examples: [`mcp-interceptors explain gateway.jsonc --tool delete_file \\\n    --principal '{"type":"user","claims":{"role":"admin"}}'`],
  exit: "Exit code: 0; 2 for a wrong word, file or configuration, 1 where a server of the\nconfiguration does not answer, or with --connect an upstream.",
  action(parsed) {
    const file = configFile("explain", { ...parsed, values: new Map() });
    const asked = readAsked(parsed);
    const only = parsed.values.get("upstream")?.[0];
    return runSession({ ...parsed, positionals: [], values: new Map([...parsed.values, ["config", [file]]]) }, async ({ config, log, signal, secrets }) => {
      if (config === undefined) throw new UsageError("the configuration is missing", "mcp-interceptors explain CONFIG --method METHOD");
      const names = only === undefined ? [...config.chains.keys()] : [upstreamNamed(config, only)];
      const unreachable = parsed.values.has("connect") ? await askForTools(config, names, log, signal) : new Map<string, string>();
      // Conditions may have secrets of the configuration in them.
      const traces = secrets.hideIn(
        names.map((name) => {
          const why = unreachable.get(name);
          return { ...trace(config, name, asked), ...(why === undefined ? {} : { error: why }) };
        }),
      );
      return () => {
        for (const [name, why] of unreachable) process.stderr.write(`mcp-interceptors: ${printable(name)} cannot be reached: ${printable(secrets.hide(why), 1000)}\n`);
        if (parsed.values.has("json")) printJson(traces);
        else process.stdout.write(traces.map((one) => describe(one, paintFor())).join("\n"));
        return { code: unreachable.size === 0 ? 0 : 1 };
      };
    });
  },
});

function readAsked(parsed: ParsedOptions): Parameters<typeof trace>[2] {
  const { values } = parsed;
  const tool = values.get("tool")?.[0];
  const method = eventNamed(values.get("method")?.[0] ?? (tool === undefined ? undefined : "tools/call"), "--method");
  const ofTask = isAboutTask(method);
  if (tool !== undefined && method !== "tools/call" && !ofTask) throw new UsageError(`--tool goes with tools/call, not with ${method}`);
  const args = objectOption(parsed, "arguments");
  const call: JsonObject = { ...(tool === undefined ? {} : { name: tool }), ...(args === undefined ? {} : { arguments: args }) };
  const params = { ...objectOption(parsed, "params"), ...(ofTask ? {} : call) };
  const principal = principalOption(parsed);
  // Whatever else may create a task, clients do it with calls.
  const task = ofTask && (tool !== undefined || method === "tasks/result") ? { task: { method: "tools/call", params: call } } : {};
  return { method, params, ...task, context: principal === undefined ? {} : { principal } };
}

function describe({ upstream, allowed, elsewhere, phases }: UpstreamTrace, paint: Paint): string {
  const lines = [paint.bold(printable(upstream))];
  if (!allowed) lines.push(`  ${paint.bad("this caller may not come in")}: "allow" of the upstream does not hold`);
  for (const phase of phases) lines.push(describePhase(phase, paint));
  if (elsewhere.length > 0) lines.push(paint.dim(`  not before this upstream: ${elsewhere.map((name) => printable(name)).join(", ")}`));
  return `${lines.join("\n")}\n`;
}

function describePhase({ embedded, judgedAs, phase, order, rules }: PhaseTrace, paint: Paint): string {
  const place = new Map(order.flatMap((step, index) => step.map((address) => [address, index + 1] as const)));
  const sorted = [...rules].sort((left, right) => (place.get(left.address) ?? Infinity) - (place.get(right.address) ?? Infinity));
  const rows = sorted.map((rule) => {
    const how = [rule.mode === "audit" ? "audit" : "", rule.failOpen ? "fail-open" : ""].filter((word) => word !== "").join(", ");
    const state = rule.runs === true ? paint.good(`${place.get(rule.address) ?? ""}. runs`) : rule.runs === false ? paint.dim("   –") : paint.bad(`${place.get(rule.address) ?? ""}. fails`);
    return { row: [`    ${state}`, printable(rule.address), how, printable(rule.why, 200)], condition: rule.condition };
  });
  const title = embedded !== undefined ? `embedded ${printable(embedded)}, ${phase}` : judgedAs !== undefined ? `${phase}: the task's result, judged as the answer to ${printable(judgedAs)}` : phase;
  if (rows.length === 0) return `  ${title}: no interceptor`;
  const table = columns(rows.map(({ row }) => row)).split("\n");
  return [`  ${title}`, ...rows.flatMap(({ condition }, index) => [table[index] ?? "", ...(condition === undefined ? [] : describeCondition(condition, 8, paint))])].join("\n");
}

function describeCondition({ text, holds, why, parts }: ConditionTrace, indent: number, paint: Paint): readonly string[] {
  const mark = holds === true ? paint.good("yes") : holds === false ? paint.bad("no ") : paint.warn("?  ");
  const line = `${" ".repeat(indent)}${mark} ${printable(text, 200)}${why === undefined ? "" : ` (${printable(why, 200)})`}`;
  return [line, ...parts.flatMap((part) => describeCondition(part, indent + 4, paint))];
}
