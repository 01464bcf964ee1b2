import { detectHost, type Host } from "../base/host.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import type { Chain } from "../chain/chain.ts";
import {
  eventLike,
  interceptorCoverage,
  kindOf,
  otherPatterns,
  planned,
  type Coverage,
  type CoverageRow,
  type InterceptorCoverage,
} from "../chain/coverage.ts";
import type { ChainEntry } from "../chain/entry.ts";
import { INTERCEPTOR_SPELLINGS, interceptorMethod } from "../wire/dialects.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import { METHODS, type Method } from "../wire/methods.ts";
import { matchesPattern } from "../wire/patterns.ts";
import { currentOf, type ChainSource } from "./chain-source.ts";
import type { GuardPolicy } from "./options.ts";
import { checkPolicy } from "./policy-checks.ts";
import { LIFECYCLE_METHODS, PLAIN_NOTIFICATIONS } from "./routes.ts";

/** Whose view of a chain is reported. */
export interface CoverageOptions {
  /** Which side of the connection the guarded application is. */
  readonly role: "server" | "client";
  /** `interceptNotifications` and `hostsChain` are read. */
  readonly policy?: GuardPolicy;
  readonly host?: Host;
}

const OPTIONS: OptionTable<CoverageOptions> = { role: ["server", "client"], policy: "an object", host: "an object" };

const SENDERS = ["client", "server"] as const;
type Sender = (typeof SENDERS)[number];

/**
 * What a guard with this chain, role and policy does with each kind of message: for all methods of MCP over all revisions, for the interceptor
 * methods, and for whatever else a hook names; and what each interceptor has done so far, in all that the chain was used for.
 */
export function guardCoverage(chain: ChainSource, options: CoverageOptions): Coverage {
  checkOptions(options, "the options of coverage", OPTIONS);
  const { role, policy = {}, host = detectHost() } = options;
  checkPolicy(policy);
  const current = currentOf(chain).current();
  const known = new Set([...METHODS.keys(), ...INTERCEPTOR_SPELLINGS.list, ...INTERCEPTOR_SPELLINGS.invoke]);
  const senders = (method: string): readonly Sender[] => {
    const found = METHODS.get(method);
    return found === undefined ? (interceptorMethod(method) === undefined ? SENDERS : ["client"]) : SENDERS.filter((sender) => sends(found, sender));
  };
  const rows = [...known, ...otherPatterns(current.entries, known)].flatMap((method) =>
    senders(method).flatMap((from) => rowsOf(method, from, { chain: current, role, policy })),
  );
  return { role, rows, interceptors: current.entries.map((entry) => interceptorCoverage(entry, host, reachOf(entry, rows))) };
}

function sends(method: Method, sender: Sender): boolean {
  return method[sender] !== undefined || (sender === "server" && method.kind === "request" && method.embedded !== undefined);
}

interface Guarded {
  readonly chain: Chain;
  readonly role: Sender;
  readonly policy: GuardPolicy;
}

function rowsOf(method: string, from: Sender, guarded: Guarded): CoverageRow[] {
  const kind = METHODS.get(method)?.kind ?? kindOf(method);
  const phases: readonly Phase[] = kind === "request" ? ["request", "response"] : ["request"];
  return phases.map((phase) => {
    const sending = (from === guarded.role) === (phase === "request");
    const draft = { method, kind, from, phase, direction: sending ? "sending" : "receiving" } as const;
    const never = whyNever(method, kind, from, guarded);
    if (never !== undefined) return { ...draft, status: "never", steps: [], why: never };
    if (method === "tasks/result" && phase === "response") {
      // Its own event never runs in this phase.
      return { ...draft, status: guarded.chain.hooksResponses ? "intercepted" : "unhooked", steps: [], why: AS_CREATOR };
    }
    const row = planned({ ...draft, ...carried(method, phase) }, (query) => guarded.chain.plan(query));
    return row.also?.some((event) => guarded.chain.matches(event, phase)) ? { ...row, status: "intercepted" } : row;
  });
}

function carried(method: string, phase: Phase): Pick<CoverageRow, "also" | "why"> {
  if (method === "subscriptions/listen" && phase === "request") {
    return { also: ["resources/subscribe"], why: "each URI in its filter runs as resources/subscribe" };
  }
  const holdsOutcome = method === "notifications/tasks/status" || (method === "tasks/get" && phase === "response");
  return holdsOutcome ? { why: "the outcome of a task in it is judged as the response of the request that created the task" } : {};
}

const AS_CREATOR = "it is judged as the response of the request that created the task; where that is unknown it is refused while any response is hooked";

function whyNever(method: string, kind: CoverageRow["kind"], from: Sender, { role, policy }: Guarded): string | undefined {
  if (LIFECYCLE_METHODS.has(method)) return "no connection comes about without it; it passes if it is valid";
  if (PLAIN_NOTIFICATIONS.has(method)) return "it passes at once, past everything";
  if (kind === "notification" && policy.interceptNotifications !== true) return "policy.interceptNotifications is off";
  const hosted = policy.hostsChain === true && from !== role && interceptorMethod(method) !== undefined;
  return hosted ? "the guarded server hosts interceptors, which would judge calls of themselves" : undefined;
}

function reachOf({ address, policy }: ChainEntry, rows: readonly CoverageRow[]): Pick<InterceptorCoverage, "reach" | "why"> {
  const where = rows.filter(({ steps }) => steps.some(({ interceptors }) => interceptors.some((interceptor) => interceptor.address === address)));
  if (where.some(({ method }) => METHODS.has(method) || interceptorMethod(method) !== undefined)) return { reach: "methods" };
  if (where.length > 0) return { reach: "others", why: "it hooks no method of MCP, and runs only on messages of other names" };
  const reasons = policy.hooks.flatMap(({ events, phase }) =>
    events.flatMap((pattern) => {
      const hooked = rows.filter((row) => row.phase === phase && matchesPattern(pattern, eventLike(row.method)));
      return hooked.length === 0 ? [`${pattern}: a notification has no response`] : hooked.map(({ method, why = "" }) => `${method}: ${why}`);
    }),
  );
  return { reach: "nothing", why: [...new Set(reasons)].join("; ") };
}
