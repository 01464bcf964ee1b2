import type { PeerContext } from "./transport.ts";

// Only ever counts up: a name is never used twice in a process, so state keyed by it cannot be inherited by a later connection.
let connections = 0;

/** A fresh value for `PeerContext.connection`, such as `stdio-7`. */
export function newConnection(transport: PeerContext["transport"]): string {
  return `${transport}-${++connections}`;
}
