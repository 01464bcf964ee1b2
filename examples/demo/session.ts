// The session of the demo: a client, the gateway's face of the address book, and what comes back. Whatever does not come out ends it with an error.
import { readFileSync } from "node:fs";
import { httpTransport, McpClient, RpcError, type CallToolParams, type CallToolResult, type McpClientOptions } from "mcp-interceptors";
import { createHttpSend, spawnTransport } from "mcp-interceptors/node";

export interface SessionOptions {
  /** Of the guarded address book. */
  readonly url: string;
  /** Starts one that nothing guards, to compare with. */
  readonly plain: { readonly command: string; readonly args: readonly string[] };
  readonly auditFile: string;
  say(text?: string): void;
}

interface AuditLine {
  readonly kind: string;
  readonly event: string;
  readonly phase: string;
  readonly verdict: string;
  readonly interceptors: readonly { readonly name: string; readonly outcome: string; readonly ms: number }[];
}

const colour = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
export const [bold, dim, red, green, yellow] = [paint(1), paint(2), paint(31), paint(32), paint(33)];

export async function playSession({ url, plain, auditFile, say }: SessionOptions): Promise<void> {
  const send = createHttpSend();
  const unguarded = new McpClient({ name: "demo", version: "1.0.0" });
  const open = [unguarded];
  const connect = async (options: McpClientOptions) => {
    const client = new McpClient({ name: "demo", version: "1.0.0" }, options);
    open.push(client);
    await client.connect(httpTransport({ url, send }));
    return client;
  };
  const sayDecisions = decisionsOf(auditFile, say);
  try {
    await unguarded.connect(await spawnTransport({ ...plain, stderr: "inherit" }));
    const guarded = await connect({});
    const tools = await guarded.listTools();
    say(dim(`  in front of the tools ${tools.map(({ name }) => name).join(", ")}, protocol ${guarded.protocolVersion ?? "?"}`));
    sayDecisions();

    say(`\n${bold("A call that passes")}  set_note { id: 2, note: "call after lunch" }`);
    const noted = textOf(await guarded.callTool({ name: "set_note", arguments: { id: 2, note: "call after lunch" } }));
    say(`  ${green("result")}  ${noted}`);
    sayDecisions();
    expect(noted === "noted", "the call did not pass");

    const search = { name: "find_contacts", arguments: { text: "a" } };
    say(`\n${bold("A call that is redacted")}  find_contacts { text: "a" }`);
    const [before, after] = [textOf(await unguarded.callTool(search)), textOf(await guarded.callTool(search))];
    say(`  ${dim("before")}  ${indented(before)}`);
    say(`  ${yellow("after")}   ${indented(after)}`);
    sayDecisions();
    expect(before.includes("ada@example.org") && after.includes("Ada Example") && !after.includes("@example.org"), "the answer was not redacted");

    say(`\n${bold("A call that is blocked")}  delete_contact { id: 1 }`);
    sayRefusal(await refusalOf(guarded, DELETION), say);
    expect(sayDecisions().some(({ verdict }) => verdict === "blocked"), "the refusal was not written down");

    const note = "see http://0xA9FEA9FE/latest/meta-data";
    say(`\n${bold("Another")}  set_note { id: 2, note: ${JSON.stringify(note)} }`);
    sayRefusal(await refusalOf(guarded, { name: "set_note", arguments: { id: 2, note } }), say);
    sayDecisions();

    say(`\n${bold("The first of these by a client of an earlier revision")}`);
    const earlier = await connect({ era: "handshake" });
    sayRefusal(await refusalOf(earlier, DELETION), say);
    say(dim(`  protocol ${earlier.protocolVersion ?? "?"}`));
    expect(textOf(await guarded.callTool(search)).includes("Ada Example"), "the contact is gone");
  } finally {
    await Promise.all(open.map((client) => client.close()));
    await send.close();
  }
}

const IDLE: ReadonlySet<string> = new Set(["valid", "unmodified"]);

/** Tells the decisions that were written down since the last time. */
function decisionsOf(file: string, say: SessionOptions["say"]): () => readonly AuditLine[] {
  let told = 0;
  return () => {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    // As the gateway writes them.
    const decisions = lines.slice(told).map((line) => JSON.parse(line) as AuditLine).filter(({ kind }) => kind === "decision");
    told = lines.length;
    for (const { event, phase, verdict, interceptors } of decisions) {
      const decided = interceptors.filter(({ outcome }) => !IDLE.has(outcome)).map(({ name, outcome, ms }) => `${name} ${outcome} in ${ms.toFixed(2)} ms, `);
      if (interceptors.length > 0) say(dim(`  ${event} ${phase}: ${verdict}  (${decided.join("")}${interceptors.length} interceptors)`));
    }
    return decisions;
  };
}

const DELETION = { name: "delete_contact", arguments: { id: 1 } };

async function refusalOf(client: McpClient, call: CallToolParams): Promise<RpcError> {
  const refusal: unknown = await client.callTool(call).catch((error: unknown) => error);
  if (!(refusal instanceof RpcError)) throw new Error("the call was not blocked");
  return refusal;
}

function sayRefusal({ code, message, data }: RpcError, say: SessionOptions["say"]): void {
  // As SEP-2624 has it.
  const [reason] = (data as { validationErrors: { interceptor: string; message: string }[] }).validationErrors;
  say(`  ${red("refused")} ${code} ${message}\n          ${reason?.interceptor}: ${reason?.message}`);
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n          ");
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
