export { portTransport, type PortLike, type PortOptions } from "./web/message-port.ts";
export { fetchHandler, type FetchHandler } from "./web/fetch-handler.ts";
