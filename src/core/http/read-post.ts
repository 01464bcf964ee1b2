import { utf8DecodeExact } from "../base/bytes.ts";
import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { Limits } from "../base/limits.ts";
import { trimOws } from "../wire/header-value.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { badRequest, refuse } from "./http-responses.ts";
import { accepts, isJsonType } from "./media-type.ts";

/**
 * What a POST's headers rule out before its body is read: a body that cannot be told to be JSON is never looked at, as whoever stands in front
 * of this server may not have looked at it either.
 */
export function refusePost({ headers }: HttpRequest, limits: Limits): HttpResponse | undefined {
  if (!isJsonType(headers.get("content-type"))) return badRequest("Content-Type must be application/json, in UTF-8", undefined, 415);
  const encoding = headers.get("content-encoding");
  if (encoding !== undefined && trimOws(encoding).toLowerCase() !== "identity") {
    return badRequest("Compressed bodies are not read here", undefined, 415, [["accept-encoding", "identity"]]);
  }
  const coding = headers.get("transfer-encoding");
  if (coding !== undefined && trimOws(coding).toLowerCase() !== "chunked") return badRequest("Transfer-Encoding may be chunked, and nothing else", undefined, 501);
  const accept = headers.get("accept");
  if (!accepts(accept, "application/json") || !accepts(accept, "text/event-stream")) {
    return badRequest("Accept must allow application/json and text/event-stream: the answer may be either", undefined, 406);
  }
  const length = headers.get("content-length");
  return length !== undefined && Number(length) > limits.maxMessageBytes ? tooLarge(limits) : undefined;
}

/** The text of a POST, or what refuses it. */
export async function readPost(request: HttpRequest, limits: Limits, host: Host): Promise<string | HttpResponse> {
  let bytes: Uint8Array;
  try {
    bytes = await request.body(limits.maxMessageBytes);
  } catch (thrown) {
    const code = thrown instanceof LocalError ? thrown.code : undefined;
    if (code === "limit_exceeded") return tooLarge(limits);
    if (code === "timeout") return badRequest("The body came too slowly", undefined, 408);
    return badRequest("The body ended early");
  }
  return utf8DecodeExact(bytes, host) ?? refuse(400, new RpcError(ErrorCode.parseError, "Parse error: the body is not UTF-8"));
}

function tooLarge({ maxMessageBytes }: Limits): HttpResponse {
  return badRequest(`The body has more than ${maxMessageBytes} bytes (maxMessageBytes)`, undefined, 413);
}
