// An upstream on stdio, of the era that it is told, which does what the tool is named that is called: `upstream.mjs ERA [FILE]`. Every payload has the word
// `unguarded`. With a FILE, the first starts die in the middle of the greeting: as many as the file has characters, each of which takes one away.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const [, , era, deaths] = process.argv;
const envelope = (message) => JSON.stringify({ jsonrpc: "2.0", ...message });
const write = (message) => process.stdout.write(`${envelope(message)}\n`);
const raw = (bytes) => process.stdout.write(bytes);

const left = deaths !== undefined && existsSync(deaths) ? readFileSync(deaths, "utf8").length : 0;
const dying = left > 0;
if (dying) writeFileSync(deaths, "x".repeat(left - 1));

const version = era === "stateless" ? "2026-07-28" : "2025-11-25";
const done = (...texts) => ({ ...(era === "stateless" ? { resultType: "complete" } : {}), content: texts.map((text) => ({ type: "text", text })) });
const holding = [];

const deeds = {
  echo: (id, result) => (write({ id, result }), holding.splice(0).forEach(write)),
  // Answered after the next that is not, and last come first.
  hold: (id, result) => void holding.unshift({ id, result }),
  twice: (id, result) => (write({ id, result }), write({ id, result })),
  both: (id, result) => write({ id, result, error: { code: -32000, message: "unguarded" } }),
  neither: (id) => write({ id, unguarded: 1 }),
  bare: (id) => write({ id }),
  "bare-version": (id) => raw(`{"jsonrpc":"1.0","id":${id}}\n`),
  "null-result": (id) => write({ id, result: null }),
  "list-result": (id, result) => write({ id, result: [result] }),
  "no-code": (id) => write({ id, error: { message: "unguarded" } }),
  "text-error": (id) => write({ id, error: "unguarded" }),
  "no-version": (id, result) => raw(`${JSON.stringify({ id, result })}\n`),
  "batch-bare": (id) => raw(`[1,${envelope({ id })}]\n`),
  "broken-then-true": (id, result) => (write({ id }), write({ id, result: 5 }), write({ id, result })),
  "wrong-id": (id, result) => (write({ id: String(id), result }), write({ id: [id], result }), write({ id: id + 0.5, result }), write({ id: null, result })),
  "no-id": (_id, result) => (write({ result }), write({ error: { code: 1, message: "unguarded" } })),
  "wrong-result": (id) => write({ id, result: "unguarded" }),
  "wrong-content": (id) => write({ id, result: { ...done(""), content: [{ type: "text", text: 5, unguarded: 1 }, null] } }),
  "wrong-version": (id, result) => raw(`${JSON.stringify({ jsonrpc: "1.0", id, result })}\n`),
  "two-keys": (id, result) => raw(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(done("unguarded"))},"result":${JSON.stringify(result)}}\n`),
  // An id alone is no more than a record of somebody's log may have.
  record: (id) => raw(`${JSON.stringify({ level: "info", id, unguarded: 1 })}\n`),
  garbage: () => raw("unguarded\n\u0000\n{\n"),
  batch: (id, result) => raw(`[${envelope({ id, result })}]\n`),
  deep: (id) => raw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"unguarded":${"[".repeat(5_000)}${"]".repeat(5_000)}}}\n`),
  "not-utf8": (id) => raw(Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"unguarded `), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('"}]}}\n')])),
  huge: (id) => raw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${"unguarded ".repeat(10_000_000)}"}]}}\n`),
  error: (id) => write({ id, error: { code: -32000, message: "unguarded", data: "unguarded" } }),
  chatter(id, result) {
    for (const token of [id, id + 1, "unguarded"]) write({ method: "notifications/progress", params: { progressToken: token, progress: 1, message: "unguarded" } });
    write({ method: "notifications/message", params: { level: "info", data: "unguarded" } });
    write({ id: `q${id}`, method: "elicitation/create", params: { message: "unguarded", requestedSchema: { type: "object", properties: {} } } });
    write({ id, result });
  },
  silent: () => undefined,
  die: () => process.kill(process.pid, "SIGKILL"),
  half: (id, result) => raw(envelope({ id, result }).slice(0, -9)) && process.exit(0),
  "half-reported": (id) => raw(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"mess`) && process.exit(1),
  // Whether the answer gets out is anybody's guess: it is its own, or an error.
  "answer-die": (id, result) => (write({ id, result }), process.kill(process.pid, "SIGKILL")),
};

function take({ id, method, params = {} }) {
  if (id === undefined || method === undefined) return undefined;
  if (method === "server/discover" && era === "stateless") {
    if (dying) return deeds.half(id, { supportedVersions: [version], capabilities: { tools: {} } });
    return write({ id, result: { resultType: "complete", supportedVersions: [version], capabilities: { tools: {} } } });
  }
  if (method === "initialize" && era !== "stateless") {
    if (dying) return deeds.half(id, { protocolVersion: version });
    return write({ id, result: { protocolVersion: version, capabilities: { tools: {}, logging: {} }, serverInfo: { name: "faulty", version: "1" } } });
  }
  if (method !== "tools/call") return write({ id, error: { code: -32601, message: "Method not found" } });
  return deeds[params.name](id, done(`unguarded ${params.arguments.nonce}`, `unguarded ${params.arguments.deed}`));
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
