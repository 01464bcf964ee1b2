// The program at the top of src/library/README.md, as it stands there, and what a client sees of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as whole from "../../src/index.ts";
import * as library from "../../src/library.ts";

const README = readFileSync(new URL("../../src/library/README.md", import.meta.url), "utf8");
const PACKAGES: Readonly<Record<string, object>> = { "mcp-interceptors": whole, "mcp-interceptors/library": library };

test("the program of the README guards a server, and each ready-made one answers as its section says", async () => {
  const program = /^```ts\n([\s\S]*?)^```$/m.exec(README)?.[1] ?? assert.fail("there is no program");
  const names: Record<string, unknown> = {};
  const body = program.replace(/^import \{ (.*) \} from "(.*)";$/gm, (_, list: string, from: string) => {
    for (const name of list.split(", ")) names[name] = (PACKAGES[from] as Record<string, unknown>)[name] ?? assert.fail(`${from} has no ${name}`);
    return "";
  });
  const server = new whole.McpServer({ name: "s", version: "1" });
  server.tool({ name: "shell", inputSchema: { type: "object" } }, () => "never runs");
  server.tool({ name: "whoami", inputSchema: { type: "object" } }, () => "jane@example.com, password=hunter2horse");
  const run = new Function("server", ...Object.keys(names), `return (async () => {${body}})();`) as (...given: unknown[]) => Promise<void>;
  await run(server, ...Object.values(names));
  const [near, far] = whole.memoryPair();
  server.connect(far);
  const client = new whole.McpClient({ name: "c", version: "1" });
  await client.connect(near);
  assert.deepEqual((await client.listTools()).map(({ name }) => name), ["whoami"]);
  await assert.rejects(client.callTool({ name: "shell" }), { code: -32602, message: "Unknown tool: shell", data: undefined });
  const { content } = await client.callTool({ name: "whoami" });
  assert.deepEqual(content, [{ type: "text", text: "[REDACTED:email], password=[REDACTED:assignment]" }]);
  await client.close();
});
