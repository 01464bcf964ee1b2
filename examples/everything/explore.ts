import type { CallToolParams, FormElicitation, JsonObject, McpClient, Tool } from "mcp-interceptors";
import { sampleObject } from "./sample-value.ts";

/** What came of each thing that was tried: the result, or the error. */
export type Outcomes = Map<string, unknown>;

/** Answers whatever a server may ask, as an agreeable user and a model of few words would. */
export function answerEverything(client: McpClient): void {
  client.onElicitation(
    (asked) => (asked.mode === "form" ? { action: "accept", content: filled(asked) } : { action: "decline" }),
    // What is left out here is filled with the form's own defaults.
    { applyDefaults: true },
  );
  client.onSampling(() => ({ role: "assistant", content: { type: "text", text: "Paris" }, model: "few-words", stopReason: "endTurn" }));
  client.onRoots([{ uri: "file:///home/user/project", name: "project" }]);
}

function filled({ requestedSchema, defaults }: FormElicitation) {
  const required = requestedSchema.required?.filter((name) => !Object.hasOwn(defaults, name)) ?? [];
  // The sample of a form is one of plain values.
  return sampleObject({ ...requestedSchema, required }) as FormElicitation["defaults"];
}

/** Uses all that the server says it has: calls each tool (or makes the `calls` given), gets each prompt, reads each resource. */
export async function explore(client: McpClient, calls?: readonly CallToolParams[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const attempt = async (what: string, work: () => Promise<unknown>) => outcomes.set(what, await work().catch((error: unknown) => error));
  const { tools, prompts, resources } = client.serverCapabilities ?? {};

  await attempt("ping", () => client.ping());
  if (tools !== undefined) {
    const listed = await client.listTools();
    for (const params of calls ?? listed.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, listed) }))) {
      await attempt(params.name, () => client.callTool(params));
    }
  }
  if (prompts !== undefined) {
    for (const { name, arguments: args = [] } of await client.listPrompts()) {
      const filledIn = Object.fromEntries(args.map((argument) => [argument.name, "text"]));
      await attempt(name, () => client.getPrompt({ name, arguments: filledIn }));
    }
  }
  if (resources !== undefined) {
    for (const { uri } of await client.listResources()) await attempt(uri, () => client.readResource({ uri }));
  }
  return outcomes;
}

/** A tool that echoes a schema is given the first one that there is; any other what its own schema requires. */
function argumentsFor(tool: Tool, all: readonly Tool[]): JsonObject {
  if (tool.name === "json_schema_echo") return { schema: all[0]?.inputSchema };
  return sampleObject(tool.inputSchema);
}
