import { LocalError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RequestOptions } from "../../jsonrpc/outgoing.ts";
import type { Session } from "../lifecycle.ts";
import type { ServerLink } from "./server-link.ts";

/** One client's connection. */
export interface ServerConnection {
  /** What the client made of the handshake; `undefined` before it, and for a client that makes none. */
  readonly session: Session | undefined;
  readonly closed: Promise<LocalError | undefined>;
  /** Asks the client. Rejects with `unsupported` before the handshake: in stateless revisions a server asks by its results. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Answers the open subscriptions first; everything else that is being handled is cut off. */
  close(why?: LocalError): Promise<void>;
}

// A class for its getter alone: see `createPost` of core/http.
class Connection implements ServerConnection {
  readonly closed;
  readonly #link: ServerLink;
  readonly #endStreams: () => Promise<void>;

  constructor(link: ServerLink, endStreams: () => Promise<void>) {
    this.closed = link.peer.closed;
    this.#link = link;
    this.#endStreams = endStreams;
  }

  get session(): Session | undefined {
    return this.#link.session;
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.#link.session !== undefined) return this.#link.peer.request(method, params, options);
    return Promise.reject(new LocalError("unsupported", `${method} cannot be asked: the client has made no handshake`));
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#link.peer.notify(method, params);
  }

  close(why?: LocalError): Promise<void> {
    const { peer, streams } = this.#link;
    return streams.size === 0 ? peer.close(why) : this.#endStreams().then(() => peer.close(why));
  }
}

export function createConnection(link: ServerLink, endStreams: () => Promise<void>): ServerConnection {
  return new Connection(link, endStreams);
}
