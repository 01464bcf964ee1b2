import { describeError, ErrorCode } from "../base/errors.ts";
import { cloneJson, isObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { errorFrame, type Decoded, type InvalidFrame } from "../wire/frame.ts";
import { classify, type RequestId } from "../wire/message.ts";
import type { Arrival, PeerContext } from "./transport.ts";

/**
 * Reads a message that was handed over as an object, as strictly as `decodeFrame` reads text: a private copy, no larger or deeper than the
 * limits let a text be. Never throws, whatever the object does when it is read.
 */
export function readHandedOver(given: unknown, limits: Limits): Decoded {
  try {
    const classified = classify(cloneJson(given, limits.maxDepth, limits.maxMessageBytes));
    if (classified.kind !== "invalid") return { frame: { message: classified.message } };
    const { kind: _kind, ...invalid } = classified;
    return { invalid };
  } catch (thrown) {
    const error = { code: ErrorCode.invalidRequest, message: `Invalid message: ${describeError(thrown)}` };
    return { invalid: { error, ...whose(given) } };
  }
}

/**
 * The arrival that stands in for a response that cannot be read, so that its request does not wait for ever. Whether the peer has acted on
 * the request is unknown.
 */
export function standIn({ error }: InvalidFrame, id: RequestId, from: PeerContext): Arrival {
  const data = { ...(isObject(error.data) ? error.data : {}), delivery: "unknown" };
  return { frame: errorFrame(id, { ...error, data }), from, synthetic: true };
}

// What cannot be copied may still say at its top which exchange it belongs to.
function whose(given: unknown): Pick<InvalidFrame, "id" | "answers"> {
  try {
    const classified = classify(given);
    switch (classified.kind) {
      case "request":
        return { id: classified.message.id, answers: false };
      case "result":
        return { id: classified.message.id, answers: true };
      case "error": {
        const { id } = classified.message;
        return id === undefined || id === null ? {} : { id, answers: true };
      }
      case "notification":
        return {};
      case "invalid": {
        const { id, answers } = classified;
        return { ...(id !== undefined && { id }), ...(answers !== undefined && { answers }) };
      }
    }
  } catch {
    return {};
  }
}
