// Calls the tool over HTTP, by sockets of its own that stay open: what writes a text and looks for the end of the answer takes little beside any server,
// so that the servers are compared and not this. Gets `{ url, era, inFlight }` with `ms` or with `calls`, how many to make, and says `{ calls, microseconds, p50 }`: how many were answered, the wall
// time of a call over all sockets, and the middle of the times that one waited.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { ARGUMENTS, FORECAST, INFO, TOOL } from "./forecast.mjs";

const VERSIONS = { stateless: "2026-07-28", handshake: "2025-11-25" };
// All ids have as many digits, so that only they change in a request.
let lastId = 100_000_000;

const post = ({ host, pathname }, headers, body) => {
  const lines = Object.entries({ "content-type": "application/json", accept: "application/json, text/event-stream", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** One connection, and one request at a time. */
async function open({ hostname, port }) {
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, "connect");
  let got = "";
  let settle;
  let broken;
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    got = got === "" ? chunk : got + chunk;
    const end = got.indexOf("\r\n\r\n");
    if (end < 0) return;
    // Names of headers come in any case. Lengths are in bytes, and the texts here have characters of two.
    const length = /\r\ncontent-length: (\d+)/i.exec(got);
    const whole = length === null ? got.endsWith("0\r\n\r\n") : Buffer.byteLength(got) >= Buffer.byteLength(got.slice(0, end + 4)) + Number(length[1]);
    if (!whole) return;
    const answer = got;
    got = "";
    settle(answer);
  });
  socket.on("close", () => broken?.(new Error("the server has closed the connection")));
  return {
    ask: (text) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        broken = reject;
        socket.write(text);
      }),
    close() {
      broken = undefined;
      socket.destroy();
    },
  };
}

async function initialize(target) {
  const connection = await open(target);
  const params = { protocolVersion: VERSIONS.handshake, capabilities: {}, clientInfo: INFO };
  const answer = await connection.ask(post(target, {}, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })));
  const session = /\r\nmcp-session-id: ([^\r]+)/i.exec(answer)?.[1];
  const headers = { "mcp-protocol-version": VERSIONS.handshake, ...(session === undefined ? {} : { "mcp-session-id": session }) };
  await connection.ask(post(target, headers, JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })));
  connection.close();
  return headers;
}

/** Cut where the id goes. */
async function template(target, era) {
  const meta =
    era === "handshake"
      ? {}
      : {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": VERSIONS.stateless,
            "io.modelcontextprotocol/clientInfo": INFO,
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        };
  const headers =
    era === "handshake" ? await initialize(target) : { "mcp-protocol-version": VERSIONS.stateless, "mcp-method": "tools/call", "mcp-name": TOOL };
  const params = { name: TOOL, arguments: ARGUMENTS, ...meta };
  return post(target, headers, JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "tools/call", params })).split(String(lastId));
}

const templates = new Map();

process.on("message", async ({ url, era, inFlight, ms = Infinity, calls = Infinity }) => {
  const target = new URL(url);
  const key = `${era} ${url}`;
  if (!templates.has(key)) templates.set(key, await template(target, era));
  const [before, after] = templates.get(key);
  const connections = await Promise.all(Array.from({ length: inFlight }, () => open(target)));
  const times = [];
  let left = calls;
  const until = performance.now() + ms;
  const start = performance.now();
  await Promise.all(
    connections.map(async ({ ask }) => {
      for (let now = performance.now(); now < until && left > 0; ) {
        left--;
        const id = ++lastId;
        const answer = await ask(`${before}${id}${after}`);
        if (!answer.includes(FORECAST) || !answer.includes(String(id))) assert.fail(`no forecast: ${answer}`);
        const then = performance.now();
        times.push(then - now);
        now = then;
      }
    }),
  );
  const microseconds = ((performance.now() - start) * 1e3) / times.length;
  for (const { close } of connections) close();
  times.sort((left, right) => left - right);
  process.send({ calls: times.length, microseconds, p50: times[Math.floor(times.length / 2)] * 1e3 });
});
process.send({ ready: true });
