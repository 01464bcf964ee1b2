import { LocalError, type RpcError } from "../base/errors.ts";
import type { PlatformSignal } from "../base/host.ts";
import { cloneJson, isObject, type JsonObject } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import { isThenable } from "../base/thenable.ts";
import { describeMember } from "../wire/check.ts";
import { canonicalDescriptor, descriptorProblem, readExtras } from "../wire/descriptors.ts";
import type { ErrorPayload, EventPattern, PayloadOf } from "../wire/events.ts";
import type {
  Compat,
  InterceptorDescriptor,
  InterceptorType,
  InvocationContext,
  Mode,
  Phase,
  Principal,
  PriorityHint,
} from "../wire/gen/interceptors.ts";
import { OWN_META } from "../wire/meta.ts";
import { timeoutProblem } from "../wire/timeout.ts";
import { adoptConfigSchema, deepFreeze, type AdoptedSchema, type ConfigCheck } from "./config-schema.ts";
import type { Mutation, Verdict } from "./verdict.ts";

/** Which messages an interceptor is for: method names, `*` or `ns/*`, in one phase (SEP-2624, Hooks). */
export interface HookDeclaration {
  readonly events: readonly EventPattern[];
  readonly phase: Phase;
}

/** What an interceptor is: the SEP's members, and three of ours. All but `name` and `hooks` have defaults. */
export interface Declaration<H extends readonly HookDeclaration[] = readonly HookDeclaration[], E extends boolean = boolean> {
  /** Any text. A chain addresses it as `label/name`, split at the first `/`, so a name may hold one and a label may not. */
  readonly name: string;
  readonly hooks: H;
  readonly version?: string;
  readonly description?: string;
  /** `active` unless said otherwise: `audit` never blocks and never changes. */
  readonly mode?: Mode;
  /** False unless said otherwise: a failure blocks the message. */
  readonly failOpen?: boolean;
  /** Order among mutators, lower first; 0 unless said otherwise. */
  readonly priorityHint?: PriorityHint;
  readonly compat?: Compat;
  /** JSON Schema 2020-12 of `config`; checked before each run. */
  readonly configSchema?: JsonObject;
  /** Also run on error responses: the payload of the response phase is `{ error }` then. */
  readonly handlesErrors?: E;
  /** In the response phase, also show the request as `context.request`. */
  readonly withRequest?: boolean;
  /** Time for one run, where whoever calls sets none; 30,000 unless said otherwise. */
  readonly timeoutMs?: number;
  /** The error that a guard answers for what it refuses, where it runs in the guard's process; a policy's `answerAs` beats it. */
  readonly answerAs?: RefusalAnswer;
}

/** The invoker's context (SEP-2624, Invocation Configuration and Context), asserted by it, and what we add. A copy of the handler's own. */
export interface HandlerContext extends InvocationContext {
  /** The request that this response answers; present with `withRequest`. */
  readonly request?: { readonly method: string; readonly params?: JsonObject };
  /** This validator has judged the message before it was mutated, and is asked again: do not count it twice. */
  readonly revalidation?: true;
}

/** The one argument of a handler. `payload`, `config` and `context` are copies of the handler's own: only its return value counts. */
export interface HandlerInput<Event extends string = string, P extends Phase = Phase, Payload = PayloadOf<Event, P>> {
  readonly payload: Payload;
  readonly event: Event;
  readonly phase: P;
  readonly config: JsonObject;
  readonly context: HandlerContext;
  /** Whoever calls the server that hosts this interceptor, as the transport verified it. */
  readonly caller: Principal | undefined;
  /** Aborts at the timeout, on cancellation, and when the run is over. Made on first reading. */
  readonly signal: PlatformSignal;
  readonly name: string;
}

type EventOf<Pattern extends string> = Pattern extends "*"
  ? string
  : Pattern extends `${infer Namespace}/*`
    ? `${Namespace}/${string}`
    : Pattern;

// The result of a method has no `error`, though it may have members that nobody knows: so the two can be told apart by it.
type OrError<Payload, P extends Phase> = P extends "response" ? (unknown extends Payload ? unknown : (Payload & { readonly error?: undefined }) | ErrorPayload) : Payload;

type PatternInput<Pattern extends string, P extends Phase, E extends boolean> = Pattern extends string
  ? P extends Phase
    ? HandlerInput<EventOf<Pattern>, P, E extends true ? OrError<PayloadOf<Pattern, P>, P> : PayloadOf<Pattern, P>>
    : never
  : never;

type HookInput<Hook, E extends boolean> = Hook extends {
  readonly events: readonly (infer Pattern extends string)[];
  readonly phase: infer P extends Phase;
}
  ? PatternInput<Pattern, P, E>
  : never;

/** The inputs that hooks lead to: a union, told apart by `event` and `phase`. */
type InputOf<H extends readonly HookDeclaration[], E extends boolean = false> = HookInput<H[number], E>;

// Without a hook it would never run.
type Hooked<H> = H extends readonly [] ? { readonly hooks: readonly [HookDeclaration, ...HookDeclaration[]] } : unknown;

type ValidatorOutput = boolean | Verdict;
type MutatorOutput<Payload> = Payload | Mutation<Payload>;

/** Match conditions that a pattern cannot say: false, and the handler is not called. A throw, or anything but a boolean, is a failure. */
interface Conditions<Input> {
  readonly when?: (input: Input) => boolean;
}

/** What a blocked `tools/call` or any other refused request is answered with (SEP-2624, Error Handling). */
export interface Refusal {
  readonly method: string;
  /** The request's params, as they came. */
  readonly params: unknown;
  /** The interceptor that refused. */
  readonly interceptor: string;
  /** What would be answered otherwise. */
  readonly error: RpcError;
}

/** Gives the error that a guard answers for what an interceptor refuses. What it throws leaves the usual one. */
export type RefusalAnswer = (refusal: Refusal) => RpcError;

/** A frozen, ready-to-run interceptor; made by {@link validator} and {@link mutator}. */
export interface Interceptor {
  /** Canonical, and as declared: `ns/*` is not expanded. */
  readonly descriptor: InterceptorDescriptor;
  readonly handler: (input: HandlerInput) => unknown;
  readonly when: ((input: HandlerInput) => unknown) | undefined;
  readonly checkConfig: ConfigCheck | undefined;
  readonly handlesErrors: boolean;
  readonly withRequest: boolean;
  readonly timeoutMs: number | undefined;
  readonly answerAs?: RefusalAnswer;
}

/**
 * A validator: looks at the payload and says whether it may pass. The handler returns a boolean, a {@link Verdict}, or a promise of
 * one; nothing at all is a malformed result. Throws `invalid_argument`, with the name and the member, if the declaration is wrong.
 */
export function validator<const H extends readonly HookDeclaration[], const E extends boolean = false>(
  declaration: Declaration<H, E> & Conditions<InputOf<H, E>> & Hooked<H>,
  handler: (input: InputOf<H, E>) => ValidatorOutput | Promise<ValidatorOutput>,
): Interceptor {
  return define("validation", declaration, handler as Handler);
}

/**
 * A mutator: returns the new payload, or the one it got, edited in place or not, or `unchanged()`, or a promise of these. What counts is the
 * value: one that equals the input is reported as not modified. Nothing at all is a malformed result: a forgotten `return`
 * must not look like a mutator that had nothing to do. Throws like {@link validator}.
 */
export function mutator<const H extends readonly HookDeclaration[], const E extends boolean = false>(
  declaration: Declaration<H, E> & Conditions<InputOf<H, E>> & Hooked<H>,
  handler: (input: InputOf<H, E>) => MutatorOutput<InputOf<H, E>["payload"]> | Promise<MutatorOutput<InputOf<H, E>["payload"]>>,
): Interceptor {
  return define("mutation", declaration, handler as Handler);
}

/** Whether a value is an interceptor, made by this copy of the package or by another. */
export function isInterceptor(value: unknown): value is Interceptor {
  return isObject(value) && typeof value["handler"] === "function" && descriptorProblem(value["descriptor"]) === undefined;
}

/** Interceptors as they are written down: some factories of the library give one, some a list. */
export type Interceptors = Interceptor | readonly (Interceptor | readonly Interceptor[])[];

/** All of them, in order. Throws `invalid_argument` for what is none, and says where it stands. */
export function interceptorList(given: Interceptors): readonly Interceptor[] {
  if (isInterceptor(given)) return [given];
  if (!Array.isArray(given)) throw notInterceptor("the interceptors are", given);
  return (given as readonly unknown[]).flatMap((item, index): readonly Interceptor[] => {
    if (isInterceptor(item)) return [item];
    if (!Array.isArray(item)) throw notInterceptor(`interceptors[${index}] is`, item);
    return item.map((inner: unknown, at) => {
      if (!isInterceptor(inner)) throw notInterceptor(`interceptors[${index}][${at}] is`, inner);
      return inner;
    });
  });
}

function notInterceptor(subject: string, value: unknown): LocalError {
  const what =
    typeof value === "function"
      ? "a function: call it, as in redact()"
      : typeof value === "string"
        ? `the text ${JSON.stringify(value.slice(0, 60))}: import the interceptor and call it; names are for configurations`
        : isThenable(value)
          ? "a promise: await it"
          : "no interceptor: validator(…), mutator(…) or a ready-made one is wanted";
  return new LocalError("invalid_argument", `${subject} ${what}`);
}

// A handler is called only for its own hooks, so the input it gets is one of those that its type names.
type Handler = (input: HandlerInput) => unknown;

const MEMBERS: ReadonlySet<string> = new Set([
  ...["name", "hooks", "version", "description", "mode", "failOpen", "priorityHint", "compat", "configSchema"],
  ...["handlesErrors", "withRequest", "timeoutMs", "when", "answerAs"],
]);

function define(type: InterceptorType, declaration: Declaration & Conditions<never>, handler: Handler): Interceptor {
  if (!isObject(declaration)) throw new LocalError("invalid_argument", "an interceptor is declared by an object with a name and hooks, and then comes its handler");
  const { name, hooks, version, description, mode, failOpen, priorityHint, compat, configSchema } = declaration;
  const { handlesErrors, withRequest, timeoutMs, answerAs } = declaration;
  const fail = (problem: string) => new LocalError("invalid_argument", `interceptor ${JSON.stringify(name)}: ${problem}`);

  const unknown = Object.keys(declaration).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) throw fail(`${unknown} is no member of a declaration: ${didYouMean(unknown, MEMBERS, `known are ${[...MEMBERS].join(", ")}`)}`);
  if (typeof handler !== "function") throw fail("the handler must be a function");
  // Typed as never for callers of their own type; a plain function here.
  const when = declaration.when as Interceptor["when"];
  if (when !== undefined && typeof when !== "function") throw fail("when must be a function");
  if (answerAs !== undefined && typeof answerAs !== "function") throw fail("answerAs must be a function");
  const timeoutFault = timeoutMs === undefined ? undefined : timeoutProblem(timeoutMs);
  if (timeoutFault !== undefined) throw fail(`timeoutMs ${timeoutFault}`);

  const extras: JsonObject = {
    [OWN_META.handlesErrors]: handlesErrors || undefined,
    [OWN_META.withRequest]: withRequest || undefined,
    [OWN_META.timeoutMs]: timeoutMs,
  };
  const draft = {
    name,
    version,
    description,
    type,
    hooks,
    mode,
    failOpen,
    priorityHint: type === "validation" ? undefined : priorityHint,
    compat,
    configSchema,
    _meta: Object.values(extras).every((extra) => extra === undefined) ? undefined : extras,
  };
  const refused = descriptorProblem(draft);
  if (refused !== undefined) throw fail(describeMember(refused, "it"));
  let own: AdoptedSchema | undefined;
  try {
    own = configSchema === undefined ? undefined : adoptConfigSchema(configSchema);
  } catch (thrown) {
    throw fail(`configSchema ${thrown instanceof LocalError ? thrown.message : "cannot be used"}`);
  }
  // The copy drops the members that are undefined, and is ours alone. It has just been checked.
  const copy = cloneJson({ ...draft, configSchema: undefined } as unknown as InterceptorDescriptor);
  const descriptor = deepFreeze(canonicalDescriptor(own === undefined ? copy : { ...copy, configSchema: own.schema }));
  return Object.freeze({ descriptor, handler, when, checkConfig: own?.check, ...readExtras(descriptor), ...(answerAs === undefined ? {} : { answerAs }) });
}
