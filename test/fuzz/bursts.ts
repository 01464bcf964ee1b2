// Many lines at once, through chains of all kinds: what must hold whatever the order of things within.
import { isDeepStrictEqual } from "node:util";
import { seededRandom } from "../support/random.ts";
import type { Posture } from "../../src/gateway/guarded-relay.ts";
import { carriedBy, versionOf, type Asked, type Carried } from "./carried.ts";
import { fillChain, stops, TIMEOUT_MS, type Member } from "./chains.ts";
import { HANDSHAKE_METHODS, isObject, type Side, type Step } from "./grammar.ts";
import { endedBy, keyOf, topLevel, written } from "./model.ts";
import { readLine, type Said } from "./reader.ts";
import { createRig, type Rig } from "./rig.ts";

export interface BurstOptions {
  readonly posture: Posture;
  readonly members: readonly Member[];
  readonly notifications: boolean;
  /** Of the times between lines. */
  readonly seed: number;
}

/** What became of the lines, for the report. */
export type Fates = Map<string, number>;

/** One line that is a message, and what the run knows of it. */
interface Line {
  readonly step: Step;
  readonly at: number;
  readonly said: Said;
}

const other = (side: Side): Side => (side === "client" ? "server" : "client");

/** Runs a case; gives what is wrong, or nothing. */
export async function runBursts(all: readonly Step[], options: BurstOptions, fates: Fates): Promise<string | undefined> {
  const { posture, members, notifications, seed } = options;
  // Whether a batch is taken apart depends on what has been settled before: that is for the lockstep runs.
  const steps = all.filter(({ line }) => !line.trimStart().startsWith("["));
  const random = seededRandom(seed);
  const abrupt = random.below(5) === 0;
  const rig = createRig({
    posture,
    chunkBytes: random.pick([64, 16_384]),
    fill: (chain, host) => fillChain(chain, members, host),
    guard: { policy: { interceptNotifications: notifications } },
  });
  const peers = createPeers(rig);
  for (const { from, line, ending, pauseMs } of steps) {
    peers.write(from, line, ending);
    if (pauseMs === undefined) continue;
    await (pauseMs === 0 ? rig.settle() : rig.host.advance(pauseMs));
    if (rig.ended()) break;
  }
  let problem: string | undefined;
  if (!abrupt && !rig.ended()) {
    for (let rounds = 0; rounds < 4; rounds++) {
      await rig.host.advance(4 * TIMEOUT_MS);
      peers.answerAll();
    }
    await rig.host.advance(4 * TIMEOUT_MS);
    if (!rig.ended() && rig.inFlight() !== 0) problem = `${rig.inFlight()} exchanges are in the ledger when all has been answered`;
  }
  // Cut off in the middle, whatever was on its way may be lost.
  const whole = !abrupt && !rig.ended();
  await rig.settle();
  if (abrupt) {
    void rig.relay.close();
    await rig.settle();
  }
  await rig.finish();
  await rig.host.advance(4 * TIMEOUT_MS);
  if (rig.inFlight() !== 0) problem ??= `${rig.inFlight()} exchanges are left in the ledger`;
  if (rig.host.liveTimers !== 0) problem ??= `${rig.host.liveTimers} timers are left`;
  return problem ?? judge(peers.sent, rig, { ...options, whole }, fates);
}

/** Both ends of the relay: what they have written, and what they still owe. */
function createPeers(rig: Rig) {
  const sent: Step[] = [];
  const owed: Record<Side, Map<string, Said>> = { client: new Map(), server: new Map() };
  const seen: Record<Side, number> = { client: 0, server: 0 };
  // Takes note of what has arrived since.
  const look = (side: Side) => {
    for (; seen[side] < rig.arrived[side].length; seen[side]++) {
      const { said } = readLine(rig.arrived[side][seen[side]]!);
      if (said?.kind === "request") owed[side].set(keyOf(said.id), said);
      if (said?.method === "notifications/cancelled" && isObject(said.message["params"])) {
        const key = keyOf(said.message["params"]["requestId"]);
        if (owed[side].get(key)?.method !== "initialize") owed[side].delete(key);
      }
    }
  };
  const write = (step: Step) => {
    look(step.from);
    const { said } = readLine(step.line);
    const broken = said === undefined ? topLevel(step.line) : undefined;
    const answers = said?.kind === "result" || said?.kind === "error" ? said.id : broken?.answers === true ? broken.id : undefined;
    if (answers !== undefined) owed[step.from].delete(keyOf(answers));
    // A subscription is over when whoever serves it says so.
    if (said?.method === "notifications/cancelled" && isObject(said.message["params"])) {
      const key = keyOf(said.message["params"]["requestId"]);
      if (owed[step.from].get(key)?.method === "subscriptions/listen") owed[step.from].delete(key);
    }
    sent.push(step);
    rig.write(step.from, step.line + step.ending);
  };
  return {
    sent,
    write: (from: Side, line: string, ending: Step["ending"]) => write({ from, line, ending, kinds: [], canary: /canary-\d+-/.exec(plain(line))?.[0], pauseMs: 0 }),
    answerAll() {
      for (const side of ["client", "server"] as const) {
        look(side);
        for (const { id } of [...owed[side].values()]) {
          write({ from: side, line: JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }), ending: "\n", kinds: [], canary: undefined, pauseMs: 0 });
        }
      }
    },
  };
}

// Canaries and markers may be written with escapes.
function plain(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line));
  } catch {
    return line;
  }
}

function judge(sent: readonly Step[], rig: Rig, options: BurstOptions & { readonly whole: boolean }, fates: Fates): string | undefined {
  const arrived = { client: rig.arrived.client.map(plain), server: rig.arrived.server.map(plain) };
  const lines: Line[] = sent.flatMap((step, at) => {
    const { said } = readLine(step.line);
    return said === undefined ? [] : [{ step, at, said }];
  });
  const requestsOf = (side: Side, key?: string) => lines.filter(({ step, said }) => step.from === side && said.kind === "request" && (key === undefined || keyOf(said.id) === key));
  const count = (fate: string) => fates.set(fate, (fates.get(fate) ?? 0) + 1);

  for (const line of lines) {
    const { step, said } = line;
    if (step.canary === undefined) continue;
    const far = other(step.from);
    const got = arrived[far].flatMap((text, at) => (text.includes(step.canary!) ? [at] : []));
    if (got.length > 1) return `it arrived ${got.length} times: ${step.line}`;
    const asked: Asked[] = requestsOf(far, keyOf(said.id)).map((one) => ({ method: one.said.method!, version: versionOf(one.said.message) }));
    const carried = carriedBy(said, asked, options.notifications);
    const stopping = options.members.filter((member) => stops(member) && carried.some((one) => hooks(member, one) && JSON.stringify(one.seen).includes(member.marker)));
    if (got.length === 1) {
      if (stopping.length > 0) return `it passed ${JSON.stringify(stopping[0])}: ${step.line}`;
      const text = rig.arrived[far][got[0]!]!;
      const changes = options.members.some(({ type, mode }) => type === "mutator" && mode === "active");
      if (text === written(step.line)) count("passed");
      else if (!changes) return `it was changed: ${step.line}\ninto ${text}`;
      else if (!sameButForStamps(step.line, text)) return `it was changed by nobody's word: ${step.line}\ninto ${text}`;
      else count("mutated");
    } else {
      count(stopping.length > 0 ? "stopped" : "not passed on");
      if (options.whole && mustPass(line, carried, requestsOf, lines, options)) return `it did not arrive: ${step.line}`;
    }
  }
  return wrongOrder(lines, arrived) ?? wrongAnswers(sent, lines, arrived, options.whole, options.posture === "client" && !rig.deaf());
}

function hooks({ patterns, phases, handlesErrors }: Member, { event, phase, error }: Carried): boolean {
  if (!phases.includes(phase) || (error === true && !handlesErrors)) return false;
  return patterns.some((pattern) => pattern === "*" || pattern === event || (pattern.endsWith("/*") && event?.startsWith(pattern.slice(0, -1)) === true));
}

// What nobody looks at has no reason not to pass.
function mustPass({ step, said, at }: Line, carried: readonly Carried[], requestsOf: (side: Side, key: string) => Line[], lines: readonly Line[], { members, notifications }: BurstOptions): boolean {
  // What it says of a task may be an answer that nobody can place.
  if (said.method?.startsWith("notifications/tasks") === true || said.method === "notifications/cancelled") return false;
  if (said.kind === "notification") return !notifications || members.length === 0;
  if (said.kind !== "request" || HANDSHAKE_METHODS.has(said.method!) || members.some((member) => carried.some((one) => hooks(member, one)))) return false;
  if (isObject(said.message["params"]) && Object.hasOwn(said.message["params"], "inputResponses")) return false;
  const cancelled = lines.some((one) => one.said.method === "notifications/cancelled" && one.step.from === step.from && one.at > at);
  return requestsOf(step.from, keyOf(said.id)).length === 1 && !cancelled;
}

const STAMP = /^stamp-/;

function sameButForStamps(before: string, after: string): boolean {
  const strip = (text: string): unknown =>
    JSON.parse(text, function (this: Record<string, unknown>, name, value: unknown) {
      if (STAMP.test(name)) return undefined;
      // A request without any gets params to hold the stamp.
      if (name === "params" && isObject(value) && Object.keys(value).length === 0) return undefined;
      // Only for the caller that has it, once somebody may have changed it; of no progress but the words may change.
      return name === "cacheScope" ? "any" : value;
    });
  return isDeepStrictEqual(strip(before), strip(after));
}

// Requests and notifications arrive in the order in which they were sent, and so do responses. A cancellation overtakes.
function wrongOrder(lines: readonly Line[], arrived: Readonly<Record<Side, readonly string[]>>): string | undefined {
  for (const far of ["client", "server"] as const) {
    for (const responses of [false, true]) {
      let last = -1;
      for (const { step, said } of lines) {
        const isResponse = said.kind === "result" || said.kind === "error";
        if (step.from === far || step.canary === undefined || isResponse !== responses || said.method === "notifications/cancelled") continue;
        const at = arrived[far].findIndex((text) => text.includes(step.canary!));
        if (at < 0) continue;
        if (at < last) return `it arrived before what was sent before it: ${step.line}`;
        last = at;
      }
    }
  }
  return undefined;
}

// Each request has one answer, unless its sender gave it up; nobody else has any.
function wrongAnswers(sent: readonly Step[], lines: readonly Line[], arrived: Readonly<Record<Side, readonly string[]>>, whole: boolean, wholeForClient: boolean): string | undefined {
  for (const side of ["client", "server"] as const) {
    const answers = new Map<string, number>();
    for (const text of arrived[side]) {
      const { said } = readLine(text);
      if ((said?.kind === "result" || said?.kind === "error") && said.id !== null && said.id !== undefined) answers.set(keyOf(said.id), (answers.get(keyOf(said.id)) ?? 0) + 1);
    }
    const broken = sent.filter(({ from, line }) => from === side && readLine(line).said === undefined).map(({ line }) => topLevel(line)?.id);
    const asked = lines.filter(({ step, said }) => step.from === side && said.kind === "request");
    for (const key of new Set([...answers.keys(), ...asked.map(({ said }) => keyOf(said.id))])) {
      const requests = asked.filter(({ said }) => keyOf(said.id) === key).length;
      // Anybody may end a subscription; else each gives up its own.
      const givenUp = lines.filter(({ said }) => said.method === "notifications/cancelled" && isObject(said.message["params"]) && keyOf(said.message["params"]["requestId"]) === key).length;
      const maybe = broken.filter((id) => id === undefined || keyOf(id) === key).length;
      // A response to nothing goes on to a server where nobody judges responses; a broken one as an error.
      const unasked = side === "client" ? 0 : sent.filter(({ from, line }) => from === "client" && mayAnswer(line, key)).length;
      const got = answers.get(key) ?? 0;
      // A server that is cut off hears no more, nor does a client whose request its own guard was holding.
      const least = whole || (side === "client" && wholeForClient) ? requests - givenUp : 0;
      if (got < least || got > requests + maybe + unasked) {
        return `${key} of the ${side} was asked ${requests} times, cancelled ${givenUp} times, and answered ${got} times`;
      }
    }
  }
  return undefined;
}

function mayAnswer(line: string, key: string): boolean {
  const { said } = readLine(line);
  if (said !== undefined) return (said.kind === "result" || said.kind === "error") && keyOf(said.id) === key;
  const top = topLevel(line);
  return top === undefined || (top.answers && top.id === undefined) || endedBy(line).some((id) => keyOf(id) === key);
}
