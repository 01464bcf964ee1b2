// What has to come of each line, one at a time: where nothing is judged, and where everything is refused. Sure where the documents are sure; where they
// leave it open (what a text that is no message was meant to be), it allows what may be, and follows what was.
import { MAX_BYTES } from "./breakage.ts";
import { HANDSHAKE_METHODS, isObject, type Side } from "./grammar.ts";
import { readLine, type Said } from "./reader.ts";

/** One line that has to arrive: exactly this text, or an error with this id (any, where there is none) and one of these codes. */
type Expected = { readonly text: string } | { readonly errorFor: string | number | null | undefined; readonly codes: readonly number[] };

interface Outcome {
  readonly near: readonly Expected[];
  readonly far: readonly Expected[];
  readonly then?: () => void;
}

const INVALID_REQUEST = [-32600, -32700];
const REFUSED = [-32602, -32603];
const NOTHING: Outcome = { near: [], far: [] };

export interface ModelOptions {
  /** Everything that may be judged is refused, notifications too. */
  readonly denies: boolean;
}

/** Follows one relay. `explain` gives what is wrong with what arrived after a line, or nothing. */
export function createModel({ denies }: ModelOptions) {
  const open: Record<Side, Map<string, string>> = { client: new Map(), server: new Map() };
  // Cancelled before they were answered: whoever serves them may do so still, and a guard may keep their ids for that, also once it was done out of its sight.
  const late: Record<Side, Set<string>> = { client: new Set(), server: new Set() };
  // As either transport sees it: whether batches are spoken, and the handshake that may settle it.
  const speaks: Record<Side, boolean> = { client: false, server: false };
  const opening: Record<Side, { key: string; asker: Side } | undefined> = { client: undefined, server: undefined };

  const request = (from: Side, line: string, { id, method }: Said): Outcome[] => {
    const key = keyOf(id);
    const refuse = (codes: readonly number[]): Outcome => ({ near: [{ errorFor: id, codes }], far: [] });
    if (method === "initialize") opening[from] = { key, asker: from };
    if (open[from].has(key)) return [refuse([-32600])];
    const pass: Outcome = {
      ...passes(line),
      then() {
        open[from].set(key, method!);
        if (method === "initialize") opening[other(from)] = { key, asker: from };
      },
    };
    const taken = late[from].has(key) ? [refuse([-32600])] : [];
    if (HANDSHAKE_METHODS.has(method!)) return [pass, refuse([-32602]), ...taken];
    return denies ? [refuse(REFUSED), ...taken] : [pass, ...taken];
  };

  const notification = (from: Side, line: string, { method, message }: Said): Outcome[] => {
    if (method !== "notifications/cancelled") return [denies && method !== "notifications/initialized" ? NOTHING : passes(line)];
    const id = isObject(message["params"]) ? message["params"]["requestId"] : undefined;
    const key = keyOf(id);
    const then = () => {
      if (open[from].get(key) !== "initialize" && open[from].delete(key)) late[from].add(key);
      // Whoever serves a subscription ends it so.
      if (open[other(from)].get(key) === "subscriptions/listen") open[other(from)].delete(key);
    };
    return [{ ...passes(line), then }];
  };

  const response = (from: Side, line: string, { kind, id, message }: Said): Outcome[] => {
    const asker = other(from);
    if (id === null || id === undefined) return [denies ? NOTHING : passes(line)];
    const key = keyOf(id);
    const method = open[asker].get(key);
    learn(from, from, key, kind, message);
    // The relay knows what its client waits for; what a server waits for is the server's to know.
    if (method === undefined) return [denies || from === "server" ? NOTHING : { ...passes(line), then: () => learn(asker, from, key, kind, message) }];
    const then = () => {
      open[asker].delete(key);
      learn(asker, from, key, kind, message);
    };
    if (kind === "result" && HANDSHAKE_METHODS.has(method)) {
      return [{ ...passes(line), then }, { near: [], far: [{ errorFor: id, codes: [-32603] }], then: () => open[asker].delete(key) }];
    }
    return [{ ...passes(line), then }];
  };

  // A result that answers the latest `initialize` tells this transport what is spoken.
  const learn = (at: Side, answerer: Side, key: string, kind: Said["kind"], message: Record<string, unknown>) => {
    const asked = opening[at];
    if (kind !== "result" || asked === undefined || asked.key !== key || asked.asker === answerer) return;
    opening[at] = undefined;
    speaks[at] = isObject(message["result"]) && message["result"]["protocolVersion"] === "2025-03-26";
  };

  // Not one message. Never goes on; at most one error comes of it, on either side.
  const invalid = (from: Side, line: string): Outcome[] => {
    if (line.trim() === "") return [NOTHING, { near: [{ errorFor: null, codes: INVALID_REQUEST }], far: [] }];
    const asker = other(from);
    const near = (id: string | number | null | undefined): Outcome => ({ near: [{ errorFor: id, codes: INVALID_REQUEST }], far: [] });
    const far = (id: string | number | undefined): Outcome[] => {
      const wanted = [...open[asker].keys()].filter((key) => id === undefined || key === keyOf(id));
      const standIns = wanted.map((key) => ({
        near: [],
        far: [{ errorFor: JSON.parse(key) as string | number, codes: [...INVALID_REQUEST, -32603] }], // a key is an id as JSON
        then: () => void open[asker].delete(key),
      }));
      if (standIns.length > 0 && id !== undefined) return standIns;
      // To something that nobody has asked.
      return from === "client" && !denies ? [...standIns, { near: [], far: [{ errorFor: id, codes: [...INVALID_REQUEST, -32603] }] }] : [...standIns, NOTHING];
    };
    const top = topLevel(line);
    const ends = new Set(readLine(line).items?.flatMap(endedBy) ?? endedBy(line));
    if (ends.size > 0) {
      const asked = [...ends].filter((id) => open[asker].has(keyOf(id)));
      const then = () => asked.forEach((id) => open[asker].delete(keyOf(id)));
      // What nobody has asked may be told to a server, which knows best, unless a guard stands between.
      const told = from === "client" && !denies && asked.length < ends.size ? [[...ends], asked] : [asked];
      return told.flatMap((ids) => {
        const far = ids.map((id) => ({ errorFor: id, codes: [...INVALID_REQUEST, -32603] }));
        // A broken response is never answered.
        return top?.answers === true ? [{ near: [], far, then }] : [{ ...near(undefined), far, then }, { near: [], far, then }];
      });
    }
    if (top?.id !== undefined) {
      if (top.asks) return [near(top.id)];
    }
    if (from === "client" && top !== undefined && !top.answers) return [near(undefined)];
    return [near(undefined), ...far(undefined), NOTHING];
  };

  const outcomesOf = (from: Side, line: string): Outcome[] => {
    const { said } = readLine(line);
    if (said === undefined) return invalid(from, line);
    if (Buffer.byteLength(written(line)) > MAX_BYTES) return [...invalid(from, line), { near: [{ errorFor: undefined, codes: [-32603] }], far: [] }, NOTHING];
    if (said.kind === "request") return request(from, line, said);
    return said.kind === "notification" ? notification(from, line, said) : response(from, line, said);
  };

  return {
    /** Requests in flight, both ways. */
    inFlight: (): number => open.client.size + open.server.size,
    /** Requests of the client that wait for an answer now, as JSON. */
    waiting: (): string[] => [...open.client.keys()],
    /** Takes the lines that arrived after `line` was sent. Gives a sentence if they are not what has to be. */
    explain(from: Side, line: string, arrived: Readonly<Record<Side, readonly string[]>>): string | undefined {
      const left = { near: [...arrived[from]], far: [...arrived[other(from)]] };
      const items = speaks[from] ? readLine(line).items : undefined;
      for (const part of items === undefined || items.length === 0 ? [line] : items) {
        const inBatch = part !== line;
        const said = inBatch ? readLine(part).said : undefined;
        const outcomes = said?.kind === "request" && said.method === "initialize" ? [{ near: [{ errorFor: said.id, codes: [-32600] }], far: [] }] : outcomesOf(from, part);
        const happened = outcomes.find(({ near, far }) => fits(near, left.near) && fits(far, left.far));
        if (happened === undefined) return `after ${part}\nthe sender got ${show(left.near)}\nthe other side ${show(left.far)}\nexpected was ${show(outcomes)}`;
        left.near.splice(0, happened.near.length);
        left.far.splice(0, happened.far.length);
        happened.then?.();
      }
      if (left.near.length + left.far.length === 0) return undefined;
      return `after ${line}\nthere was more than expected: ${show(left)}`;
    },
  };
}

/** What stands in a line of ours for a text that goes on as it is. */
export function written(line: string): string {
  return line.replace(/\r/g, " ");
}

function passes(line: string): Outcome {
  return { near: [], far: [{ text: written(line) }] };
}

// Nothing may arrive where nothing is expected: a list that is empty fits an empty one alone, unless more of a batch is to come.
function fits(expected: readonly Expected[], arrived: readonly string[]): boolean {
  return expected.every((one, at) => {
    const line = arrived[at];
    if (line === undefined) return false;
    if ("text" in one) return line === one.text;
    const { said } = readLine(line);
    if (said?.kind !== "error" || /canary-|DENY-/.test(line)) return false;
    const error = said.message["error"];
    return (one.errorFor === undefined || said.id === one.errorFor) && isObject(error) && one.codes.includes(error["code"] as number); // or it is none of them
  });
}

interface Top {
  readonly id: string | number | undefined;
  readonly asks: boolean;
  readonly answers: boolean;
}

// What a text that is JSON says at its top. Undefined where it is no object, or another reader may see another one.
export function topLevel(line: string): Top | undefined {
  if (Buffer.byteLength(line) > MAX_BYTES || !/^[\s]*\{/.test(line)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  // Whoever has `id` twice, in whatever case, has none.
  const names = [...line.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)].flatMap(([, name, colon]) => (colon === undefined ? [] : [JSON.parse(`"${name}"`) as string]));
  const ids = names.filter((name) => name.toLowerCase() === "id" || name.toUpperCase() === "ID");
  const { id } = value;
  const usable = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
  return {
    id: usable && ids.length === 1 ? id : undefined,
    asks: Object.hasOwn(value, "method"),
    answers: !Object.hasOwn(value, "method") && Object.keys(value).some((name) => /^(?:result|error)$/i.test(name)),
  };
}

/** Whose answer a message is or may have been meant for: that has an id, says that it is JSON-RPC, and says nothing of a method, or has what answers have beside it. */
export function endedBy(text: string): (string | number)[] {
  const { said } = readLine(text);
  if (said !== undefined) return said.method === undefined && typeof said.id !== "object" && said.id !== undefined ? [said.id] : [];
  const { id, asks, answers } = topLevel(text) ?? { id: undefined, asks: true, answers: false };
  if (id === undefined) return [];
  const names = Object.keys(JSON.parse(text) as object); // an object, as topLevel has found
  if (asks) return names.includes("jsonrpc") && names.some((name) => name === "result" || name === "error") ? [id] : [];
  return answers || (names.includes("jsonrpc") && !names.some((name) => /^(?:method|params)$/i.test(name))) ? [id] : [];
}

export function keyOf(id: unknown): string {
  return JSON.stringify(typeof id === "string" || typeof id === "number" ? id : null);
}

const other = (side: Side): Side => (side === "client" ? "server" : "client");
const show = (value: unknown): string => JSON.stringify(value);
