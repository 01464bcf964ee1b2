import { describeError, LocalError } from "../core/base/errors.ts";
import { detectHost, platformSignal, type Host } from "../core/base/host.ts";
import { givenUp, type ByteSource, type HttpAnswer, type HttpSend } from "../core/http/exchange.ts";
import { headerMap } from "./header-map.ts";

/**
 * Sends by the host's `fetch`. Connections are the platform's own affair, and so is what it says of failures: `delivery` is `none` only where its
 * error names a cause that no request survives, which browsers never do.
 */
export function fetchSend(host: Host = detectHost()): HttpSend {
  // A host that names a fetch has a WHATWG one; the slot's type is open, as core does not know the platform's.
  const fetch = host.fetch as ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  if (fetch === undefined) throw new LocalError("host_missing", 'this runtime has no fetch; pass a host with the slot "fetch"');
  return async ({ method, url, headers, body, signal }): Promise<HttpAnswer> => {
    if (signal.aborted) throw givenUp(signal);
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
        // Without a class of the platform's there is no signal that its fetch would take.
        ...(host.abortController === undefined ? {} : { signal: platformSignal(signal, host) }),
      });
    } catch (cause) {
      if (signal.aborted) throw new LocalError("aborted", "the request was given up", { cause });
      throw new LocalError("closed", describeCause(cause), { details: { delivery: neverConnected(cause) ? "none" : "unknown" }, cause });
    }
    // Browsers hide where a redirect leads, and even its status.
    const status = response.type === "opaqueredirect" ? 302 : response.status;
    return { status, headers: headerMap(response.headers), body: bodyOf(response) };
  };
}

function bodyOf({ body }: Response): ByteSource {
  const reader = body?.getReader();
  return {
    async next() {
      if (reader === undefined) return undefined;
      for (;;) {
        let read;
        try {
          read = await reader.read();
        } catch (cause) {
          throw new LocalError("closed", "the connection was cut", { cause });
        }
        if (read.done) return undefined;
        if (read.value.length > 0) return read.value;
      }
    },
    cancel: () => void reader?.cancel().catch(() => {}),
  };
}

// Node's names; where there are none, nothing is known.
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

function neverConnected(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause && NEVER_CONNECTED.has(cause.code);
}

// "fetch failed" alone says nothing.
function describeCause(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? describeError(thrown) : `${describeError(thrown)}: ${describeError(cause)}`;
}
