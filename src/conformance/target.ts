import type { JsonObject } from "../core/base/json.ts";
import type { AskedResult, ChainVector, ClientVector, GuardVector, Vector } from "./vector.ts";

/**
 * What is measured. Each function answers, or throws, as the implementation does; a promise may also never settle, since the kit watches
 * the clock. Vectors of a kind that a target has no function for are skipped, and said to be; so is one that a function throws a `NoOutcome` of
 * kind `unsupported` for.
 */
export interface Target {
  /** Awaited before each vector, outside of its time: to start what is to be called. Must settle, and never rejects. */
  ready?(kind: Vector["kind"]): Promise<void>;
  /** The result of `interceptors/list` on a server that hosts the fixtures; `method` is the spelling. Throws an error with `code`, `message`, `data`. */
  list?(params: JsonObject, method: string): unknown;
  /** The result of `interceptor/invoke`, likewise. */
  invoke?(params: JsonObject, method: string): unknown;
  /** What an execution came to, in the form of spec/README.md. */
  chain?(input: ChainVector["input"]): unknown;
  /** `{ app, peer, calls }`: the messages that came out of a guard at its two ends, in order, and what its interceptors were called with. */
  guard?(input: GuardVector["input"]): unknown;
  /** The canonical form of a descriptor; throws where it is refused. */
  descriptor?(descriptor: unknown): unknown;
  /** The canonical form of an answer; throws where it is malformed. */
  dialect?(answer: unknown, asked: AskedResult): unknown;
  /** The events of a server's capabilities; undefined where they announce no interceptors. */
  capability?(capabilities: unknown): readonly string[] | undefined | Promise<readonly string[] | undefined>;
  /** `{ sent, got }`: which methods a client of interceptors called, and what it made of the answers. */
  client?(input: ClientVector["input"]): unknown;
}
