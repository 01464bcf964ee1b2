import type { PeerContext } from "../transport/transport.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import type { HeaderMap } from "./exchange.ts";
import type { Post } from "./post.ts";
import { HEADER } from "./routing-headers.ts";

// What a caller proves itself by; a session's id lets whoever has it speak in its name.
const CREDENTIALS: readonly string[] = ["authorization", "proxy-authorization", "cookie", HEADER.session];

/** Who sent an HTTP request. A class for its getter and its secret: `headers` is copied when it is read, and the POST is nobody's business. */
export class HttpPeer implements PeerContext {
  readonly transport = "http";
  readonly connection: string;
  readonly single: boolean;
  readonly principal?: Principal;
  readonly #given: HeaderMap;
  #headers: HeaderMap | undefined;
  #post: Post | undefined;

  constructor(connection: string, headers: HeaderMap, principal: Principal | undefined, single: boolean) {
    this.connection = connection;
    this.single = single;
    this.#given = headers;
    if (principal !== undefined) this.principal = principal;
  }

  /** The request's headers without credentials. */
  get headers(): HeaderMap {
    if (this.#headers === undefined) {
      const kept = new Map(this.#given);
      for (const name of CREDENTIALS) kept.delete(name);
      this.#headers = kept;
    }
    return this.#headers;
  }

  /** The POST that this peer's request came in. */
  answeredBy(post: Post): void {
    this.#post = post;
  }

  static postOf(from: PeerContext): Post | undefined {
    return #post in from ? from.#post : undefined;
  }
}

/**
 * Ends the connection of the stream on which a request is being answered, and lets the client come back for the answer: for a handler that knows
 * that it will take long (`releaseStream(context.from, { retryMs: 5_000 })`). The request goes on. Gives false, and does nothing, where there is
 * nothing to come back to: without an event store, before revision 2025-11-25, in stateless revisions, and on any other transport.
 */
export function releaseStream(from: PeerContext, { retryMs = 1_000 }: { readonly retryMs?: number } = {}): boolean {
  return HttpPeer.postOf(from)?.release(Math.max(0, Math.floor(retryMs))) ?? false;
}
