// Interceptors that many hosts share: hosted over HTTP, and reached by chains with one call.
//   node -C mcp-interceptors-source --import tsx examples/interceptor-server.ts               runs a check of itself
//   node -C mcp-interceptors-source --import tsx examples/interceptor-server.ts serve [PORT]  serves, until a signal ends it
// Then, without a line of code: mcp-interceptors wrap --interceptors http://127.0.0.1:PORT/mcp -- COMMAND
import { allow, deny, hostInterceptors, McpServer, mutator, serve, validator } from "mcp-interceptors";
import { createChain, listenHttp, type HttpListener } from "mcp-interceptors/node";
import { check } from "./self-check.ts";

const noShell = validator(
  { name: "no-shell", hooks: [{ events: ["tools/call"], phase: "request" }] },
  ({ payload }) => (payload.name === "shell" ? deny("shell is not allowed here") : allow()),
);
const stamp = mutator(
  { name: "stamp", hooks: [{ events: ["tools/call"], phase: "response" }] },
  ({ payload }) => ({ ...payload, _meta: { ...payload._meta, "com.example/audited": true } }),
);

/** Serves the interceptors in the background. */
async function listen(port: number): Promise<HttpListener> {
  const server = new McpServer({ name: "policies", version: "1.0.0" });
  hostInterceptors(server, [noShell, stamp]);
  const listener = await listenHttp({ port });
  void serve(server, listener);
  return listener;
}

if (process.argv[2] === "serve") {
  const listener = await listen(Number(process.argv[3] ?? 0));
  console.log(`The interceptors are served on ${listener.url}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void listener.close());
} else {
  const listener = await listen(0);
  const chain = createChain();
  await chain.addServer({ url: listener.url }, { label: "policies" });
  check("the chain has what the server hosts", chain.entries.map(({ address }) => address), ["policies/no-shell", "policies/stamp"]);

  const call = async (name: string) => (await chain.execute({ event: "tools/call", phase: "request", payload: { name } })).status;
  check("a harmless call passes", await call("get_weather"), "success");
  check("a shell is refused", await call("shell"), "validation_failed");
  const answer = await chain.execute({ event: "tools/call", phase: "response", payload: { content: [] } });
  check("an answer is stamped", answer.finalPayload, { content: [], _meta: { "com.example/audited": true } });

  await listener.close();
  check("with the server gone nothing passes", await call("get_weather"), "validation_failed");
  await chain.close();
}
