import type { Signal } from "../base/signal.ts";
import type { RefusalAnswer } from "../interceptor/define.ts";
import type { InvokeParams } from "../wire/gen/interceptors.ts";

/**
 * Where a chain's interceptors live: in this process, or behind a connection. Both kinds run the same server-side function on
 * JSON of their own, so a chain cannot tell them apart by results, only by speed.
 */
export interface InterceptorSource {
  /** Unique within a chain, without `/`. Entries are addressed as `label/name`. */
  readonly label: string;
  /** Over a connection we allow the source some grace beyond an entry's timeout, so that its own richer error wins. */
  readonly remote: boolean;
  /** All descriptors, in registration order, as `interceptors/list` gives them: the chain reads them, in any spelling of the field. */
  list(signal?: Signal): Promise<readonly unknown[]>;
  /**
   * Runs one interceptor. `params` is shared and read-only: the source copies or serialises what it hands on, before it returns, so that
   * one copy is made for each invocation and not two. May answer synchronously, with what `interceptor/invoke` answers, as it came:
   * the chain reads it, and takes nothing for granted. The answer is the caller's to keep. Throws or rejects with the `RpcError` that
   * `interceptor/invoke` would answer, or a `LocalError` where the connection failed.
   * After an abort of `signal` it may settle or not; the caller no longer listens. The caller watches `params.timeoutMs`.
   */
  invoke(params: InvokeParams, signal: Signal): unknown;
  /** What a guard answers for what an interceptor refuses, where that one says so. Asked when it is added. */
  answerAs?(name: string): RefusalAnswer | undefined;
}
