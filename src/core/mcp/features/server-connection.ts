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

export function createConnection(link: ServerLink, endStreams: () => Promise<void>): ServerConnection {
  const { peer } = link;
  return {
    get session() {
      return link.session;
    },
    closed: peer.closed,
    request(method, params, options) {
      if (link.session !== undefined) return peer.request(method, params, options);
      return Promise.reject(new LocalError("unsupported", `${method} cannot be asked: the client has made no handshake`));
    },
    notify: (method, params) => peer.notify(method, params),
    close: (why) => (link.streams.size === 0 ? peer.close(why) : endStreams().then(() => peer.close(why))),
  };
}
