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
}

/** One server of a chain vector, with the settings under which its interceptors are added. */
export interface VectorServer {
  readonly label: string;
  readonly interceptors: readonly FixtureDeclaration[];
  readonly overrides?: Readonly<Record<string, Overrides>>;
  readonly config?: Readonly<Record<string, JsonObject>>;
}

/** One execution, as plain JSON. `error: true` says that the payload is `{ error }`. */
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

export interface ChainVector extends Common {
  readonly kind: "chain";
  readonly input: { readonly servers: readonly VectorServer[]; readonly execute: VectorExecution };
}

/** An answer to `interceptor/invoke` in some spelling, and what was asked for. */
export interface DialectVector extends Common {
  readonly kind: "dialect";
  readonly input: { readonly asked: AskedResult; readonly answer: unknown };
}

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
    readonly policy?: { readonly interceptNotifications?: boolean; readonly errorResponses?: "pass" | "generic" };
    readonly steps: readonly GuardStep[];
  };
}

export interface GuardStep {
  readonly from: "peer" | "app";
  readonly message: JsonObject;
  readonly waitMs?: number;
}

export type Vector = DescriptorVector | CallVector | ChainVector | DialectVector | GuardVector;

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
