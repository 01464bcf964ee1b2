import { ErrorCode, LocalError } from "../core/base/errors.ts";
import { isObject, ownMember, setMember, type JsonObject } from "../core/base/json.ts";
import type { Signal } from "../core/base/signal.ts";
import type { ClientDescription, Era } from "../core/mcp/lifecycle.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import type { ErrorMessage, NotificationMessage, RequestMessage, ResultMessage } from "../core/wire/message.ts";
import { META } from "../core/wire/versions.ts";

/** Who asks: what a client says of itself, and what has been verified. */
export interface Caller extends ClientDescription {
  readonly era: Era;
  readonly version: string;
  readonly principal: Principal | undefined;
}

/**
 * A request between a face and an upstream, of no era: what it is about is opaque, and what says who asks, how, and under which ids stands beside it.
 * `frame` is where `message` came from, with its text, and stays so that what nobody changes goes out byte for byte.
 */
export interface Call {
  readonly frame: Frame;
  readonly message: RequestMessage;
  /** The params as the caller wrote them: by these a retry is known, whatever interceptors make of it at the time. */
  readonly sentParams: JsonObject;
  readonly caller: Caller;
  /** The least severe level of log messages that the caller wants with this call. */
  readonly logLevel: string | undefined;
}

/** What a face can do for a call while it runs. None of them waits, but for `ask`. */
export interface CallHooks {
  /** Present where the caller wants to hear of progress; the token in the frame is the upstream's. */
  readonly onProgress?: (frame: Frame, message: NotificationMessage) => void;
  /** What the server says in the exchange of the call, such as log messages. */
  readonly onNotification: (frame: Frame, message: NotificationMessage) => void;
  /** Present only where the face can deliver a server's request. Rejects with a `LocalError` where no answer comes. */
  readonly ask?: (question: Question, signal: Signal) => Promise<Answer>;
}

/** A request of a server to its client. `source`: a frame of the same request, whose text has its params. */
export interface Question {
  readonly message: Pick<RequestMessage, "method" | "params">;
  readonly source: Frame | undefined;
  /** Present where the server wants to hear how its question gets on; the token in the frame is the face's. */
  readonly onProgress?: (frame: Frame, message: NotificationMessage) => void;
}

/** A response. `source`: the frame that it came in. */
export interface Answer {
  readonly message: ResultMessage | ErrorMessage;
  readonly source: Frame | undefined;
}

/** Notifications that a subscription asks for: a list or a resource has changed (2026-07-28, basic/patterns/subscriptions). */
export function isChange(method: string): boolean {
  return CHANGE.test(method);
}

const CHANGE = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;

/** Notifications that are for everybody who has asked for such, on whatever stream they come. */
export function isForAll(method: string): boolean {
  return isChange(method) || method === "notifications/elicitation/complete";
}

/** How a call ended; never a rejection. `input`: it goes on when the caller makes it again, with the answers and the state. */
export type Outcome =
  | { readonly kind: "result"; readonly message: ResultMessage; readonly source: Frame | undefined }
  | { readonly kind: "error"; readonly message: ErrorMessage; readonly source: Frame | undefined }
  | {
      readonly kind: "input";
      readonly requests: ReadonlyMap<string, Question>;
      readonly state: string | undefined;
      /** The whole as the upstream said it, for faces of its own era. */
      readonly message: ResultMessage;
      readonly source: Frame | undefined;
    }
  /** The caller has gone, and nobody waits. */
  | { readonly kind: "cancelled" }
  /** The upstream was not reached, or is lost; only where `delivery` is `none` may the call be made again. */
  | { readonly kind: "failed"; readonly error: LocalError; readonly delivery: "none" | "unknown" };

/** The `_meta` keys that belong to one hop. */
const HOP_KEYS: ReadonlySet<string> = new Set(["progressToken", META.protocolVersion, META.clientInfo, META.clientCapabilities, META.logLevel]);

/** Params for the next hop: everything, with the hop's own members of `_meta` in the place of those of the hop before. */
export function paramsForHop(params: JsonObject | undefined, own: JsonObject): JsonObject | undefined {
  const meta = params === undefined ? undefined : ownMember(params, "_meta");
  const kept: JsonObject = {};
  if (isObject(meta)) {
    for (const key of Object.keys(meta)) if (!HOP_KEYS.has(key)) setMember(kept, key, meta[key]);
  }
  Object.assign(kept, own);
  if (Object.keys(kept).length > 0) return { ...params, _meta: kept };
  if (params === undefined || meta === undefined) return params;
  const { _meta: _dropped, ...rest } = params;
  return rest;
}

/** The token under which the sender of a request wants to hear of its progress. */
export function progressToken(params: JsonObject | undefined): string | number | undefined {
  const meta = params === undefined ? undefined : ownMember(params, "_meta");
  const token = isObject(meta) ? ownMember(meta, "progressToken") : undefined;
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}

/** What a request says of the hop that it came by. */
export function metaText(params: JsonObject | undefined, key: string): string | undefined {
  const meta = params === undefined ? undefined : ownMember(params, "_meta");
  const value = isObject(meta) ? ownMember(meta, key) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Of what `FramePeer.request` rejects with. */
export function outcomeOf(error: LocalError): Outcome {
  if (error.code === "aborted") return { kind: "cancelled" };
  return { kind: "failed", error, delivery: error.details?.["delivery"] === "none" ? "none" : "unknown" };
}

/** A transport's stand-in for a response that cannot come: what it says of delivery. */
export function standInFailure(message: ErrorMessage): Outcome {
  const { code, data, message: text } = message.error;
  const delivery = isObject(data) && data["delivery"] === "none" ? "none" : "unknown";
  // So a transport tells of an answer that came, and is none.
  const broken = code === ErrorCode.invalidRequest || code === ErrorCode.parseError;
  return { kind: "failed", error: new LocalError(broken ? "invalid_message" : "closed", text, { details: { ...(isObject(data) ? data : {}), delivery } }), delivery };
}

/**
 * Why a server's question has no answer: it names no call where several may be meant; the call's client, or its revision, cannot be asked here; it was not
 * asked after all; there are too many questions; it gave no answer.
 */
export type NoAnswer = "unrelated" | "cannot_ask" | "not_asked" | "overloaded" | "no_answer";

/** What a server is told in the place of an answer. */
export function unanswerable(why: string, reason: NoAnswer, more: JsonObject = {}): Answer {
  return { message: { jsonrpc: "2.0", id: 0, error: { code: ErrorCode.internalError, message: why, data: { reason, ...more } } }, source: undefined };
}
