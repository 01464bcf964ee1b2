import { utf8DecodeExact } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { HttpCall, HttpSend } from "../core/http/exchange.ts";
import { timedSignal } from "../core/http/pause.ts";
import type { HeaderMap } from "../core/http/exchange.ts";

/** Sends one request and reads its whole answer, which must be short, soon and UTF-8: `timeout`, `limit_exceeded` or `closed` otherwise. */
export async function readAnswer(
  host: Host,
  send: HttpSend,
  call: HttpCall,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): Promise<{ readonly status: number; readonly headers: HeaderMap; readonly body: string }> {
  const bound = timedSignal(host, timeoutMs, call.signal);
  // Whatever the sender does about its signal.
  const aborted = new Promise<never>((_, reject) => {
    bound.signal.onAbort(() => reject(call.signal.aborted ? call.signal.reason : new LocalError("timeout", `no answer within ${timeoutMs} ms`)));
  });
  aborted.catch(() => {});
  try {
    return await Promise.race([aborted, read(send, { ...call, signal: bound.signal }, maxBytes)]);
  } finally {
    bound.abort("done");
  }
}

async function read(send: HttpSend, call: HttpCall, maxBytes: number) {
  const { status, headers, body } = await send(call);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk: Uint8Array | undefined; (chunk = await body.next()) !== undefined; ) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.cancel();
      throw new LocalError("limit_exceeded", `the answer has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const text = utf8DecodeExact(Buffer.concat(chunks));
  if (text === undefined) throw new LocalError("closed", "the answer is no UTF-8");
  return { status, headers, body: text };
}

/** Whether a URL names this machine, where nobody in between can change what comes back. */
export function isLoopbackUrl(url: string): boolean {
  return /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/i.test(url);
}
