// The client of the comparison of guarded servers. Arguments: the command lines to compare, as JSON: `{ name: { where, command } }`. Gets `{ name, chars, ms }`, sends
// tool calls of that many characters to that one, each after the answer to the one before, and says `{ p50 }` in microseconds.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Agent, request } from "node:http";

const HANDSHAKE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };

async function connect({ where, command: [program, ...args] }) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdout.setEncoding("utf8");
  let answered;
  let partial = [];
  child.stdout.on("data", (chunk) => {
    partial.push(chunk);
    if (!chunk.endsWith("\n")) return;
    const line = partial.join("");
    partial = [];
    answered(line);
  });
  const nextLine = () => new Promise((resolve) => (answered = resolve));
  const send = where === "stdio" ? stdioSend(child, nextLine) : httpSend(Number(await nextLine()));
  let lastId = 0;
  const ask = (method, params) => send({ jsonrpc: "2.0", id: ++lastId, method, params });
  await ask("initialize", HANDSHAKE);
  await send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { child, call: (text) => ask("tools/call", { name: "echo", arguments: { text } }) };
}

function stdioSend(child, nextLine) {
  return (message) => {
    const answer = message.id === undefined ? undefined : nextLine();
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return answer;
  };
}

function httpSend(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let session = {};
  return (message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const headers = {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream", "content-length": Buffer.byteLength(body) },
        ...session,
      };
      const sent = request({ host: "127.0.0.1", port, method: "POST", path: "/", agent, headers }, (response) => {
        const id = response.headers["mcp-session-id"];
        if (id !== undefined) session = { "mcp-session-id": id, "mcp-protocol-version": HANDSHAKE.protocolVersion };
        const chunks = [];
        response.setEncoding("utf8").on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve(chunks.join("")));
      });
      sent.on("error", reject).end(body);
    });
}

const connections = new Map();
for (const [name, subject] of Object.entries(JSON.parse(process.argv[2]))) connections.set(name, await connect(subject));

process.on("message", async ({ name, chars, ms }) => {
  const { call } = connections.get(name);
  const text = "Cloudy in the morning. ".repeat(Math.ceil(chars / 23)).slice(0, chars);
  assert.equal(JSON.parse(await call(text)).result.content[0].text, text);
  const times = [];
  const until = performance.now() + ms;
  for (let started = performance.now(); started < until; ) {
    await call(text);
    const ended = performance.now();
    times.push((ended - started) * 1000);
    started = ended;
  }
  times.sort((left, right) => left - right);
  process.send({ p50: times[Math.floor(times.length / 2)] });
});
process.on("disconnect", () => {
  for (const { child } of connections.values()) child.stdin.end();
  process.exit(0);
});
process.send({ ready: true });
