// The client of the stdio comparison. Arguments: the command lines to compare, as JSON: `{ name: [command, ...args] }`. Gets `{ name, ms }`, sends small
// tool calls to that one, each after the answer to the one before, and says `{ p50, p99 }` in microseconds.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

const TEXT = "Tomorrow in Zürich: cloudy in the morning, 12 to 18 degrees, light wind from the west, no rain before the evening.";

async function connect([command, ...args]) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  let lastId = 0;
  let answered;
  let partial = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    partial += chunk;
    if (!partial.endsWith("\n")) return;
    const line = partial;
    partial = "";
    answered(line);
  });
  const ask = (method, params) => {
    const line = `${JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params })}\n`;
    return new Promise((resolve) => {
      answered = resolve;
      child.stdin.write(line);
    });
  };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const call = () => ask("tools/call", { name: "echo", arguments: { text: TEXT } });
  assert.equal(JSON.parse(await call()).result.content[0].text, TEXT);
  return { child, call };
}

const connections = new Map();
for (const [name, command] of Object.entries(JSON.parse(process.argv[2]))) connections.set(name, await connect(command));

process.on("message", async ({ name, ms }) => {
  const { call } = connections.get(name);
  const times = [];
  const until = performance.now() + ms;
  for (let started = performance.now(); started < until; ) {
    await call();
    const ended = performance.now();
    times.push((ended - started) * 1000);
    started = ended;
  }
  times.sort((left, right) => left - right);
  process.send({ p50: times[Math.floor(times.length / 2)], p99: times[Math.floor(times.length * 0.99)] });
});
process.on("disconnect", () => {
  for (const { child } of connections.values()) child.stdin.end();
});
process.send({ ready: true });
