import type { RpcError } from "./errors.ts";
import { isObject, ownMember } from "./json.ts";

/** Whether a peer may have acted on a request that it has not answered: certainly not, or perhaps. */
export type Delivery = "none" | "unknown";

/**
 * What an error response says of delivery, which is in those alone that a transport on this side made up where the peer's answer cannot come any
 * more, or cannot be read; `undefined` for the errors of peers.
 */
export function deliveryOf({ data }: RpcError): Delivery | undefined {
  const delivery = isObject(data) ? ownMember(data, "delivery") : undefined;
  return delivery === "none" || delivery === "unknown" ? delivery : undefined;
}
