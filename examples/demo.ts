// npm start: a real client talks through `mcp-interceptors wrap` to the example server, and the terminal shows what happened.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpClient, RpcError } from "mcp-interceptors";
import { spawnTransport } from "mcp-interceptors/node";

interface LoggedDecision {
  readonly event: string;
  readonly phase: string;
  readonly verdict: string;
  readonly interceptors: readonly { readonly name: string; readonly outcome: string; readonly durationMs: number }[];
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const node = [process.execPath, ...process.execArgv];
const colour = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, red, green, yellow] = [paint(1), paint(2), paint(31), paint(32), paint(33)];
const say = (text = "") => process.stdout.write(`${text}\n`);

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
const logFile = join(folder, "decisions.jsonl");
let logged = 0;

/** The decisions that were logged since the last look. */
function newDecisions(): LoggedDecision[] {
  const lines = readFileSync(logFile, "utf8").trimEnd().split("\n");
  const fresh = lines.slice(logged).filter((line) => line !== "");
  logged += fresh.length;
  return fresh.map((line) => JSON.parse(line) as LoggedDecision);
}

function sayDecisions(): void {
  for (const { event, phase, verdict, interceptors } of newDecisions()) {
    const times = interceptors.map(({ name, outcome, durationMs }) => `${name} ${outcome} in ${durationMs.toFixed(2)} ms`).join(", ");
    say(dim(`  ${event} ${phase}: ${verdict}  (${times})`));
  }
}

async function connect(command: readonly string[], stderr: (chunk: string) => void): Promise<McpClient> {
  const [program = "", ...args] = command;
  const transport = await spawnTransport({ command: program, args, stderr: (chunk) => stderr(Buffer.from(chunk).toString()) });
  const client = new McpClient({ name: "demo", version: "1.0.0" });
  await client.connect(transport);
  return client;
}

const textOf = (result: { readonly content: readonly unknown[] }) =>
  result.content.map((block) => (block as { text?: string }).text ?? "").join("\n").replaceAll("\n", "\n          ");

const upstream = [...node, here("upstream.ts")];
const wrapped = [
  ...node,
  here("../src/cli/main.ts"),
  ...["wrap", "--use", "redact", "--interceptors", here("policy.ts"), "--log", logFile, "--"],
  ...upstream,
];

try {
  let notes = "";
  const plain = await connect(upstream, (chunk) => process.stderr.write(chunk));
  const guarded = await connect(wrapped, (chunk) => (notes += chunk));

  say(bold("mcp-interceptors: a client, the wrapper, and an address book behind it"));
  say(dim(`  ${["mcp-interceptors", ...wrapped.slice(node.length + 1)].map((word) => word.replace(here("."), "examples/")).join(" ").replace(logFile, "FILE")}`));
  say();
  say(bold("Interceptors found"));
  const found = /with (.*)$/m.exec(notes)?.[1] ?? "none";
  for (const item of found.split(", ")) say(`  ${item}`);
  const tools = await guarded.listTools();
  say(dim(`  in front of the tools ${tools.map(({ name }) => name).join(", ")}, protocol ${guarded.protocolVersion ?? "?"}`));
  newDecisions();

  say();
  say(`${bold("A call that passes")}  set_note { id: 2, note: "call after lunch" }`);
  say(`  ${green("result")}  ${textOf(await guarded.callTool({ name: "set_note", arguments: { id: 2, note: "call after lunch" } }))}`);
  sayDecisions();

  say();
  const search = { name: "find_contacts", arguments: { text: "a" } };
  say(`${bold("A call that is redacted")}  find_contacts { text: "a" }`);
  say(`  ${dim("before")}  ${textOf(await plain.callTool(search))}`);
  say(`  ${yellow("after")}   ${textOf(await guarded.callTool(search))}`);
  sayDecisions();

  say();
  say(`${bold("A call that is blocked")}  delete_contact { id: 1 }`);
  const refusal: unknown = await guarded.callTool({ name: "delete_contact", arguments: { id: 1 } }).catch((error: unknown) => error);
  if (!(refusal instanceof RpcError)) throw new Error("the call was not blocked");
  const [reason] = (refusal.data as { validationErrors: { interceptor: string; message: string }[] }).validationErrors;
  say(`  ${red("refused")} ${refusal.code} ${refusal.message}`);
  say(`          ${reason?.interceptor}: ${reason?.message}`);
  sayDecisions();

  await guarded.close();
  await plain.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
