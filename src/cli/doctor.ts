import { describeError, LocalError } from "../core/base/errors.ts";
import { diagnose, type DiagnoseOptions, type Diagnosis } from "../gateway/config/doctor.ts";
import { loadConfig } from "../gateway/config/load.ts";
import { configFile } from "./config-options.ts";
import { describeDiagnosis } from "./doctor-text.ts";
import { UsageError } from "./errors.ts";
import { timeOption, wholeOption } from "./options.ts";
import { checkReadable } from "./readable.ts";
import { runSession } from "./session.ts";
import { paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION, VERBOSE_OPTION } from "./verb.ts";

const EACH_MS = 10_000;
const MOST_MS = 600_000;

/** `doctor CONFIG`: is every interceptor reachable, matching, in order, and has it fired lately. */
export const doctor = defineVerb({
  name: "doctor",
  words: "file",
  usage: "CONFIG [OPTIONS]",
  about: `Looks at every interceptor of a gateway's configuration:

reachable  opens each item by itself, so that one that is broken does not hide
           the others, and asks each upstream what it is; both are timed
matching   tells what can never run, by hooks, conditions, and what upstreams
           have
in order   shows what runs in which order for tools/call and tools/list, and
           tells where text gets past what masks or judges it
fired      counts from the audit log when each has run last, and how often it
           has failed

Sends no message through them, and writes nothing. A problem is wrong and gives
exit code 1; a note may be as you want it.`,
  options: [
    { name: "audit", value: "FILE", many: true, help: "audit logs to count, in place of the one that the configuration names" },
    { name: "since", value: "TIME", help: "count decisions from this time on, such as 2026-07-28 or 2026-07-28T12:00Z" },
    { name: "no-connect", help: "do not connect to upstreams; interceptor servers are reached in any case" },
    { name: "timeout", value: "MS", help: `how long each server has to answer; ${EACH_MS} unless said otherwise` },
    VERBOSE_OPTION,
    JSON_OPTION,
  ],
  examples: ["mcp-interceptors doctor gateway.jsonc --since 2026-07-28"],
  exit: "Exit code: 0 where all is well, 1 where something is wrong or the configuration\ncannot be used, 2 for a wrong word, or a file that cannot be read.",
  judgesConfig: true,
  action(parsed) {
    const { values } = parsed;
    const file = configFile("doctor", { ...parsed, values: new Map() });
    for (const log of values.get("audit") ?? []) checkReadable(log, "audit");
    const since = timeOption(values, "since");
    const eachMs = wholeOption(values, "timeout", MOST_MS, " of milliseconds") ?? EACH_MS;
    // Items are opened side by side, then upstreams are asked; modules may take their time beside that.
    const session = { ...parsed, positionals: [], values: new Map([...values, ["timeout", [String(3 * eachMs + 30_000)]]]) };
    return runSession(session, async ({ log, chainLog, signal, secrets }) => {
      const loaded = await loadConfig(file, { signal, secrets });
      const diagnosis = await examined(loaded, { log, chainLog, signal, eachMs, connect: !values.has("no-connect"), auditFiles: values.get("audit") ?? [], ...(since === undefined ? {} : { since }) });
      const shown = secrets.hideIn(diagnosis);
      return () => {
        if (values.has("json")) printJson(asJson(file, shown));
        else process.stdout.write(describeDiagnosis(shown, paintFor()));
        return { code: isWell(diagnosis) ? 0 : 1 };
      };
    });
  },
});

// A log that is not there is a wrong word.
async function examined(loaded: Parameters<typeof diagnose>[0], options: DiagnoseOptions): Promise<Diagnosis> {
  try {
    return await diagnose(loaded, options);
  } catch (thrown) {
    if (thrown instanceof LocalError || options.signal.aborted) throw thrown;
    throw new UsageError(describeError(thrown), "name audit logs that you may read");
  }
}

function isWell({ findings }: Diagnosis): boolean {
  return findings.every(({ level }) => level === "note");
}

function asJson(file: string, diagnosis: Diagnosis) {
  const upstreams = diagnosis.upstreams.map(({ facts, ...rest }) => ({ ...rest, reached: facts !== undefined, ...(facts === undefined ? {} : { server: facts.info, protocolVersion: facts.protocolVersion, tools: facts.tools?.length }) }));
  const orders = diagnosis.orders.map(({ steps, ...rest }) => ({ ...rest, steps: steps.map(({ type, entries }) => ({ type, interceptors: entries.map(({ address }) => address) })) }));
  const fired = diagnosis.fired.map(({ stats, ...rest }) => ({ ...rest, ...stats }));
  return { file, well: isWell(diagnosis), ...diagnosis, upstreams, orders, fired };
}
