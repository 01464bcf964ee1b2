import { LocalError } from "../core/base/errors.ts";
import { formatPointer, isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny, warn } from "../core/interceptor/verdict.ts";
import { eventsSchema, invalid, readConfig, readEvents, readWhole } from "./config.ts";
import { perCall } from "./per-call.ts";
import { scoreOf, type SignalId, signalsIn, type TextSignal } from "./signals.ts";
import { isTypedBinary } from "./typed-binary.ts";

/** From which score on texts that look like instructions are warned of, and refused. */
export interface InjectionSignalsConfig {
  /** From this score on a message is refused, in percent; 80 unless given. */
  readonly blockAt?: number;
  /** From this score on it passes with a warning; 40 unless given. */
  readonly warnAt?: number;
  /** Methods whose results are looked at; what tools, resources and prompts say unless given, and what lists say of them. */
  readonly events?: readonly string[];
  /** Characters of all texts together; 1,000,000 unless given. What is larger cannot be judged, and fails. */
  readonly maxChars?: number;
}

const OWNER = "injection-signals";
const EVENTS = ["tools/call", "resources/read", "prompts/get", "tools/list", "prompts/list", "resources/list"];
const MAX_SHOWN = 10;

const percent: JsonObject = { type: "integer", minimum: 1, maximum: 100 };

export const injectionSignalsConfigSchema: JsonObject = {
  type: "object",
  properties: { blockAt: percent, warnAt: percent, events: eventsSchema, maxChars: { type: "integer", minimum: 1 } },
  additionalProperties: false,
};

/**
 * A validator that scores results by signs of instructions for the model in them, and says in `info` which it found, where and in which words. It declares
 * `mode: "audit"`: nothing is blocked until whoever runs it says so. Throws `invalid_argument` for a wrong config.
 */
export function injectionSignals(config: InjectionSignalsConfig = {}): Interceptor {
  const settings = perCall(config, readInjectionSignals);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Scores results by signs of instructions for the model in them.",
      hooks: [{ events: settings({}).events, phase: "response" }],
      mode: "audit",
      handlesErrors: true,
      configSchema: injectionSignalsConfigSchema,
    },
    ({ payload, config: called }) => {
      const { blockAt, warnAt, maxChars } = settings(called);
      const found = signalsOf(payload, maxChars);
      const score = scoreOf(found.map(({ signal }) => signal));
      if (score * 100 < warnAt) return allow();
      const shown = found.slice(0, MAX_SHOWN).map(({ signal: { id, weight, evidence }, path }) => ({ id, weight, path, evidence }));
      const info = { score, signals: shown };
      const names = [...new Set(found.map(({ signal }) => signal.id))].join(", ");
      const message = `This reads like instructions for the model (score ${score}: ${names})`;
      return score * 100 < blockAt ? warn(message, { info }) : deny(message, { info, ...(shown[0] === undefined ? {} : { path: shown[0].path }) });
    },
  );
}

function readInjectionSignals(value: unknown) {
  const config = readConfig(value, ["blockAt", "warnAt", "events", "maxChars"], OWNER);
  const blockAt = readWhole(config, "blockAt", OWNER, 1, 100) ?? 80;
  const warnAt = readWhole(config, "warnAt", OWNER, 1, 100) ?? Math.min(40, blockAt);
  if (ownMember(config, "warnAt") !== undefined && warnAt > blockAt) throw invalid(OWNER, "warnAt", `must not be above blockAt, which is ${blockAt}`);
  return { blockAt, warnAt, events: readEvents(config, "events", OWNER) ?? EVENTS, maxChars: readWhole(config, "maxChars", OWNER, 1) ?? 1_000_000 };
}

interface Found {
  readonly signal: TextSignal;
  readonly path: string;
}

// Of each signal the first; a text that is split over several blocks is one to who reads it, so they are looked at together, too.
function signalsOf(payload: unknown, maxChars: number): readonly Found[] {
  const found = new Map<SignalId, Found>();
  const path: (string | number)[] = [];
  const texts: string[] = [];
  let chars = 0;
  const look = (text: string, at: string) => {
    for (const signal of signalsIn(text)) if (!found.has(signal.id)) found.set(signal.id, { signal, path: at });
  };
  const walk = (value: unknown): void => {
    if (typeof value === "string") {
      chars += value.length;
      if (chars > maxChars) throw new LocalError("limit_exceeded", `more than ${maxChars} characters cannot be judged`);
      texts.push(value);
      look(value, formatPointer(path));
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        path.push(index);
        walk(item);
        path.pop();
      }
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (isTypedBinary(name, value)) continue;
        path.push(name);
        walk(member);
        path.pop();
      }
    }
  };
  walk(payload);
  if (texts.length > 1) look(texts.join(" "), "");
  return [...found.values()];
}
