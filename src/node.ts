export { spawnTransport, type ChildExit, type ChildTransport, type SpawnOptions } from "./node/child.ts";
export { protectStdout, stdioTransport, type StdioOptions } from "./node/stdio.ts";
export { connectServer, createChain, localChain } from "./node/chain.ts";
export { listenHandler, type HandlerOptions, type HandlerServer } from "./node/http-handler.ts";
export { listenHttp, type HttpListener, type ListenOptions } from "./node/http-listener.ts";
