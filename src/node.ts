/// <reference types="node" preserve="true" />
export { spawnTransport, type ChildExit, type ChildTransport, type SpawnOptions } from "./node/child.ts";
export { protectStdout, stdioTransport, type StdioOptions } from "./node/stdio.ts";
export { connectServer, createChain, localChain, type ConnectServerOptions } from "./node/chain.ts";
export { createHttpSend, type HttpSendOptions, type NodeHttpSend } from "./node/http-send.ts";
export { listenHandler, type HandlerOptions, type HandlerServer } from "./node/http-handler.ts";
export { listenHttp, type HttpListener, type ListenOptions } from "./node/http-listener.ts";
export { workerInterceptor, type WorkerInterceptorOptions, type WorkerInterceptors } from "./node/worker-interceptor.ts";
