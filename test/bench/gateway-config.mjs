// For `mcp-interceptors gateway`: what gateway-server.mjs has, before the server at BENCH_UPSTREAM.
const url = process.env.BENCH_UPSTREAM;

export default {
  upstreams: { stateless: { url, era: "stateless" }, handshake: { url, era: "handshake", maxConnections: 1_000 } },
  interceptors: [{ module: "./gateway-interceptors.mjs" }],
  http: { port: 0 },
};
