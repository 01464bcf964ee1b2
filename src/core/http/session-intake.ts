import { RpcError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import type { Batches } from "../transport/batches.ts";
import { standIns } from "../transport/handed-over.ts";
import type { Inbox } from "../transport/inbox.ts";
import { decodeFrame, errorFrame, type Decoded, type Frame, type InvalidFrame } from "../wire/frame.ts";
import { isNotification, isRequest, type RequestId } from "../wire/message.ts";
import { saysStatelessItself } from "./eras.ts";
import type { HttpResponse } from "./exchange.ts";
import type { HttpPeer } from "./http-peer.ts";
import { badRequest, emptyResponse, refuse } from "./http-responses.ts";
import { outgoingText } from "./outgoing-text.ts";
import type { Post } from "./post.ts";

export interface IntakeParts {
  readonly limits: Limits;
  readonly batches: Batches;
  readonly inbox: Inbox;
  /** Why requests of these ids cannot be served now, or nothing. */
  whyNot(ids: readonly RequestId[]): HttpResponse | undefined;
  /** Makes the POST of some requests, that is owed so many responses. */
  open(frames: readonly Frame[], ids: readonly RequestId[], responses: number): Post;
  /** A request that has been cancelled is owed no answer any more. */
  withdraw(id: RequestId): void;
}

/** Takes in the body of one POST of a session, read as one message already, and gives what answers it. Rejects with `closed` where the session ends meanwhile. */
export function takeIn(text: string, { frame, invalid }: Decoded, from: HttpPeer, parts: IntakeParts): Promise<HttpResponse> {
  const texts = parts.batches.split(text);
  if (texts !== undefined) return takeBatch(texts, from, parts);
  return invalid === undefined ? takeFrame(frame, from, parts) : Promise.resolve(refuseInvalid(invalid, from, parts));
}

async function takeFrame(frame: Frame, from: HttpPeer, parts: IntakeParts): Promise<HttpResponse> {
  const { batches, inbox, whyNot, open } = parts;
  const { message } = frame;
  if (!isRequest(message)) {
    batches.learn(message, "in");
    await hand(frame, from, parts);
    return emptyResponse(202);
  }
  const refusal = whyNot([message.id]);
  if (refusal !== undefined) return refusal;
  batches.learn(message, "in");
  const post = open([frame], [message.id], 1);
  from.answeredBy(post);
  await inbox.put({ frame, from });
  return post.response;
}

async function hand(frame: Frame, from: HttpPeer, { inbox, withdraw }: IntakeParts): Promise<void> {
  const { message } = frame;
  await inbox.put({ frame, from });
  if (!isNotification(message) || message.method !== "notifications/cancelled") return;
  const id = message.params?.["requestId"];
  if (typeof id === "string" || typeof id === "number") withdraw(id);
}

/** Only 2025-03-26 has batches. Each message in one is looked at on its own, and what cannot be read gets an error of its own. */
async function takeBatch(texts: readonly string[], from: HttpPeer, parts: IntakeParts): Promise<HttpResponse> {
  const { limits, whyNot, open } = parts;
  const frames: Frame[] = [];
  const broken: InvalidFrame[] = [];
  for (const text of texts) {
    const { frame, invalid } = decodeFrame(text, limits);
    if (invalid !== undefined) broken.push(invalid);
    else if (isRequest(frame.message) && frame.message.method === "initialize") {
      return badRequest("initialize cannot be part of a batch", frame.message.id);
    } else if (saysStatelessItself(frame.message)) {
      // It would be served as such, with nothing held to its routing headers.
      return badRequest("A message of a stateless revision cannot be part of a batch", isRequest(frame.message) ? frame.message.id : undefined);
    } else frames.push(frame);
  }
  const ids = frames.flatMap(({ message }) => (isRequest(message) ? [message.id] : []));
  const refusal = whyNot(ids);
  if (refusal !== undefined) return refusal;
  const refusals = broken.map((invalid) => ({ invalid, response: refuseInvalid(invalid, from, parts) }));
  if (ids.length === 0) {
    for (const frame of frames) await hand(frame, from, parts);
    return refusals[0]?.response ?? emptyResponse(202);
  }
  const owed = refusals.filter(({ invalid }) => invalid.answers !== true);
  const post = open(frames, ids, ids.length + owed.length);
  from.answeredBy(post);
  for (const { invalid } of owed) await post.answer(outgoingText(errorFrame(invalid.id ?? null, invalid.error), limits), 200);
  for (const frame of frames) await hand(frame, from, parts);
  return post.response;
}

function refuseInvalid(invalid: InvalidFrame, from: HttpPeer, { inbox }: IntakeParts): HttpResponse {
  const { code, message, data } = invalid.error;
  const error = new RpcError(code, message, data);
  // The request that it was to answer must not wait for ever.
  for (const arrival of standIns(invalid, from)) void inbox.put(arrival).catch(() => {});
  return refuse(400, error, invalid.answers === true ? undefined : invalid.id);
}
