import type { Delivery } from "../../core/base/delivery.ts";
import { ErrorCode, isInstance, LocalError, RpcError } from "../../core/base/errors.ts";
import type { ByteSource, HttpRequest, HttpResponse, HttpSend, TextSource } from "../../core/http/exchange.ts";
import { refuse } from "../../core/http/http-responses.ts";
import type { RequestId } from "../../core/wire/message.ts";
import type { Reason } from "../own-errors.ts";

/** These are about one connection, and each side has its own (RFC 9110, section 7.6.1). What a body is framed by is written anew. */
export const OF_CONNECTION: ReadonlySet<string> = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect"]);

const WRITTEN_ANEW: ReadonlySet<string> = new Set([...OF_CONNECTION, "host", "content-length", "accept-encoding"]);
// Whoever answers the client adds its own.
const OF_ANSWERER = /^(?:access-control-.*|vary|date|content-length)$/;

/** Has another worker answer a request whose body has been read here. It judges everything anew. Never rejects. */
export async function passOnFrame(send: HttpSend, { headers, path, query, signal }: HttpRequest, { id, text }: { readonly id: RequestId; readonly text: string }): Promise<HttpResponse> {
  try {
    const url = `http://${headers.get("host") ?? "localhost"}${path}${query === "" ? "" : `?${query}`}`;
    const answer = await send({ method: "POST", url, headers: [...headers].filter(([name]) => !WRITTEN_ANEW.has(name)), body: text, signal });
    return {
      status: answer.status,
      headers: [...answer.headers].filter(([name]) => !OF_CONNECTION.has(name) && !OF_ANSWERER.test(name)),
      body: textOf(answer.body),
    };
  } catch (thrown) {
    const gone = isInstance(thrown, LocalError) && thrown.details?.["delivery"] === "none";
    const error = (message: string, reason: Reason, delivery: Delivery) => new RpcError(ErrorCode.internalError, message, { reason, delivery });
    return gone
      ? refuse(200, error("The call does not wait any more; start it anew", "parked_gone", "none"), id)
      : refuse(502, error("The worker at which this call waits was lost", "unavailable", "unknown"), id);
  }
}

function textOf(body: ByteSource): TextSource {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let cut = () => {};
  return {
    opened: (end) => void (cut = end),
    async next() {
      try {
        for (let chunk: Uint8Array | undefined; (chunk = await body.next()) !== undefined; ) {
          const text = decoder.decode(chunk, { stream: true });
          // A piece may end within a character.
          if (text !== "") return text;
        }
      } catch {
        // Cut off: so is this one, that nobody takes it for whole.
        cut();
      }
      return undefined;
    },
    cancel: () => body.cancel(),
  };
}
