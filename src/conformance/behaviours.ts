import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { mutator, validator, type Declaration, type HandlerInput, type Interceptor } from "../core/interceptor/define.ts";
import { mutated, unchanged } from "../core/interceptor/verdict.ts";
import { editAt, valueAt } from "./edit.ts";
import type { RecordedCall } from "./calls.ts";
import type { Behaviour, FixtureDeclaration } from "./vector.ts";

/** What scripted interceptors go by, and who is told of their calls. */
export interface FixtureOptions {
  /** Whose clock `slow` goes by. */
  readonly host: Pick<Host, "setTimer">;
  readonly record?: (call: RecordedCall) => void;
}

const OPTIONS: OptionTable<FixtureOptions> = { host: "an object", record: "a function" };

/** An interceptor of ours that does what its declaration scripts. Throws `invalid_argument` for a word that is not in the vocabulary. */
export function fixtureInterceptor(declaration: FixtureDeclaration, options: FixtureOptions): Interceptor {
  checkOptions(options, "the options of fixtureInterceptor", OPTIONS);
  const { host, record } = options;
  const { behaviour, type, listed: _listed, ...members } = declaration;
  const words = type === "validation" ? VALIDATOR_WORDS : MUTATOR_WORDS;
  const handler = (input: HandlerInput): unknown => {
    const { name, event, phase, payload, context } = input;
    record?.({ interceptor: name, type, event, phase, payload: cloneJson(payload), context: cloneJson(context) });
    return perform(behaviour, input, host, words);
  };
  checkWord(behaviour, words);
  // The rest is as `validator` and `mutator` take it: they check each member themselves. A fixture may return anything.
  const rest = members as unknown as Declaration;
  return type === "validation" ? validator(rest, handler as () => boolean) : mutator(rest, handler as () => never);
}

/** Words whose answer a server gives as it is, and no interceptor makes: see `scriptedSource`. */
export const ANSWER_WORDS: ReadonlySet<string> = new Set(["answer", "rpc-error", "show-call"]);

type Word = (behaviour: Behaviour, input: HandlerInput) => unknown;

const COMMON_WORDS: Readonly<Record<string, Word>> = {
  "throw": () => {
    throw new LocalError("refused", "scripted failure");
  },
  "hang": () => new Promise(() => {}),
  "return-nothing": () => undefined,
  "return": ({ value }) => value,
};

const VALIDATOR_WORDS: Readonly<Record<string, Word>> = {
  ...COMMON_WORDS,
  "allow": () => ({ valid: true }),
  "say-yes": () => true,
  "say-no": () => false,
  "deny": ({ path }) => ({ valid: false, severity: "error", messages: [{ ...(path !== undefined && { path }), message: "denied", severity: "error" }] }),
  "deny-without-severity": () => ({ valid: false, messages: [{ message: "denied" }] }),
  "deny-without-messages": () => ({ valid: false, severity: "error" }),
  "deny-bare": () => ({ valid: false }),
  "deny-odd-severity": () => ({ valid: false, severity: "fatal" }),
  "deny-by-messages": ({ severities }) => ({ valid: false, messages: (severities as string[]).map((severity) => ({ message: `says ${severity}`, severity })) }),
  "warn": () => ({ valid: false, severity: "warn", messages: [{ message: "doubtful", severity: "warn" }] }),
  "info": () => ({ valid: false, severity: "info", messages: [{ message: "noted", severity: "info" }] }),
  "allow-with-error": () => ({ valid: true, severity: "error", messages: [{ message: "allowed all the same", severity: "error" }] }),
  "deny-if": ({ path, equals }, { payload }) => {
    const hit = valueAt(payload, String(path)) === equals;
    return hit ? { valid: false, severity: "error", messages: [{ path, message: "denied", severity: "error" }] } : { valid: true };
  },
  "edit-and-allow": ({ path, value }, { payload }) => {
    editAt(payload, String(path), () => value);
    return { valid: true };
  },
  "report": (_, input) => ({ valid: true, info: reportOf(input) }),
};

const MUTATOR_WORDS: Readonly<Record<string, Word>> = {
  ...COMMON_WORDS,
  "unchanged": () => unchanged(),
  "same": (_, { payload }) => payload,
  "upper": ({ path }, { payload }) => editAt(payload, String(path), (text) => String(text).toUpperCase()),
  "append": ({ path, value }, { payload }) => editAt(payload, String(path), (list) => [...(list as unknown[]), value]),
  "set": ({ path, value }, { payload }) => editAt(payload, String(path), () => value),
  "remove": ({ path }, { payload }) => editAt(payload, String(path), () => undefined),
  "replace": ({ value }) => mutated(value),
  "edit-and-throw": ({ path, value }, { payload }) => {
    editAt(payload, String(path), () => value);
    throw new LocalError("refused", "scripted failure");
  },
  "edit-and-unchanged": ({ path, value }, { payload }) => {
    editAt(payload, String(path), () => value);
    return unchanged();
  },
  "report": (_, input) => unchanged({ info: reportOf(input) }),
};

function perform(behaviour: Behaviour, input: HandlerInput, host: FixtureOptions["host"], words: Readonly<Record<string, Word>>): unknown {
  if (ANSWER_WORDS.has(behaviour.do)) return words === VALIDATOR_WORDS ? true : unchanged();
  if (behaviour.do !== "slow") return words[behaviour.do]!(behaviour, input);
  // Checked when the fixture was made.
  const { ms, then } = behaviour as unknown as { ms: number; then: Behaviour };
  return new Promise((resolve) => host.setTimer(() => resolve(undefined), ms)).then(() => perform(then, input, host, words));
}

function checkWord(behaviour: Behaviour, words: Readonly<Record<string, Word>>): void {
  if (behaviour.do === "slow") return checkWord(behaviour["then"] as Behaviour, words);
  if (Object.hasOwn(words, behaviour.do) || ANSWER_WORDS.has(behaviour.do)) return;
  throw new LocalError("invalid_argument", `the vocabulary has no ${JSON.stringify(behaviour.do)} for this type of interceptor`);
}

// What of its input depends on the invoker alone, and not on the clock.
function reportOf({ config, context, event, phase }: HandlerInput): JsonObject {
  const { principal, request, revalidation } = context;
  return {
    event,
    phase,
    config,
    ...(principal !== undefined && { principal }),
    ...(request !== undefined && { request }),
    ...(revalidation !== undefined && { revalidation }),
  };
}
