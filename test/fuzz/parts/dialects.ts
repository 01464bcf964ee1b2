// Answers and listings of interceptor servers in older spellings and in none: read into the one form, or refused in words.
import { isDeepStrictEqual } from "node:util";
import { LocalError } from "../../../src/core/base/errors.ts";
import { readDescriptor, writeDescriptor } from "../../../src/core/wire/descriptors.ts";
import { readCapability } from "../../../src/core/wire/dialects.ts";
import { alsoNested, readResult, type Asked } from "../../../src/core/wire/results.ts";
import { randomJson } from "../../support/random-json.ts";
import type { Random } from "../../support/random.ts";
import type { Count, Part } from "./part.ts";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const SEVERITIES: readonly unknown[] = ["info", "warn", "error"];
const PHASES: readonly unknown[] = ["request", "response"];

// What is drawn for each member: mostly what it may be, then something near it, then anything.
const USUAL: Readonly<Record<string, readonly unknown[]>> = {
  type: ["validation", "mutation", "sink"],
  interceptor: ["a", "b"],
  phase: ["request", "response"],
  durationMs: [1, 0.5, 0],
  valid: [true, false],
  severity: ["info", "warn", "error"],
  messages: [[], [{ message: "m", severity: "warn", path: "/a" }], [{ message: "m", severity: "error" }], ["m"]],
  suggestions: [[{ path: "/a", value: 1 }], []],
  modified: [true, false],
  payload: [{ name: "x" }, null, []],
  info: [{ k: 1 }],
  recorded: [true],
  metrics: [{ n: 1 }, { n: "1" }],
  signature: [{ algorithm: "x" }],
  name: ["a", "strict-names"],
  version: ["1.0.0"],
  description: ["d"],
  events: [["tools/call"], ["*"], ["tools/*"], ["*/request"], ["*/request", "*/response", "ping"], []],
  hook: [{ events: ["tools/call"], phase: "both" }, { events: ["*"], phase: "request" }, null],
  hooks: [[{ events: ["tools/call"], phase: "request" }], [{ events: ["*/response"], phase: "both" }], [], null],
  mode: ["active", "audit", "enforce", null],
  failOpen: [true, false],
  priorityHint: [1, { request: 1 }, { request: -5, response: 2 }],
  timeoutMs: [100],
  configSchema: [{ type: "object" }],
  compat: [{ minProtocol: "2024-11-05" }, { minProtocol: 5 }],
  _meta: [{}, { "io.modelcontextprotocol/x": 1 }],
};
const NEAR: readonly unknown[] = ["", "Error", "fatal", 0, -1, 1.5, 2 ** 40, null, undefined, [], {}, [null], [{}], "both", "*/both", { events: "x" }, { events: [5, ""], phase: "request" }, [{ message: 5, severity: "x" }], { __proto__: null }];
const RESULT = ["type", "interceptor", "phase", "durationMs", "valid", "severity", "messages", "suggestions", "modified", "payload", "info", "recorded", "metrics", "signature"];
const LISTED = ["name", "version", "description", "type", "events", "phase", "hook", "hooks", "mode", "failOpen", "priorityHint", "timeoutMs", "configSchema", "compat", "_meta"];

function drawMembers(random: Random, names: readonly string[], share: number, spelt = true): Json {
  const object: Record<string, unknown> = {};
  for (const name of names) {
    if (random.next() >= share) continue;
    const kind = random.below(16);
    object[spelt && random.below(60) === 0 ? name.toUpperCase() : name] = kind === 0 ? randomJson(random, 2) : kind === 1 ? random.pick(NEAR) : random.pick(USUAL[name]!);
  }
  return object;
}

function results(random: Random, count: Count): string | undefined {
  const asked: Asked = { name: "a", type: random.pick(["validation", "mutation", "sink"]), phase: random.pick(["request", "response"]), durationMs: 2 };
  let answer: unknown = { ...drawMembers(random, RESULT, 0.35), ...(random.below(3) > 0 && { [asked.type === "mutation" ? "modified" : "valid"]: random.below(2) === 0 }) };
  if (random.below(5) > 0) answer = { ...(answer as Json), type: asked.type, phase: asked.phase };
  if (random.below(3) === 0) {
    const nested = drawMembers(random, RESULT, 0.3);
    answer = { ...(random.below(2) === 0 ? (answer as Json) : { type: asked.type }), [random.below(8) === 0 ? "mutation" : asked.type]: random.below(12) === 0 ? random.pick(NEAR) : { ...(random.below(2) === 0 && (answer as Json)), ...nested } };
  }
  if (random.below(25) === 0) answer = randomJson(random, 2);
  const before = JSON.stringify(answer);
  let result: Json;
  try {
    result = readResult(answer, asked) as unknown as Json;
  } catch (thrown) {
    count("malformed");
    return thrown instanceof LocalError && thrown.code === "malformed_result" && thrown.message !== "" ? undefined : `${String(thrown)} for ${before}`;
  }
  count(asked.type);
  if (JSON.stringify(answer) !== before) return `the answer was changed: ${before}`;
  const wrong = wrongResult(result, asked);
  if (wrong !== undefined) return `${wrong} in ${JSON.stringify(result)} of ${before}`;
  if (!isDeepStrictEqual(readResult(result, asked), result)) return `it reads otherwise the second time: ${before}`;
  if (asked.type !== "sink" && !isDeepStrictEqual(readResult(alsoNested(result as never), asked), result)) return `nested, it reads otherwise: ${before}`;
  return undefined;
}

// SEP-2624, Interceptor Results, by hand.
function wrongResult(result: Json, { type, phase }: Asked): string | undefined {
  const { valid, severity, messages, suggestions, modified, info, durationMs, signature } = result;
  if (result["type"] !== type || result["interceptor"] !== "a" || result["phase"] !== phase) return "not what was asked for";
  if (!(typeof durationMs === "number" && durationMs >= 0 && durationMs < Infinity)) return "no duration";
  if (info !== undefined && !isObject(info)) return "info is no object";
  const known = { validation: ["valid", "severity", "messages", "suggestions", "signature"], mutation: ["modified", "payload"], sink: ["recorded", "metrics"] }[type];
  const strange = Object.keys(result).find((name) => ![...known, "type", "interceptor", "phase", "durationMs", "info"].includes(name));
  if (strange !== undefined) return `an unknown member ${strange}`;
  if (type === "mutation") return typeof modified !== "boolean" || (modified && result["payload"] === undefined) ? "no mutation" : undefined;
  if (type === "sink") return undefined;
  if (typeof valid !== "boolean") return "valid is no boolean";
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  if (messages !== undefined && list.length === 0) return "an empty list";
  if (!list.every((one) => isObject(one) && isText(one["message"]) && SEVERITIES.includes(one["severity"]) && (one["path"] === undefined || isText(one["path"])))) return "a malformed message";
  if (severity !== undefined && !SEVERITIES.includes(severity)) return "no severity";
  if (!valid && severity === undefined) return "an objection without severity";
  if (!valid && severity === "error" && !list.some((one) => isObject(one) && one["severity"] === "error")) return "a block without an error message";
  if (suggestions !== undefined && !(Array.isArray(suggestions) && suggestions.every((one: unknown) => isObject(one) && isText(one["path"]) && one["value"] !== undefined))) return "malformed suggestions";
  return signature === undefined || isObject(signature) ? undefined : "a malformed signature";
}

function listings(random: Random, count: Count): string | undefined {
  const sound = { name: "a", type: random.pick(["validation", "mutation", "sink"]), ...random.pick<Json>([{ hooks: [{ events: ["tools/call"], phase: "request" }] }, { hook: { events: ["*"], phase: "both" } }, { events: ["*/request"], phase: "request" }]) };
  const listed: unknown = random.below(25) === 0 ? randomJson(random, 2) : { ...(random.below(6) > 0 && sound), ...drawMembers(random, LISTED, random.pick([0.1, 0.4]), false) };
  const before = JSON.stringify(listed);
  const { value, refused } = readDescriptor(listed);
  if (JSON.stringify(listed) !== before) return `the listing was changed: ${before}`;
  if (value === undefined) {
    count("refused");
    return refused.reason === "" ? `refused without a reason: ${before}` : undefined;
  }
  count("listed");
  const wrong = wrongListing(value as unknown as Json);
  if (wrong !== undefined) return `${wrong} in ${JSON.stringify(value)} of ${before}`;
  if (readDescriptor(value).value !== value) return `it reads otherwise the second time: ${before}`;
  const { type } = value;
  if (type === "sink") return undefined;
  const again = readDescriptor(JSON.parse(JSON.stringify(writeDescriptor({ ...value, type }))));
  return again.value === undefined ? `what is written is refused: ${before} ${JSON.stringify(again.refused)}` : undefined;
}

function wrongListing({ name, type, hooks, mode, failOpen, priorityHint, ...rest }: Json): string | undefined {
  if (!isText(name) || name === "" || !["validation", "mutation", "sink"].includes(String(type))) return "no name or type";
  if (!Array.isArray(hooks) || hooks.length === 0) return "no hooks";
  const sound = (hook: unknown) => isObject(hook) && PHASES.includes(hook["phase"]) && Array.isArray(hook["events"]) && hook["events"].length > 0 && hook["events"].every((event: unknown) => isText(event) && event !== "" && /^(?:\*|[^*]+|[^*]*\/\*)$/.test(event));
  if (!hooks.every(sound)) return "malformed hooks";
  if (mode !== undefined && mode !== "active" && mode !== "audit") return "no mode";
  if (failOpen !== undefined && typeof failOpen !== "boolean") return "failOpen is no boolean";
  const hint = (value: unknown) => Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31;
  if (type === "mutation" && priorityHint !== undefined && !hint(priorityHint) && !(isObject(priorityHint) && ["request", "response"].every((phase) => priorityHint[phase] === undefined || hint(priorityHint[phase])))) return "no hint";
  return ["hook", "events", "phase"].some((member) => rest[member] !== undefined) ? "an older spelling is left" : undefined;
}

function capabilities(random: Random, count: Count): string | undefined {
  const draw = (): unknown => random.pick<unknown>([{ supportedEvents: ["b", "a", "b"] }, { supportedEvents: [5, "", "a", null] }, { supportedEvents: "x" }, {}, null, [], randomJson(random, 2)]);
  const group = () => ({ [random.pick(["io.modelcontextprotocol/interceptors", "interceptors", "x"])]: draw() });
  const given: unknown = random.below(10) === 0 ? randomJson(random, 2) : { extensions: random.below(3) > 0 ? group() : draw(), experimental: group(), [random.pick(["interceptor", "interceptors"])]: draw() };
  const found = readCapability(given);
  if (found === undefined) return void count("no capability");
  count("capability");
  const { supportedEvents } = found;
  const sound = supportedEvents.every((event) => isText(event) && event !== "") && new Set(supportedEvents).size === supportedEvents.length;
  const again = readCapability({ extensions: { "io.modelcontextprotocol/interceptors": found } });
  return sound && isDeepStrictEqual(again, found) ? undefined : `${JSON.stringify(found)} of ${JSON.stringify(given)}`;
}

export const dialectsPart: Part = {
  name: "dialects",
  cases: 2_500,
  least: { validation: 100, mutation: 60, sink: 80, malformed: 300, listed: 200, refused: 300, capability: 200, "no capability": 20 },
  run: (random, count) => random.pick([results, results, listings, listings, capabilities])(random, count),
};
