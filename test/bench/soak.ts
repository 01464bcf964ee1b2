// Many calls by many clients through a gateway with a validator and a mutator: none may be lost or answered wrongly, and nothing may pile up. Writes what it
// has measured into test/README.md: `npm run soak -- [--calls N] [--clients M]`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { stdioTransport } from "../../src/node/stdio.ts";
import { writeMarked } from "../support/marked-text.ts";
import type { Held } from "./soak-gateway.ts";

const README = fileURLToPath(new URL("../README.md", import.meta.url));
// A fifth of the calls warms up, and memory is measured after each of the others.
const ROUNDS = 5;
const MIB = 2 ** 20;
const BOUNDS = { heap: 2 * MIB, rss: 32 * MIB };
const CALL_TIMEOUT_MS = 60_000;
// Then a client leaves, and another one comes in its place.
const CALLS_OF_A_CLIENT = 100;

const { values } = parseArgs({ options: { calls: { type: "string", default: "200000" }, clients: { type: "string", default: "64" } } });
const calls = Number(values.calls);
const clients = Number(values.clients);
assert.ok(Number.isSafeInteger(calls) && Number.isSafeInteger(clients) && clients >= 8 && calls >= ROUNDS * clients, "--calls and --clients are numbers, 8 clients at least");

const program = fileURLToPath(new URL("soak-gateway.ts", import.meta.url));
const gateway = spawn(process.execPath, ["--expose-gc", ...process.execArgv, program], { stdio: ["pipe", "pipe", "inherit", "ipc"] });
const { stdin, stdout } = gateway;
assert.ok(stdin && stdout, "both are pipes");
const ended = once(gateway, "exit");
const said = async (): Promise<unknown> => (await Promise.race([once(gateway, "message"), ended.then(() => assert.fail("the gateway has ended"))]))[0];
// The gateway's own words.
const { url } = (await said()) as { url: string };
const measure = async (): Promise<Held> => {
  const answer = said();
  gateway.send({});
  return (await answer) as Held;
};

const counts = { answered: 0, lost: 0, wrong: 0, connected: 0 };
const FACES = ["HTTP, stateless", "HTTP, handshake"] as const;
const byPair = new Map<string, number>();

/** One of the clients, in whose place another one comes now and then; the first is on stdio, and stays. */
const createCaller = (index: number) => {
  const era = index % 2 === 0 ? "stateless" : "handshake";
  const onStdio = index === 0;
  const upstream = onStdio || index % 4 < 2 ? "handshake" : "stateless";
  const pair = `${onStdio ? "stdio, stateless" : FACES[index % 2]} to ${upstream}`;
  let client: McpClient | undefined;
  let made = 0;
  const connect = async (): Promise<McpClient> => {
    const fresh = new McpClient({ name: `client-${index}`, version: "1" }, { era });
    const send = createHttpSend();
    await fresh.connect(onStdio ? stdioTransport({ stdin: stdout, stdout: stdin }) : httpTransport({ url: `${url}/${upstream}/mcp`, send, release: () => send.close() }));
    counts.connected++;
    return fresh;
  };
  return {
    async calls(many: number): Promise<void> {
      for (let left = many; left > 0; left--) {
        if (!onStdio && made % CALLS_OF_A_CLIENT === CALLS_OF_A_CLIENT - 1) {
          await client?.close();
          client = undefined;
        }
        client ??= await connect();
        const nonce = `${index}-${made++}`;
        try {
          const { content } = await client.callTool({ name: "echo", arguments: { nonce } }, { timeoutMs: CALL_TIMEOUT_MS });
          const [block] = content;
          if (content.length === 1 && block?.type === "text" && block.text === `seen ${nonce}`) counts.answered++;
          else {
            counts.wrong++;
            console.error(`${nonce} was answered ${JSON.stringify(content)}`);
          }
        } catch (error) {
          counts.lost++;
          console.error(`${nonce} has no answer:`, error);
        }
        byPair.set(pair, (byPair.get(pair) ?? 0) + 1);
      }
    },
    close: () => client?.close(),
  };
};

const callers = Array.from({ length: clients }, (_, index) => createCaller(index));
const held: Held[] = [];
const start = performance.now();
for (let round = 0; round < ROUNDS; round++) {
  const many = Math.floor((calls * (round + 1)) / ROUNDS) - Math.floor((calls * round) / ROUNDS);
  await Promise.all(callers.map((caller, index) => caller.calls(Math.floor((many * (index + 1)) / clients) - Math.floor((many * index) / clients))));
  const now = await measure();
  held.push(now);
  console.log(`${counts.answered} answered, ${counts.wrong} wrong, ${counts.lost} lost; heap ${(now.heap / MIB).toFixed(1)} MiB, memory ${(now.rss / MIB).toFixed(1)} MiB`);
}
const seconds = (performance.now() - start) / 1_000;
await Promise.all(callers.map((caller) => caller.close()));
const idle = await measure();
gateway.disconnect();
const [code] = await ended;

const warm = held[0]!;
const grown = { heap: Math.max(...held.slice(1).map(({ heap }) => heap)) - warm.heap, rss: Math.max(...held.slice(1).map(({ rss }) => rss)) - warm.rss };
assert.deepEqual({ ...counts, connected: 0 }, { answered: calls, lost: 0, wrong: 0, connected: 0 });
assert.ok(grown.heap <= BOUNDS.heap, `the heap has grown by ${grown.heap} bytes`);
assert.ok(grown.rss <= BOUNDS.rss, `memory has grown by ${grown.rss} bytes`);
assert.deepEqual([idle.faces, idle.calls, idle.lost, code], [0, 0, 0, 0]);

const grouped = (value: number) => Math.round(value).toLocaleString("en");
const mebibytes = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;
const rows = [
  ["calls, all answered", grouped(counts.answered), ""],
  ...[...byPair].map(([pair, many]) => [`of them ${pair}`, grouped(many), ""]),
  ["lost, or with another's answer", String(counts.lost + counts.wrong), "0"],
  ["clients at a time, and in all", `${clients}, ${grouped(counts.connected)}`, ""],
  ["calls a second, on the machine that made them too", grouped(calls / seconds), ""],
  [`heap after a collection, after ${grouped(calls / ROUNDS)} calls`, mebibytes(warm.heap), ""],
  ["the most that it has grown after that", mebibytes(grown.heap), mebibytes(BOUNDS.heap)],
  ["memory of the process then", mebibytes(warm.rss), ""],
  ["the most that it has grown after that", mebibytes(grown.rss), mebibytes(BOUNDS.rss)],
];
const where = `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model ?? "unknown"} with ${cpus().length} cores, Node ${process.version}:`;
const table = ["| what | measured | bound |", "|---|---:|---:|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
writeMarked(README, "soak", `${where}\n\n${table}`);
console.log(`\n${table}`);
