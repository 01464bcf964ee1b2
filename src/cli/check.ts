import { networkInterfaces } from "node:os";
import { describeError } from "../core/base/errors.ts";
import { formatCoverage } from "../core/guard/coverage-text.ts";
import { guardCoverage } from "../core/guard/coverage.ts";
import { affinities, formatAffinities } from "../gateway/config/affinity.ts";
import { keySetsAtUrls } from "../gateway/config/auth.ts";
import { buildPlan, createPools, type BuiltPlan } from "../gateway/config/build.ts";
import { loadConfig, type LoadedConfig } from "../gateway/config/load.ts";
import { neverRuns } from "../gateway/config/never-runs.ts";
import { warnOfHosts } from "../gateway/config/ports.ts";
import { probeUpstream, type UpstreamFacts } from "../gateway/config/probe.ts";
import { createSecrets, hidingChainLog, hidingLog } from "../gateway/config/secrets.ts";
import { warningsOfServed } from "../gateway/config/serves.ts";
import { unknownTools } from "../gateway/config/unknown-tools.ts";
import { FACE_POLICY } from "../gateway/served.ts";
import { protectStdout } from "../node/stdio.ts";
import { CONFIG_OPTION, configFile, stderrLog } from "./config-options.ts";
import { counted, printable } from "./describe.ts";
import { withoutSecrets } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { millisecondsOption, type ParsedOptions } from "./options.ts";
import { watchStart } from "./start-watch.ts";
import { wrapReport } from "./table.ts";
import { printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION, VERBOSE_OPTION } from "./verb.ts";

const LIMIT_MS = 60_000;
const LONGEST_LINE = 2000;
// Where stdout is no terminal.
const COLUMNS = 100;

const UNAUDITED = `
Not in the audit log
  What passes unhooked: no interceptor decides about it. One for all events, such as
  { "use": "size-limit", "mode": "audit" }, has it written down.
`;

/** `check FILE`. The report goes to stdout, what is wrong to stderr. */
export const check = defineVerb({
  name: "check",
  words: "file",
  usage: "FILE [OPTIONS]",
  about: `Checks the configuration of a gateway: reads it, loads its modules, starts or
reaches its interceptor servers and its upstreams, and prints what is guarded by
what, and what a balancer in front of several gateways has to keep together.
Warns of interceptors that can never run, of methods and tools that there are
not, and of a file that serves nothing. Serves nothing itself.`,
  options: [
    CONFIG_OPTION,
    { name: "no-connect", help: "do not connect to upstreams; interceptor servers are reached in any case" },
    { name: "stdio", value: "NAME", names: "upstreams", help: "check it as for a gateway that is started with this" },
    { name: "strict", help: "exit code 1 for warnings, too" },
    { name: "timeout", value: "MS", help: "how long all of it may take; 60000 unless said otherwise" },
    VERBOSE_OPTION,
    JSON_OPTION,
  ],
  more: `Faults are told as FILE:LINE:COLUMN: POINTER what is wrong, all at once; with
--json, which prints one value in any case, in "error" with its "problems".`,
  examples: ["mcp-interceptors check --strict gateway.jsonc"],
  exit: `Exit code: 0 where all is well; 1 where the configuration cannot be used, where
an upstream cannot be reached, or with --strict where there are warnings; 2 for
a wrong word, or a file that cannot be read.`,
  judgesConfig: true,
  action: report,
});

async function report(parsed: ParsedOptions): Promise<Exit> {
  const { values } = parsed;
  const file = configFile("check", parsed);
  const secrets = createSecrets();
  const open = stderrLog(values.has("verbose"));
  const log = hidingLog(open.log, secrets);
  const chainLog = hidingChainLog(open.chainLog, secrets);
  // The report alone goes to stdout, whatever a module prints while it is loaded.
  const openStdout = protectStdout();
  const watch = watchStart(process.ppid, millisecondsOption(values, "timeout") ?? LIMIT_MS, "end", "which is all that it may take: see --timeout");
  const { signal } = watch;
  let built: BuiltPlan | undefined;
  try {
    const loaded = await loadConfig(file, { secrets, signal });
    const stdio = values.get("stdio")?.[0];
    const unserved = warningsOfServed(loaded, stdio);
    built = await buildPlan(loaded, { pools: createPools(), log, chainLog, signal, dry: true, exhaustive: true, ...(stdio === undefined ? {} : { stdio }) });
    const say = (text: string) => process.stderr.write(`${printable(secrets.hide(text), LONGEST_LINE)}\n`);
    const facts = new Map<string, UpstreamFacts>();
    const unreachable = new Map<string, string>();
    const keys = values.has("no-connect") ? undefined : keySetsAtUrls(loaded);
    if (keys !== undefined) {
      const probes = built.plan.upstreams.map(async (upstream) => {
        try {
          facts.set(upstream.name, await probeUpstream(upstream, { log: (entry) => log({ ...entry, message: `${upstream.name}: ${entry.message}` }), limits: loaded.config.limits, signal }));
        } catch (thrown) {
          unreachable.set(upstream.name, describeError(thrown));
          say(`mcp-interceptors: ${upstream.name} cannot be reached: ${describeError(thrown)}`);
        }
      });
      await Promise.all(probes);
    }
    const keysWarned = (await keys) ?? [];
    if (watch.exit !== undefined) return watch.exit;
    openStdout();
    const warnings = [...unserved, ...built.warnings, ...foreignHosts(loaded), ...keysWarned, ...neverRuns(built, facts), ...unknownTools(built, facts)];
    if (values.has("json")) printJson(secrets.hideIn(asJson(built, facts, { unreachable, warnings })));
    else process.stdout.write(`${wrapReport(secrets.hide(describe(built, secrets.hideIn(facts))), process.stdout.columns ?? COLUMNS)}\n`);
    for (const line of warnings) say(line);
    if (!values.has("json")) process.stdout.write(`${verdict(unreachable.size, warnings.length)}\n`);
    return { code: unreachable.size > 0 || (values.has("strict") && warnings.length > 0) ? 1 : 0 };
  } catch (thrown) {
    if (watch.exit !== undefined) return watch.exit;
    throw withoutSecrets(thrown, secrets);
  } finally {
    // A second Ctrl-C would leave behind what is being ended.
    await built?.close();
    watch.release();
  }
}

function foreignHosts({ config, problems }: LoadedConfig): readonly string[] {
  const found: string[] = [];
  const addresses = Object.values(networkInterfaces()).flatMap((ones = []) => ones.map(({ address }) => address));
  warnOfHosts(config, addresses, (pointer, message) => found.push(problems().warning(pointer, message)));
  return found;
}

// As `doctor` ends.
function verdict(unreachable: number, warnings: number): string {
  const warned = warnings === 0 ? [] : [counted(warnings, "warning")];
  return [...(unreachable === 0 ? (warnings === 0 ? ["nothing is wrong"] : []) : [`${counted(unreachable, "upstream")} cannot be reached`]), ...warned].join(", ");
}

interface Findings {
  readonly unreachable: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

function asJson(built: BuiltPlan, facts: ReadonlyMap<string, UpstreamFacts>, { unreachable, warnings }: Findings) {
  const { plan, chains, exposure } = built;
  const balanced = affinities(plan, facts);
  const policy = { ...FACE_POLICY, ...plan.policy };
  const upstreams = [...chains].map(([name, { chain }]) => {
    const { info, protocolVersion, era, tools, capabilities } = facts.get(name) ?? {};
    const affinity = balanced.find((one) => one.name === name);
    const error = unreachable.get(name);
    return {
      name,
      reached: facts.has(name),
      ...(error === undefined ? {} : { error }),
      ...(facts.has(name) ? { server: info, protocolVersion, era, capabilities, tools: tools?.length } : {}),
      ...(affinity === undefined ? {} : { affinity: { stateless: affinity.stateless, handshake: affinity.handshake } }),
      coverage: guardCoverage(chain, { role: "server", policy }),
    };
  });
  return { upstreams, ...(exposure === undefined ? {} : { exposed: { name: exposure.plan.name, interceptors: exposure.interceptors } }), warnings, well: unreachable.size + warnings.length === 0 };
}

function describe(built: BuiltPlan, facts: ReadonlyMap<string, UpstreamFacts>): string {
  const policy = { ...FACE_POLICY, ...built.plan.policy };
  const audited = built.loaded.config.audit !== undefined;
  // Upstreams that are guarded alike are told together.
  const groups = new Map<string, string[]>();
  for (const [name, { chain }] of built.chains) {
    const coverage = guardCoverage(chain, { role: "server", policy });
    const text = `${formatCoverage(coverage)}${audited && coverage.rows.some(({ status }) => status === "unhooked") ? UNAUDITED : ""}`;
    groups.set(text, [...(groups.get(text) ?? []), name]);
  }
  const upstreams = [...built.chains.keys()].map((name) => `  ${describeUpstream(name, facts.get(name))}`);
  const affinity = affinities(built.plan, facts);
  const balanced = affinity.length === 0 ? "" : `Affinity behind a balancer, by the revisions of clients\n${formatAffinities(affinity)}\n\n`;
  const coverage = [...groups].map(([text, names]) => `${names.join(", ")}\n${"=".repeat(names.join(", ").length)}\n\n${text}`);
  const { exposure } = built;
  const exposed = exposure === undefined ? "" : `Exposed to chains elsewhere\n  ${exposure.plan.name}: ${printable(exposure.interceptors.join(", "))}\n\n`;
  return `Upstreams\n${upstreams.join("\n")}\n\n${exposed}${balanced}${coverage.join("\n")}`;
}

function describeUpstream(name: string, facts: UpstreamFacts | undefined): string {
  if (facts === undefined) return `${name}: not asked`;
  const { info, protocolVersion, era, tools, capabilities } = facts;
  const who = info === undefined ? "a server that does not say its name" : printable(`${info.name} ${info.version}`);
  const has = Object.keys(capabilities).filter((capability) => capability !== "experimental" && capability !== "extensions");
  return `${name}: ${who}, ${protocolVersion ?? "?"} (${era ?? "?"}), ${printable(has.join(", ") || "no capabilities")}${tools === undefined ? "" : `; ${counted(tools.length, "tool")}`}`;
}
