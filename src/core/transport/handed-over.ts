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
 * The arrivals that stand in for responses that cannot be read, so that no request waits for ever. Whether the peer has acted on a request is
 * unknown. Whoever asks drops those that answer nothing in flight.
 */
export function standIns({ error, ends = [] }: InvalidFrame, from: PeerContext): Arrival[] {
  const data = { ...(isObject(error.data) ? error.data : {}), delivery: "unknown" };
  return ends.map((id) => ({ frame: errorFrame(id, { ...error, data }), from, synthetic: true }));
}

// What cannot be copied may still say at its top which exchange it belongs to.
function whose(given: unknown): Pick<InvalidFrame, "id" | "answers" | "ends"> {
  try {
    const classified = classify(given);
    switch (classified.kind) {
      case "request":
        return { id: classified.message.id, answers: false };
      case "result":
        return response(classified.message.id);
      case "error": {
        const { id } = classified.message;
        return id === undefined || id === null ? {} : response(id);
      }
      case "notification":
        return {};
      case "invalid": {
        const { kind: _kind, error: _error, ...found } = classified;
        return found;
      }
    }
  } catch {
    return {};
  }
}

function response(id: RequestId): Pick<InvalidFrame, "id" | "answers" | "ends"> {
  return { id, answers: true, ends: [id] };
}
