// Which combinations of role, revision, direction and phase a guard vector shows, and whether something passed or was blocked there. Read off its
// messages alone: nothing is run.
import { isObject, type JsonObject } from "../../src/core/base/json.ts";
import { canonicalJson } from "../../src/conformance/canonical.ts";
import type { GuardStep, GuardVector } from "../../src/conformance/vector.ts";

export type Verdict = "passes" | "blocks";
type Side = "client" | "server";

const STATELESS = "2026-07-28";
const VERSION = "io.modelcontextprotocol/protocolVersion";
export const ERAS = ["2025-03-26", "2025-06-18", "2025-11-25", STATELESS] as const;
const PHASES = ["request", "response", "error", "notification"] as const;

/** All cells. `client-response` is the response to a client's request; in the stateless revision the server's requests are embedded, and no answer is an error. */
export const CELLS: readonly string[] = ["server", "client"].flatMap((role) =>
  ERAS.flatMap((era) =>
    ["client", "server"].flatMap((initiator) =>
      PHASES.filter((phase) => !(era === STATELESS && initiator === "server" && phase === "error")).map((phase) => cell(role, era, initiator, phase)),
    ),
  ),
);

function cell(role: string, era: string, initiator: string, phase: string): string {
  return `a ${role}'s guard, ${era}, ${initiator} ${phase}`;
}

interface Expected {
  readonly app: readonly JsonObject[];
  readonly peer: readonly JsonObject[];
  readonly calls?: readonly { readonly event: string; readonly phase: string }[];
}

/** A vector that does not say what its interceptors were called with, or of which revision its messages are, shows nothing. */
export function cellsOf({ input, expect }: GuardVector): readonly { readonly cell: string; readonly verdict: Verdict }[] {
  // The schema of vectors says so, and vectors.test.ts holds them to it.
  const { calls = [], ...came } = expect as Expected;
  const era = eraOf(input.steps);
  if (era === undefined) return [];
  const judged = (event: unknown, phase: string) => calls.some((call) => call.event === event && call.phase === phase);
  const methods = new Map<unknown, unknown>();
  return input.steps.flatMap((step) => {
    const { from, message } = step;
    const sender: Side = (from === "app") === (input.role === "client") ? "client" : "server";
    const receiver: Side = sender === "client" ? "server" : "client";
    const verdict: Verdict = came[from === "app" ? "peer" : "app"].some((arrived) => isSame(arrived, message)) ? "passes" : "blocks";
    const at = (initiator: Side, phase: string) => [{ cell: cell(input.role, era, initiator, phase), verdict }];
    if (message["method"] !== undefined) {
      if (message["id"] === undefined) return judged(message["method"], "request") ? at(sender, "notification") : [];
      methods.set(message["id"], message["method"]);
      if (inner(message, "params", "inputResponses").length > 0) return calls.some(({ phase }) => phase === "response") ? at("server", "response") : [];
      return judged(message["method"], "request") ? at(sender, "request") : [];
    }
    const asked = inner(message, "result", "inputRequests");
    if (asked.length > 0) return asked.some((request) => isObject(request) && judged(request["method"], "request")) ? at("server", "request") : [];
    if (!judged(methods.get(message["id"]), "response")) return [];
    return at(receiver, message["error"] === undefined ? "response" : "error");
  });
}

function eraOf(steps: readonly GuardStep[]): string | undefined {
  for (const { message } of steps) {
    const result = message["result"];
    if (isObject(result) && typeof result["protocolVersion"] === "string") return result["protocolVersion"];
    const meta = isObject(message["params"]) ? message["params"]["_meta"] : undefined;
    if (isObject(meta) && typeof meta[VERSION] === "string") return meta[VERSION];
  }
  return undefined;
}

function inner(message: JsonObject, part: "params" | "result", member: string): readonly unknown[] {
  const whole = message[part];
  const values = isObject(whole) ? whole[member] : undefined;
  return isObject(values) ? Object.values(values) : [];
}

// Changed or not: but what takes the place of a blocked response is another error, or a result that says so.
function isSame(arrived: JsonObject, sent: JsonObject): boolean {
  if (arrived["id"] !== sent["id"] || arrived["method"] !== sent["method"]) return false;
  if (sent["method"] !== undefined) return sent["id"] !== undefined || kept(arrived["params"]) === kept(sent["params"]);
  if (isObject(sent["error"])) return isObject(arrived["error"]) && arrived["error"]["message"] === sent["error"]["message"];
  return isObject(arrived["result"]) && arrived["result"]["isError"] !== true;
}

// Two notifications of one method are told apart by what the vectors' mutators do not touch.
function kept(params: unknown): string {
  return isObject(params) ? canonicalJson(Object.fromEntries(Object.entries(params).filter(([name]) => name !== "logger"))) : "";
}
