import { utf8Encode } from "../base/bytes.ts";
import { LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { OwnSignal } from "../base/signal.ts";
import { givenUp, type ByteSource, type HttpAnswer, type HttpCall, type HttpHandler, type HttpRequest, type HttpSend, type TextSource } from "./exchange.ts";

/**
 * An `HttpSend` whose server is a handler in this process, without sockets: `httpTransport({ url, send: directSend(server.handle) })`. Requests go to
 * whatever host and path the URL names. For tests, and for programs that embed a server and a client of it.
 */
export function directSend(handle: HttpHandler, host?: Pick<Host, "utf8">): HttpSend {
  return async (call): Promise<HttpAnswer> => {
    const { signal: given } = call;
    if (given.aborted) throw givenUp(call.signal);
    const signal = new OwnSignal();
    const answering = handle(requestOf(call, signal, host));
    let unlink = () => {};
    const left = new Promise<never>((_resolve, reject) => {
      unlink = given.onAbort((reason) => {
        signal.fire(reason);
        reject(givenUp(call.signal));
      });
    });
    // What comes for a client that has left goes nowhere.
    void answering.then(({ body }) => (signal.aborted && typeof body === "object" ? body.cancel() : undefined));
    const response = await Promise.race([answering, left]);
    unlink();
    const { status, headers, body } = response;
    const names = new Map<string, string>();
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      const before = names.get(lower);
      names.set(lower, before === undefined ? value : `${before}, ${value}`);
    }
    return { status, headers: names, body: typeof body === "object" ? readSource(body, call, signal, host) : readText(body ?? "", host) };
  };
}

function requestOf({ method, url, headers, body = "" }: HttpCall, signal: OwnSignal, host: Pick<Host, "utf8"> | undefined): HttpRequest {
  const [, authority = "", path = "", query = ""] = /^https?:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  const bytes = utf8Encode(body, host);
  return {
    method,
    path: path === "" ? "/" : path,
    query,
    headers: new Map([["host", authority], ...headers]),
    signal,
    body: (maxBytes) =>
      bytes.length <= maxBytes ? Promise.resolve(bytes) : Promise.reject(new LocalError("limit_exceeded", `the body has more than ${maxBytes} bytes`)),
  };
}

function readText(text: string, host: Pick<Host, "utf8"> | undefined): ByteSource {
  let left = text;
  return {
    async next() {
      const bytes = left === "" ? undefined : utf8Encode(left, host);
      left = "";
      return bytes;
    },
    cancel: () => void (left = ""),
  };
}

function readSource(source: TextSource, call: HttpCall, signal: OwnSignal, host: Pick<Host, "utf8"> | undefined): ByteSource {
  let over: "ended" | "cut" | "left" | undefined;
  // Ends the pull under way, if there is one.
  let interrupt: (() => void) | undefined;
  const finish = (how: NonNullable<typeof over>) => {
    if (over !== undefined) return;
    over = how;
    unlink();
    if (how !== "ended") {
      signal.fire(new LocalError("aborted", "the client has left"));
      source.cancel();
    }
    interrupt?.();
  };
  // Assigned after the call where the signal has aborted by now; then there is nothing to unlink.
  let unlink = () => {};
  unlink = call.signal.onAbort(() => finish("left"));
  source.opened(() => finish("cut"));
  return {
    async next() {
      for (;;) {
        if (over === "left") throw givenUp(call.signal);
        if (over === "cut") throw new LocalError("closed", "the connection was cut");
        if (over === "ended") return undefined;
        const piece = await new Promise<string | undefined>((resolve) => {
          interrupt = () => resolve(undefined);
          void source.next().then(resolve);
        });
        if (piece === undefined) finish("ended");
        else if (piece !== "") return utf8Encode(piece, host);
      }
    },
    cancel: () => finish("left"),
  };
}
