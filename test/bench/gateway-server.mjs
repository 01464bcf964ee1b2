// What stands between a caller and our HTTP server, in a process of its own: `gateway-server.mjs SUBJECT URL`. Says `{ urls }`, by era, and when asked
// `{ microseconds }`, the processor time that it has used. Plain JavaScript over dist/, as in memory-subjects.mjs.
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { createChain } from "mcp-interceptors";
import { createGateway } from "mcp-interceptors/gateway";
import interceptors from "./gateway-interceptors.mjs";

const [, , subject, target] = process.argv;

/** `node:http` alone: passes on what comes, both ways, on connections that stay open, and reads nothing of it. */
async function proxy() {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((incoming, response) => {
    const { connection: _connection, ...headers } = incoming.headers;
    const outgoing = request({ agent, hostname, port, path: pathname, method: incoming.method, headers: { ...headers, host: `${hostname}:${port}` } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/mcp`;
  return { stateless: url, handshake: url };
}

/** The gateway with a validator that reads the call, and a mutator that adds a member to its result. */
async function gateway() {
  const chain = createChain();
  chain.add(interceptors);
  const upstream = (era) => ({ name: era, era, target: { url: target } });
  const { url } = await createGateway({ upstreams: [upstream("stateless"), upstream("handshake")], chain: () => chain, http: {} });
  return { stateless: `${url}/stateless/mcp`, handshake: `${url}/handshake/mcp` };
}

const urls = await { proxy, gateway }[subject]();
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ microseconds: user + system });
});
process.on("disconnect", () => process.exit());
process.send({ urls });
