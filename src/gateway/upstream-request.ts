import { ErrorCode, LocalError } from "../core/base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { Signal } from "../core/base/signal.ts";
import type { Frame } from "../core/wire/frame.ts";
import { isResult, type ErrorMessage, type ResultMessage } from "../core/wire/message.ts";
import { outcomeOf, paramsForHop, standInFailure, type Call, type CallHooks, type Outcome } from "./call.ts";
import type { FrameCall } from "./frame-calls.ts";
import type { LinkCore } from "./upstream-link.ts";

/** In what the eras differ where a call is sent. */
export interface SentCall extends Pick<FrameCall, "waits"> {
  /** Who asks, as `_meta` says it. */
  readonly meta: JsonObject;
  readonly hooks: CallHooks;
  readonly signal: Signal;
  readonly onId: (id: number) => void;
  /** What a result comes to. */
  resultOf(message: ResultMessage, source: Frame): Outcome;
}

/** Makes a call of a server, and tells how it ended. Never rejects. */
export async function sendCall(core: LinkCore, call: Call, sent: SentCall): Promise<Outcome> {
  const { peer, noise, callTimeoutMs, maxCallMs } = core;
  const { method } = call.message;
  const params = paramsForHop(call.message.params, sent.meta);
  try {
    // Member by member, as in `createHttpSend`.
    const { frame, synthetic } = await peer.request({
      message: params === undefined ? { method } : { method, params },
      source: call.frame,
      signal: sent.signal,
      timeoutMs: callTimeoutMs,
      maxMs: maxCallMs,
      waits: sent.waits,
      onProgress: sent.hooks.onProgress,
      onId: sent.onId,
    });
    const { message } = frame;
    if (isResult(message)) {
      const outcome = sent.resultOf(message, frame);
      if (outcome.kind === "failed") noise.sent(`answered ${method} with what cannot be used`, outcome.error.message);
      return outcome;
    }
    // A response that is no result is an error.
    const error = message as ErrorMessage;
    if (saysOtherRevisions(error)) return outcomeOf(abandon(core));
    return synthetic === true ? standInFailure(error) : { kind: "error", message: error, source: frame };
  } catch (thrown) {
    return outcomeOf(thrown instanceof LocalError ? thrown : new LocalError("closed", "the call failed", { cause: thrown }));
  }
}

/** It was greeted in a revision of its own, so it is another server by now, which has not taken the call (2026-07-28, basic/versioning). */
function saysOtherRevisions({ error: { code, data } }: ErrorMessage): boolean {
  return code === ErrorCode.unsupportedProtocolVersion && isObject(data) && Array.isArray(ownMember(data, "supported"));
}

/** Ends a connection to a server that speaks another revision now, once those who found out are told: the next one finds out which. */
export function abandon({ peer, host }: Pick<LinkCore, "peer" | "host">): LocalError {
  const error = new LocalError("closed", "the server speaks another revision now", { details: { delivery: "none" } });
  host.setTimer(() => void peer.close(error), 0);
  return error;
}
