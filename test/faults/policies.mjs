// An interceptor server, `policies.mjs FILE`, of those that the file lists: `cleaner` mends what comes from upstreams, `watcher` looks on at it, `gate` looks at
// calls. What a payload says is done to it while it is judged: `PART:DEED`, where PART is the interceptor that is meant.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const response = [{ events: ["tools/call"], phase: "response" }];
const all = [
  { name: "cleaner", type: "mutation", hooks: [...response, { events: ["notifications/progress", "notifications/message", "elicitation/create"], phase: "request" }] },
  { name: "watcher", type: "validation", mode: "audit", hooks: response },
  { name: "gate", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] },
];
const names = () => JSON.parse(readFileSync(process.argv[2], "utf8"));
// What it has it keeps; what it lists is what the file says then.
const has = names();
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function invoke(id, { name, phase, payload }) {
  const text = JSON.stringify(payload);
  if (!has.includes(name)) return write({ id, error: { code: -32602, message: "there is no such interceptor" } });
  const verdict = all.find((one) => one.name === name).type === "validation" ? { type: "validation", phase, valid: true } : undefined;
  const result = verdict ?? { type: "mutation", phase, modified: true, payload: JSON.parse(text.replaceAll("unguarded", "seen")) };
  const [, deed] = new RegExp(`${name}:(\\w+)`).exec(text) ?? [];
  switch (deed) {
    case "die":
      return process.exit(1);
    case "hang":
      return undefined;
    case "late":
      // After the time that the test gives it, and after what the gateway waits longer for a server's own word on that.
      return setTimeout(() => write({ id, result: { ...result, payload } }), 2_000);
    case "halves":
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }).slice(0, -10));
      return process.exit(0);
    case "twice":
      write({ id, result });
      return write({ id, result: { ...result, payload } });
    case "odd":
      return write({ id, result: { type: result.type, phase, modified: true, valid: "yes" } });
    case "error":
      return write({ id, error: { code: -32000, message: text } });
    default:
      return write({ id, result });
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") write({ id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "policies", version: "1" } } });
  else if (method === "interceptors/list") write({ id, result: { interceptors: all.filter(({ name }) => names().includes(name)) } });
  else if (method === "interceptor/invoke") invoke(id, params);
  else write({ id, error: { code: -32601, message: "Method not found" } });
});
process.stdin.on("end", () => process.exit(0));
