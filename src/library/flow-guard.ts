import { LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type HandlerInput, type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { invalid, readConfig, readPatterns, readText, readWhole } from "./config.ts";
import { base64Runs, decodings, textInBase64 } from "./decodings.ts";
import { dataFingerprint, fingerprints, LEAST_DATA_CHARS, LEAST_SHARED_CHARS } from "./fingerprints.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { DEFAULT_MAX_TEXT_CHARS } from "./payload-edit.ts";
import { perCall } from "./per-call.ts";
import { createStates, readScope, type Scope } from "./state.ts";
import { isTypedBinary } from "./typed-binary.ts";

/** Whose texts may be sent to which server. */
export interface FlowGuardConfig {
  /** The server behind this chain. The gateway fills it in for each upstream; who makes chains by hand gives each guard its own. */
  readonly server?: string;
  /**
   * Letters and digits in a row, spaces and punctuation apart, that are enough to know a text by; 48 unless given, 32 at least. What is shorter passes.
   */
  readonly sharedChars?: number;
  /** Characters of text that are read in one payload, pictures and sounds apart; 4 Mi unless given. A payload with more of them fails. */
  readonly maxTextChars?: number;
  /** Who may be sent what others said: names of servers, or `prefix*`. */
  readonly allow?: readonly FlowRule[];
  /** `principal` (default), or `global`. A session is one with a single server, so nothing would flow between two. */
  readonly scope?: Exclude<Scope, "session">;
}

/** A way that texts may take, from some servers to others. */
export interface FlowRule {
  /** Whose texts; every server's unless given. */
  readonly from?: readonly string[];
  /** To whom; to every server unless given. */
  readonly to?: readonly string[];
}

/** What somebody has read: from which servers each fingerprint came, as bits; `OWN` where he has written it himself before he read it. */
interface Memory {
  /** What came last, and what came before that: once the first is full, the second is forgotten. */
  young: Map<number, number>;
  old: ReadonlyMap<number, number>;
  readonly servers: string[];
}

const OWNER = "flow-guard";
const DEFAULT_SHARED_CHARS = 48;
const SCOPES: readonly Scope[] = ["principal", "global"];
// Twice as many make some 500,000 characters of what was read, in about 3 MB.
const MAX_YOUNG = 32_768;
const MAX_KEYS = 200;
const OWN = 1;
// Servers beyond the last bit share it.
const MAX_SERVERS = 30;
const EVENTS = ["tools/call", "resources/read", "prompts/get", "completion/complete"];

export const flowGuardConfigSchema: JsonObject = {
  type: "object",
  properties: {
    server: { type: "string" },
    sharedChars: { type: "integer", minimum: LEAST_SHARED_CHARS, maximum: 10_000 },
    maxTextChars: { type: "integer", minimum: 1 },
    allow: { type: "array", items: { type: "object", properties: { from: patternsSchema, to: patternsSchema }, additionalProperties: false } },
    scope: { enum: SCOPES },
  },
  additionalProperties: false,
};

/**
 * A validator that refuses calls of one server with text that another has said: as it is, re-spaced, in other case, or encoded (see `decodings`); and with data that it gave, as a whole.
 * It stands in the chains of all servers of a client, and knows texts by fingerprints alone. What the caller wrote himself before he read it is his own.
 * Throws `invalid_argument` for a wrong config.
 */
export function flowGuard(config: FlowGuardConfig = {}): Interceptor {
  const { scope } = readFlowGuard(config);
  const states = createStates<Memory>({ owner: OWNER, scope, maxKeys: MAX_KEYS, create: () => ({ young: new Map(), old: new Map(), servers: [] }) });
  const settings = perCall(config, readFlowGuard);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses to send one server what another has said.",
      hooks: [
        { events: EVENTS, phase: "request" },
        { events: EVENTS, phase: "response" },
      ],
      // What an error says has been said, too.
      handlesErrors: true,
      configSchema: flowGuardConfigSchema,
    },
    ({ payload, phase, context, config: called }: HandlerInput) => {
      const { server, sharedChars, maxTextChars, mayFlow } = settings(called);
      const memory = states.of(context);
      const prints = printsOf(contentsOf(payload, maxTextChars, phase === "request"), sharedChars);
      if (phase === "response") {
        const bit = bitOf(memory, server);
        for (const print of prints) remember(memory, print, bit);
        return allow();
      }
      const source = foreign(memory, server, prints, mayFlow);
      if (source !== undefined) return deny(`This holds what ${source === "" ? "another server" : `the server ${source}`} has said, which may not be sent here`, { info: { from: source } });
      for (const print of prints) if (bitsOf(memory, print) === undefined) remember(memory, print, OWN);
      return allow();
    },
  );
}

/** Whose memory it has under a config. */
export function flowGuardScope(config: unknown): Scope {
  return readFlowGuard(config).scope;
}

function readFlowGuard(value: unknown) {
  const config = readConfig(value, ["server", "sharedChars", "maxTextChars", "allow", "scope"], OWNER);
  return {
    server: readText(config, "server", OWNER) ?? "",
    sharedChars: readWhole(config, "sharedChars", OWNER, LEAST_SHARED_CHARS, 10_000) ?? DEFAULT_SHARED_CHARS,
    maxTextChars: readWhole(config, "maxTextChars", OWNER, 1) ?? DEFAULT_MAX_TEXT_CHARS,
    mayFlow: readRules(ownMember(config, "allow")),
    scope: readScope(ownMember(config, "scope"), OWNER, SCOPES),
  };
}

function readRules(value: unknown): (from: string, to: string) => boolean {
  if (value === undefined) return () => false;
  if (!Array.isArray(value)) throw invalid(OWNER, "allow", "must be a list of rules");
  const rules = value.map((rule: unknown, index) => {
    if (!isObject(rule)) throw invalid(OWNER, `allow[${index}]`, "must be an object");
    const strange = Object.keys(rule).find((member) => member !== "from" && member !== "to");
    if (strange !== undefined) throw invalid(OWNER, `allow[${index}].${strange}`, "is not known; known are from, to");
    const [from, to] = [readPatterns(rule, "from", OWNER), readPatterns(rule, "to", OWNER)].map((names) => (names === undefined ? () => true : compilePatterns(names)));
    return (source: string, target: string) => from?.(source) === true && to?.(target) === true;
  });
  return (source, target) => rules.some((holds) => holds(source, target));
}

/** The server whose words or data these are, where it may not go to another; the last one that shares a bit has no name. */
function foreign(memory: Memory, server: string, prints: readonly number[], mayFlow: (from: string, to: string) => boolean): string | undefined {
  const fine = OWN | bitOf(memory, server);
  for (const print of prints) {
    const bits = bitsOf(memory, print) ?? OWN;
    if ((bits & fine) !== 0) continue;
    const sources = memory.servers.filter((_name, index) => (bits & (2 << index)) !== 0);
    if (sources.length === 0) return "";
    if (!sources.some((source) => mayFlow(source, server))) return sources[0];
  }
  return undefined;
}

function bitOf({ servers }: Memory, server: string): number {
  let index = servers.indexOf(server);
  if (index < 0 && servers.length < MAX_SERVERS - 1) index = servers.push(server) - 1;
  return 2 << (index < 0 ? MAX_SERVERS - 1 : index);
}

function bitsOf({ young, old }: Memory, print: number): number | undefined {
  return young.get(print) ?? old.get(print);
}

// What is read again is young again. Nothing is ever taken out of a map: V8 keeps the place of what was until it rehashes, so that one word, again and again, would cost as
// much as all that is remembered.
function remember(memory: Memory, print: number, bit: number): void {
  const bits = bitsOf(memory, print) ?? 0;
  if (memory.young.size >= MAX_YOUNG && !memory.young.has(print)) {
    memory.old = memory.young;
    memory.young = new Map();
  }
  memory.young.set(print, bits | bit);
}

interface Contents {
  /** What a payload says, in all ways that it can be read. */
  readonly texts: readonly string[];
  /** Base64 of pictures, sounds and resources. */
  readonly data: readonly string[];
}

/**
 * The strings of a payload and its names of members, its values as one text, since what is split over several is still there, and so its neighbouring texts of a list, whatever
 * stands between them in the blocks. Of a request, what its names of members say, by themselves and with the values, is one text, too: in answers, records have the same ones everywhere. Media are known as a whole, and resources that are
 * text read, too. Depth is that of messages.
 */
function contentsOf(payload: unknown, maxTextChars: number, joinsNames: boolean): Contents {
  const names: string[] = [];
  const inOrder: string[] = [];
  const values: string[] = [];
  const joined: string[] = [];
  const data: string[] = [];
  let charsLeft = maxTextChars;
  const counted = (text: string): string => {
    charsLeft -= text.length;
    if (charsLeft < 0) throw new LocalError("limit_exceeded", `a payload with more than ${maxTextChars} characters of text cannot be judged (maxTextChars)`);
    return text;
  };
  const walk = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") {
      const text = counted(String(value));
      values.push(text);
      inOrder.push(text);
    } else if (Array.isArray(value)) {
      for (const text of neighbours(value)) joined.push(text);
      for (const item of value) walk(item);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        names.push(counted(name));
        inOrder.push(name);
        if (typeof member !== "string" || !isTypedBinary(name, value)) {
          walk(member);
          continue;
        }
        data.push(member);
        // A resource may be given as bytes though it is text.
        if (name === "blob") walk(textInBase64(member));
      }
    }
  };
  walk(payload);
  if (values.length > 1) joined.push(values.join(""));
  if (joinsNames && names.length > 1) joined.push(names.join(""), inOrder.join(""));
  return { texts: [...names, ...values, ...joined].flatMap(decodings), data };
}

// Each text is part of one of these at most.
function neighbours(list: readonly unknown[]): readonly string[] {
  const runs: string[][] = [[]];
  for (const item of list) {
    const text = textOf(item);
    if (text === undefined) runs.push([]);
    else runs.at(-1)?.push(text);
  }
  return runs.filter(({ length }) => length > 1).map((run) => run.join(""));
}

// Of a block of content, a resource in one, or a message of a prompt.
function textOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const inner = [item, ownMember(item, "resource"), ownMember(item, "content")].find((part): part is JsonObject => isObject(part) && typeof ownMember(part, "text") === "string");
  // Just found to be one.
  return inner === undefined ? undefined : String(ownMember(inner, "text"));
}

/** The fingerprints of texts, and one for each piece of data, wherever it stands. */
function printsOf({ texts, data }: Contents, sharedChars: number): readonly number[] {
  const prints: number[] = [];
  const takeData = (base64: string) => {
    const print = dataFingerprint(base64);
    if (print !== undefined) prints.push(print);
  };
  for (const base64 of data) takeData(base64);
  for (const text of texts) {
    fingerprints(text, sharedChars, (print) => prints.push(print));
    if (text.length >= LEAST_DATA_CHARS) for (const run of base64Runs(text)) takeData(run);
  }
  return prints;
}
