import { compareCodePoints } from "../base/compare-code-points.ts";
import { isObject, ownMember } from "../base/json.ts";
import { isRequest, isResult, type Message, type RequestMessage } from "../wire/message.ts";
import { paramsOf } from "./parts.ts";

/**
 * What was asked in the first try of a request whose answer asked for input, so that a retry that asks for something else is noticed (revision
 * 2026-07-28). Bounded: the oldest tries are forgotten. Kept are digests of fixed size, of no cryptographic worth: they decide nothing but a
 * line in a log.
 */
export interface Retries {
  /** Takes note of a request as it went on, where its answer asks for input. */
  note(request: RequestMessage, answer: Message): void;
  /** Whether this request, as it goes on, is a retry of one that asked for something else. */
  differs(request: Message): boolean;
}

export function createRetries(limit: number): Retries {
  // Made for the first of them: most connections have none.
  let tries: Map<string, string> | undefined;
  return {
    note(request, answer) {
      if (!isResult(answer) || ownMember(answer.result, "resultType") !== "input_required") return;
      const state = ownMember(answer.result, "requestState");
      if (typeof state !== "string") return;
      tries ??= new Map();
      const oldest = tries.size < limit ? undefined : tries.keys().next();
      if (oldest?.done === false) tries.delete(oldest.value);
      tries.set(digest(state), digest(asked(request)));
    },
    differs(request) {
      if (tries === undefined) return false;
      const state = isRequest(request) ? ownMember(paramsOf(request), "requestState") : undefined;
      if (!isRequest(request) || typeof state !== "string") return false;
      const first = tries.get(digest(state));
      return first !== undefined && first !== digest(asked(request));
    },
  };
}

// All but what a retry is bound to have anew.
function asked(request: RequestMessage): unknown {
  const { _meta, inputResponses: _answers, requestState: _state, ...params } = paramsOf(request);
  return [request.method, params];
}

/** FNV-1a over the value's text, members in order, in two lanes of 32 bits. */
function digest(value: unknown): string {
  let [left, right] = [0x811c9dc5, 0x050c5d1f];
  const take = (text: string) => {
    for (let at = 0; at < text.length; at++) {
      left = Math.imul(left ^ text.charCodeAt(at), 0x01000193);
      right = Math.imul(right ^ text.charCodeAt(at), 0x01000197);
    }
  };
  const walk = (part: unknown): void => {
    if (Array.isArray(part)) {
      take("[");
      for (const item of part) walk(item);
      take("]");
    } else if (isObject(part)) {
      take("{");
      for (const name of Object.keys(part).sort(compareCodePoints)) {
        take(JSON.stringify(name));
        walk(part[name]);
      }
      take("}");
    } else {
      take(`${JSON.stringify(part)},`);
    }
  };
  walk(value);
  return `${left >>> 0}-${right >>> 0}`;
}
