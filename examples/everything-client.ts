// A client that uses all that a server has.
//   node -C mcp-interceptors-source --import tsx examples/everything-client.ts        starts the everything server, and checks what it gets
//   node -C mcp-interceptors-source --import tsx examples/everything-client.ts URL    uses the server there, and prints what came of it
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { HANDSHAKE_VERSIONS, httpTransport, McpClient, type CallToolParams, type McpClientOptions } from "mcp-interceptors";
import { createHttpSend } from "mcp-interceptors/node";
import { answerEverything, explore, type Outcomes } from "./everything/explore.ts";
import { check } from "./self-check.ts";

async function use(url: string, options: McpClientOptions, calls?: readonly CallToolParams[]): Promise<Outcomes> {
  const client = new McpClient({ name: "everything-client", version: "1.0.0" }, options);
  answerEverything(client);
  await client.connect(httpTransport({ url, send: createHttpSend() }));
  try {
    return await explore(client, calls);
  } finally {
    await client.close();
  }
}

/** The official suite says by the environment which revision it is about, and how it wants some tools to be called. */
async function useAsTold(url: string): Promise<void> {
  const { MCP_CONFORMANCE_PROTOCOL_VERSION: revision, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
  // The suite's own words.
  const { toolCalls } = JSON.parse(context) as { toolCalls?: CallToolParams[] };
  const era = revision === undefined ? "auto" : HANDSHAKE_VERSIONS.some((version) => version === revision) ? "handshake" : "stateless";
  for (const [what, outcome] of await use(url, { era }, toolCalls)) {
    console.log(outcome instanceof Error ? `failed: ${what}: ${outcome.message}` : `ok: ${what}`);
  }
}

async function checkMyself(): Promise<void> {
  const program = fileURLToPath(new URL("everything-server.ts", import.meta.url));
  const server = spawn(process.execPath, [...process.execArgv, program], { stdio: ["ignore", "pipe", "inherit"] });
  // However this process ends: a check that fails ends it at once.
  process.once("exit", () => server.kill());
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const url = line.slice(line.indexOf("http://"));
  for (const era of ["stateless", "handshake"] as const) {
    const outcomes = await use(url, { era });
    const content = (what: string) => (outcomes.get(what) as { content?: unknown } | undefined)?.content;
    const text = (words: string) => [{ type: "text", text: words }];
    check(`${era}: a tool answers`, content("test_simple_text"), text("This is a simple text response for testing."));
    check(`${era}: a tool asks, and goes on`, content("test_input_required_result_multi_round"), text("text likes text"));
    check(`${era}: an argument is repeated in a header`, content("test_x_mcp_header"), text("ran in text"));
    check(`${era}: a tool that lets the client go still answers`, content("test_reconnection"), text("Reconnection test completed successfully"));
    check(`${era}: nothing is refused`, [...outcomes.values()].filter((outcome) => outcome instanceof Error).map(String), []);
  }
  server.kill();
}

const url = process.argv[2];
await (url === undefined ? checkMyself() : useAsTold(url));
