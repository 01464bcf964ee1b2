import type { JsonObject } from "../../base/json.ts";
import type { Peer } from "../../jsonrpc/peer.ts";
import type { RequestId } from "../../wire/message.ts";
import type { LoggingLevel, ServerCapabilities } from "../../wire/gen/mcp.ts";
import type { Session } from "../lifecycle.ts";

/** One connection, as the server's features see it. */
export interface ServerLink {
  readonly peer: Peer;
  /** The handshake that the client has made, and what the server announced in it. */
  session: Session | undefined;
  announced: ServerCapabilities;
  /** What `logging/setLevel` said last. */
  logLevel: LoggingLevel | undefined;
  /** Messages of the server's own log that the transport has not accepted yet. */
  logging: number;
  /** What the session has subscribed to: URIs (handshake revisions). */
  readonly subscribed: Set<string>;
  /** Sends to the session; several alike while one is on its way become one. */
  readonly post: Post;
  /** The client's open `subscriptions/listen` requests (stateless revisions). */
  readonly streams: Map<RequestId, Stream>;
}

export interface Stream {
  readonly wants: ReadonlySet<string>;
  readonly uris: ReadonlySet<string>;
  readonly post: Post;
  /** Answers the request. Settles once the answer is on its way, or the client is no longer there for it. */
  end(): Promise<void>;
}

/** Sends a notification that says "look again", where nobody has to look twice. */
export type Post = (method: string, params: JsonObject | undefined, key?: string) => void;

/**
 * A notification of each key is sent at once, unless one like it is still on its way: then one more follows, whatever the number. So a
 * peer that reads slowly makes nothing pile up here, and the last change is never lost.
 */
export function createPost(send: (method: string, params: JsonObject | undefined) => Promise<void>): Post {
  // Most connections over HTTP never hear of a change.
  let again: Map<string, boolean> | undefined;
  const post: Post = (method, params, key = method) => {
    const marks = (again ??= new Map());
    if (marks.has(key)) {
      marks.set(key, true);
      return;
    }
    marks.set(key, false);
    send(method, params).then(
      () => {
        const repeat = marks.get(key);
        marks.delete(key);
        if (repeat === true) post(method, params, key);
      },
      // The connection is gone, or does not take it: nothing that came after would get through.
      () => marks.delete(key),
    );
  };
  return post;
}
