import type { JsonObject } from "../core/base/json.ts";
import type { Overrides } from "../core/interceptor/policy.ts";
import type { Direction } from "../core/chain/plan.ts";
import type { InvocationContext, Phase } from "../core/wire/gen/interceptors.ts";

/** What an interceptor does when it is called: a word of the vocabulary (spec/README.md), and what that word needs. */
export interface Behaviour extends JsonObject {
  readonly do: string;
}

/** An interceptor of a vector: its descriptor's members, our additions, and its behaviour. */
export interface FixtureDeclaration extends JsonObject {
  readonly name: string;
  readonly type: "validation" | "mutation";
  readonly behaviour: Behaviour;
  /** In chain vectors: laid over the members of the descriptor that its server lists, as a server of another make may write them. */
  readonly listed?: JsonObject;
}

/** One server of a chain vector, with the settings under which its interceptors are added. */
export interface VectorServer {
  readonly label: string;
  readonly interceptors: readonly FixtureDeclaration[];
  /** What it lists, and hosts if the chain takes it in, from the refresh on. */
  readonly later?: readonly FixtureDeclaration[];
  readonly ignoreUnknownTypes?: boolean;
  readonly overrides?: Readonly<Record<string, Overrides>>;
  readonly config?: Readonly<Record<string, JsonObject>>;
}

/**
 * One execution, as plain JSON. `error: true` says that the payload is `{ error }`; after `abortAfterMs` the caller gives up, and `edit` is what
 * the caller does to its own payload meanwhile.
 */
export interface VectorExecution {
  readonly event: string;
  readonly phase: Phase;
  readonly payload: unknown;
  readonly direction?: Direction;
  readonly version?: string;
  readonly interceptors?: readonly string[];
  readonly config?: Readonly<Record<string, JsonObject>>;
  readonly timeoutMs?: number;
  readonly context?: InvocationContext;
  readonly request?: { readonly method: string; readonly params?: JsonObject };
  readonly error?: boolean;
  readonly revalidate?: "if-modified" | "never";
  readonly abortAfterMs?: number;
  readonly edit?: { readonly afterMs: number; readonly path: string; readonly value: unknown };
}

interface Common {
  /** `KIND/TOPIC/CASE`, unique. */
  readonly id: string;
  /** What the vector proves, in a sentence. */
  readonly title: string;
  /** Ids of spec/requirements.json. */
  readonly requirements: readonly string[];
  readonly expect: unknown;
}

/** A descriptor as an SDK lists it, and its canonical form, or that it is refused. */
export interface DescriptorVector extends Common {
  readonly kind: "descriptor";
  readonly input: { readonly descriptor: unknown };
}

/** `only: "connection"`: what a connection alone can show, such as params that are malformed. */
export interface CallVector extends Common {
  readonly kind: "list" | "invoke";
  readonly only?: "connection";
  readonly input: { readonly method: string; readonly params: JsonObject };
}

/** A chain over servers, one execution, and what comes of it. */
export interface ChainVector extends Common {
  readonly kind: "chain";
  readonly input: {
    readonly servers: readonly VectorServer[];
    readonly maxDetached?: number;
    /** All sources are read again before the execution. */
    readonly refresh?: { readonly allowWeaker?: boolean };
    readonly execute: VectorExecution;
    /** How much scripted time passes after the execution, before `lateAnswers` is read. */
    readonly waitMs?: number;
  };
}

/** A server's capabilities in some spelling. */
export interface CapabilityVector extends Common {
  readonly kind: "capability";
  readonly input: { readonly capabilities: unknown };
}

/** What a scripted server answers. */
export type ScriptedAnswer = { readonly result: JsonObject } | { readonly error: { readonly code: number; readonly message: string } };

/** A client of interceptors before a server that answers as scripted. */
export interface ClientVector extends Common {
  readonly kind: "client";
  readonly input: {
    readonly capabilities: JsonObject;
    /** By method: the answers one after the other, of which the last one stays. A method that is not here is unknown. */
    readonly methods: Readonly<Record<string, readonly ScriptedAnswer[]>>;
    readonly ask: readonly ("list" | "invoke")[];
  };
}

/** An answer to `interceptor/invoke` in some spelling, and what was asked for. */
export interface DialectVector extends Common {
  readonly kind: "dialect";
  readonly input: { readonly asked: AskedResult; readonly answer: unknown };
}

/** Which interceptor an answer is read for, since some SDKs leave that out of it. */
export interface AskedResult {
  readonly name: string;
  readonly type: "validation" | "mutation";
  readonly phase: Phase;
}

/** Messages through a guard in front of `app`, and what comes out at both ends. A step waits for all that it leads to within `waitMs`. */
export interface GuardVector extends Common {
  readonly kind: "guard";
  readonly input: {
    /** What `app` is. */
    readonly role: "server" | "client";
    readonly interceptors: readonly FixtureDeclaration[];
    readonly policy?: VectorPolicy;
    /** What the provider of contexts gives for each message, or that it fails. */
    readonly provider?: InvocationContext | "fails";
    /** Which members each of the expected `calls` has beside `interceptor`, `event` and `phase`. */
    readonly show?: readonly ("payload" | "context")[];
    readonly steps: readonly GuardStep[];
  };
}

/** A guard's policy, as plain JSON. */
export interface VectorPolicy {
  readonly interceptNotifications?: boolean;
  readonly hostsChain?: boolean;
  readonly errorResponses?: "pass" | "generic";
  readonly blockAs?: "error" | "result";
  /** By interceptor: the error that is answered for what it refuses. */
  readonly answerAs?: Readonly<Record<string, { readonly code: number; readonly message: string }>>;
  readonly exposeMessages?: boolean;
  readonly exposeErrors?: boolean;
  readonly chainTimeoutMs?: number;
}

/** A message that one side sends a guard, and the scripted milliseconds that pass before the next one. */
export interface GuardStep {
  readonly from: "peer" | "app";
  readonly message: JsonObject;
  readonly waitMs?: number;
}

/** One check of `spec/vectors`, told apart by `kind`. */
export type Vector = DescriptorVector | CallVector | ChainVector | DialectVector | CapabilityVector | ClientVector | GuardVector;

/** One entry of spec/requirements.json. */
export interface Requirement {
  readonly id: string;
  readonly level: "MUST" | "SHOULD" | "MAY";
  /** Whose: the SEP's text, or our reading of it. */
  readonly source: "SEP-2624" | "reading";
  readonly section: string;
  readonly text: string;
  /** Vector ids, or `test FILE: NAME`. */
  readonly proofs: readonly string[];
}
