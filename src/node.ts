export { spawnTransport, type ChildExit, type ChildTransport, type SpawnOptions } from "./node/child.ts";
export { protectStdout, stdioTransport, type StdioOptions } from "./node/stdio.ts";
export { connectServer, createChain, localChain } from "./node/chain.ts";
export { workerInterceptor, type WorkerInterceptorOptions, type WorkerInterceptors } from "./node/worker-interceptor.ts";
