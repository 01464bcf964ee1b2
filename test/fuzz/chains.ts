// The chains of the fuzz run, as data, so that the oracle knows what each of their members ought to do.
import type { Chain } from "../../src/core/chain/chain.ts";
import { mutator, validator, type Interceptor } from "../../src/core/interceptor/define.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Host } from "../../src/core/base/host.ts";
import type { Random } from "../support/random.ts";
import { MARKERS } from "./grammar.ts";

export type Phase = "request" | "response";

export interface Member {
  readonly type: "validator" | "mutator";
  readonly patterns: readonly string[];
  readonly phases: readonly Phase[];
  readonly mode: "active" | "audit";
  readonly failOpen: boolean;
  readonly handlesErrors: boolean;
  readonly marker: string;
  /** What a validator does where it finds its marker; a mutator does so, too, and else sets a member. */
  readonly atMarker: "deny" | "throw" | "hang" | "answer nothing";
  /** Fake milliseconds that an answer takes: none at all, a promise that is settled, or a timer. */
  readonly delayMs: number | "none" | "promise";
}

// Those of embedded content weigh most: `*` would stop at the message around it.
const PATTERNS = [
  ...[["*"], ["*"], ["*"], ["tools/*"], ["tools/call"], ["notifications/*"], ["tasks/*"]],
  ...[["elicitation/create", "sampling/createMessage"], ["elicitation/create", "roots/list", "sampling/createMessage"], ["resources/subscribe"], ["resources/subscribe"]],
];
const DELAYS = ["none", "none", "promise", 1, 10, 40] as const;
/** No run of a member takes longer. */
export const TIMEOUT_MS = 60;

export function drawChain(random: Random): readonly Member[] {
  return Array.from({ length: random.pick([0, 1, 2, 3, 5]) }, () => ({
    type: random.pick(["validator", "validator", "mutator"] as const),
    patterns: random.pick(PATTERNS),
    phases: random.pick([["request"], ["response"], ["request", "response"]] as const),
    mode: random.pick(["active", "active", "active", "audit"] as const),
    failOpen: random.below(4) === 0,
    handlesErrors: random.below(2) === 0,
    marker: random.pick(MARKERS),
    atMarker: random.pick(["deny", "deny", "throw", "hang", "answer nothing"] as const),
    delayMs: random.pick(DELAYS),
  }));
}

/** Whether a member stops a payload that holds its marker. */
export function stops({ type, mode, failOpen, atMarker }: Member): boolean {
  if (mode === "audit") return false;
  return type === "validator" && atMarker === "deny" ? true : !failOpen && (type === "validator" || atMarker !== "deny");
}

export function fillChain(chain: Chain, members: readonly Member[], host: Host): void {
  chain.add(members.map((member, at) => interceptorOf(member, at, host)));
}

function interceptorOf(member: Member, at: number, host: Host): Interceptor {
  const { type, patterns, phases, mode, failOpen, handlesErrors, marker, atMarker, delayMs } = member;
  const declaration = {
    ...{ name: `${type}-${at}`, mode, failOpen, handlesErrors, timeoutMs: TIMEOUT_MS },
    hooks: phases.map((phase) => ({ events: [...patterns], phase })),
  };
  const run = (payload: unknown, error: boolean): unknown => {
    if (JSON.stringify(payload).includes(marker)) {
      if (atMarker === "throw") throw new TypeError("of the fuzz run");
      if (atMarker === "hang") return new Promise(() => {});
      if (atMarker === "answer nothing") return undefined;
      if (type === "validator") return false;
    }
    if (type === "validator") return true;
    const object = payload as JsonObject; // of MCP traffic, it is one
    const stamp = { [`stamp-${at}`]: at };
    return error && Object.hasOwn(object, "error") ? { error: { ...(object["error"] as JsonObject), ...stamp } } : { ...object, ...stamp };
  };
  const handler = ({ payload, phase }: { payload: unknown; phase: Phase }): never => {
    const error = handlesErrors && phase === "response";
    if (delayMs === "none") return run(payload, error) as never; // what a handler may not return is part of the run
    if (delayMs === "promise") return Promise.resolve(payload).then((given) => run(given, error)) as never;
    return new Promise((resolve) => host.setTimer(() => resolve(undefined), delayMs)).then(() => run(payload, error)) as never;
  };
  return type === "validator" ? validator(declaration, handler) : mutator(declaration, handler);
}

/** Denies everything, errors too. */
export function denyAll(): Interceptor {
  return validator(
    { name: "deny-all", handlesErrors: true, hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }] },
    () => false,
  );
}
