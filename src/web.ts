export { connectServer, createChain, localChain, type ConnectServerOptions } from "./web/chain.ts";
export { fetchSend } from "./web/fetch-send.ts";
export { portTransport, type PortLike, type PortOptions } from "./web/message-port.ts";
export { fetchHandler, type FetchHandler } from "./web/fetch-handler.ts";
