// Calls the tool over HTTP, by sockets of its own that stay open: what writes a text and looks for the end of the answer takes little beside any server,
// so that the servers are compared and not this. Gets `{ url, era, inFlight, sessions }` with `ms` or with `calls`, how many to make, and says `{ calls, microseconds, p50 }`: how many were
// answered, the wall time of a call over all sockets, and the middle of the times that one waited. `sessions`: none, and all sockets, which are new, are in one session; "own", and
// each is in one that has begun on it; "next", and in one that has begun on the next socket. These stay open for further requests.
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

async function initialize(target, connection) {
  const params = { protocolVersion: VERSIONS.handshake, capabilities: {}, clientInfo: INFO };
  const answer = await connection.ask(post(target, {}, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })));
  const session = /\r\nmcp-session-id: ([^\r]+)/i.exec(answer)?.[1];
  const headers = { "mcp-protocol-version": VERSIONS.handshake, ...(session === undefined ? {} : { "mcp-session-id": session }) };
  await connection.ask(post(target, headers, JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })));
  return headers;
}

/** What goes with each call. */
async function begin(target, era, connection) {
  if (era === "handshake") return await initialize(target, connection);
  return { "mcp-protocol-version": VERSIONS.stateless, "mcp-method": "tools/call", "mcp-name": TOOL };
}

/** Cut where the id goes. */
function template(target, era, headers) {
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
  const params = { name: TOOL, arguments: ARGUMENTS, ...meta };
  return post(target, headers, JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "tools/call", params })).split(String(lastId));
}

const templates = new Map();
const kept = new Map();

/** Connections, each with what it sends. */
async function lanes(target, era, inFlight, sessions) {
  const key = `${era} ${target} ${sessions}`;
  if (sessions === undefined) {
    const connections = await Promise.all(Array.from({ length: inFlight }, () => open(target)));
    if (!templates.has(key)) {
      const first = await open(target);
      templates.set(key, template(target, era, await begin(target, era, first)));
      first.close();
    }
    return connections.map((connection) => ({ connection, parts: templates.get(key) }));
  }
  if (!kept.has(key)) {
    const begun = [];
    // One after the other, each once the one before has had an answer, as clients come: of many at once a worker that happens to be busy takes fewer.
    while (begun.length < inFlight) {
      const connection = await open(target);
      const headers = await begin(target, era, connection);
      await connection.ask(template(target, era, headers).join(String(++lastId)));
      begun.push({ connection, headers });
    }
    const lane = ({ connection }, index) => ({ connection, parts: template(target, era, begun[(index + (sessions === "own" ? 0 : 1)) % inFlight].headers) });
    kept.set(key, begun.map(lane));
  }
  return kept.get(key);
}

process.on("message", async ({ url, era, inFlight, ms = Infinity, calls = Infinity, sessions }) => {
  const all = await lanes(new URL(url), era, inFlight, sessions);
  const times = [];
  let left = calls;
  const until = performance.now() + ms;
  const start = performance.now();
  await Promise.all(
    all.map(async ({ connection: { ask }, parts: [before, after] }) => {
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
  if (sessions === undefined) for (const { connection } of all) connection.close();
  times.sort((left, right) => left - right);
  process.send({ calls: times.length, microseconds, p50: times[Math.floor(times.length / 2)] * 1e3 });
});
process.send({ ready: true });
