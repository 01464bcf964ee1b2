import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { ErrorCode, RpcError } from "../../core/base/errors.ts";
import { isObject, ownMember } from "../../core/base/json.ts";
import type { HttpServerOptions } from "../../core/http/http-server-options.ts";
import { badRequest, refuse } from "../../core/http/http-responses.ts";
import { HEADER } from "../../core/http/routing-headers.ts";
import { isRequest } from "../../core/wire/message.ts";
import type { HandlerOptions } from "../../node/http-handler.ts";
import { createHttpSend, type NodeHttpSend } from "../../node/http-send.ts";
import { OF_CONNECTION, passOnFrame } from "./hop-frame.ts";
import { ownerOfSession, ownerOfState, socketOf, type WorkerPlace } from "./place.ts";

/** The way from a worker that a request came to, to the one whose it is. */
export interface Hops {
  /** Requests in a session of another worker's: passed on as they come, byte for byte both ways, before anything of them is judged here. */
  readonly divert: NonNullable<HandlerOptions["divert"]>;
  /** Retries of calls that are parked at another worker, which nothing but their body shows. */
  readonly passOn: NonNullable<HttpServerOptions["passOn"]>;
  close(): void;
}

// Below what the listeners wait for, so that no connection closes just as it is used again.
const KEEP_ALIVE_MS = 4_000;

/** `replica` is the configured name of the whole gateway. */
export function createHops(place: WorkerPlace, replica?: string): Hops {
  const agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS, maxFreeSockets: 256 });
  // By the number of the worker.
  const sends = new Map<number, NodeHttpSend>();
  const sendTo = (owner: number): NodeHttpSend => {
    let send = sends.get(owner);
    if (send === undefined) sends.set(owner, (send = createHttpSend({ socketPath: socketOf(place, owner) })));
    return send;
  };
  return {
    divert(message, response, held) {
      const id = sessionIn(message.rawHeaders);
      const owner = id === undefined ? undefined : ownerOfSession(place, id);
      if (owner === undefined) return false;
      relay(message, response, held, { agent, socketPath: socketOf(place, owner) });
      return true;
    },
    passOn(request, { message, text }) {
      if (!isRequest(message) || !isObject(message.params)) return undefined;
      const state = ownMember(message.params, "requestState");
      const owner = typeof state === "string" ? ownerOfState(place, state, replica) : undefined;
      if (owner === undefined) return undefined;
      return passOnFrame(sendTo(owner), request, { id: message.id, text: text ?? JSON.stringify(message) });
    },
    close() {
      agent.destroy();
      for (const send of sends.values()) send.close();
    },
  };
}

interface Hop {
  readonly agent: Agent;
  readonly socketPath: string;
}

function relay(message: IncomingMessage, response: ServerResponse, held: boolean, hop: Hop): void {
  // Only the body of a POST means anything. One of another method, which may come in pieces, could be taken for a request of its own.
  const hasBody = message.method === "POST";
  const headers = endToEnd(message.rawHeaders, hasBody ? undefined : "content-length");
  const outgoing = httpRequest({ ...hop, method: message.method, path: message.url, headers });
  let connected = false;
  outgoing.on("socket", (socket) => {
    if (socket.connecting) socket.once("connect", () => (connected = true));
    else connected = true;
  });
  outgoing.on("response", (answer) => {
    // What comes of a body after its answer is for nobody.
    const last = answer.headers.connection === "close" || !message.complete ? ["connection", "close"] : [];
    response.writeHead(answer.statusCode ?? 502, [...endToEnd(answer.rawHeaders), ...last]);
    // The head of a stream does not wait for its first event.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
    // Cut off: so is this one, that nobody takes it for whole.
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    message.unpipe(outgoing);
    message.resume();
    if (response.headersSent) return;
    // A worker that nobody listens for has died, and its sessions with it: their clients begin anew. Of one that was lost on the way nobody knows what it did.
    const lost = new RpcError(ErrorCode.internalError, "The worker that has this session was lost", { reason: "unavailable", delivery: "unknown" });
    const { status, headers, body } = connected ? refuse(502, lost) : badRequest("Session not found", undefined, 404);
    response.writeHead(status, headers.flat()).end(body);
  });
  response.on("close", () => {
    if (!response.writableFinished || !message.complete) outgoing.destroy();
  });
  response.on("error", () => {});
  message.on("error", () => outgoing.destroy());
  if (held) response.writeContinue();
  if (hasBody) message.pipe(outgoing);
  else {
    message.resume();
    outgoing.end();
  }
}

// From the list as it came: Node makes its object of headers when it is first looked at, for each request.
function sessionIn(rawHeaders: readonly string[]): string | undefined {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === HEADER.session.length && name.toLowerCase() === HEADER.session) return rawHeaders[at + 1];
  }
  return undefined;
}

function endToEnd(rawHeaders: readonly string[], except?: string): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!OF_CONNECTION.has(name) && name !== except) kept.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return kept;
}

