import { rm } from "node:fs/promises";
import type { Limits } from "../../core/base/limits.ts";
import type { HttpHandler } from "../../core/http/exchange.ts";
import { listenHandler, type HandlerServer } from "../../node/http-handler.ts";
import { socketOf, type WorkerPlace } from "./place.ts";

/**
 * Listens for what other workers pass on. It is served as if it had come by the port, checks and all, and never passed on again: what an id or a state
 * does not name another worker for is served here, whatever it is.
 */
export async function openDoor(place: WorkerPlace, handler: HttpHandler, limits: Limits): Promise<HandlerServer> {
  const socketPath = socketOf(place, place.slot);
  // Left by one that had this place before and was killed: the primary has seen its end.
  await rm(socketPath, { force: true }).catch(() => {});
  // An early answer, such as a refusal, is on its way to a client while another worker still passes the body on.
  return await listenHandler(handler, { socketPath, limits, readsOn: true });
}
