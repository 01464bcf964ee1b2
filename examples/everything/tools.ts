// Tools that answer by themselves: each kind of content, failure, progress, log messages, and lists that change.
import { releaseStream, type McpServer, type ServerContext } from "mcp-interceptors";
import { addTool, embedded, PICTURE, SOUND, text, texts } from "./pieces.ts";

export type Pause = (milliseconds: number) => Promise<unknown>;

export function addTools(server: McpServer, pause: Pause): void {
  addContents(server);
  addWork(server, pause);
  addSchemas(server);
  addChanges(server);
}

function addContents(server: McpServer): void {
  addTool(server, "test_simple_text", "A text.", () => "This is a simple text response for testing.");
  addTool(server, "test_image_content", "A picture.", () => ({ content: [PICTURE] }));
  addTool(server, "test_audio_content", "A sound.", () => ({ content: [SOUND] }));
  addTool(server, "test_embedded_resource", "A resource within the result.", () => ({
    content: [embedded("test://embedded-resource", "This is an embedded resource content.")],
  }));
  addTool(server, "test_multiple_content_types", "Several kinds of content.", () => ({
    content: [
      text("Multiple content types test:"),
      PICTURE,
      embedded("test://mixed-content-resource", JSON.stringify({ test: "data", value: 123 }), "application/json"),
    ],
  }));
  // What a tool throws becomes a result that the model can read.
  addTool(server, "test_error_handling", "Fails.", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addWork(server: McpServer, pause: Pause): void {
  addTool(server, "test_tool_with_progress", "Reports its progress.", async (_args, { reportProgress }) => {
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause(50);
      // Goes to the client if it has asked for progress.
      await reportProgress(progress, 100);
    }
    return "done";
  });
  // Over HTTP a client need not hold the line (2025-11-25): it comes back for the answer, which is kept for it.
  addTool(server, "test_reconnection", "Ends the connection, and answers when the client is back.", async (_args, { from }) => {
    releaseStream(from, { retryMs: 500 });
    await pause(100);
    return "Reconnection test completed successfully";
  });
  const log = async (_args: unknown, { log }: ServerContext) => {
    log("info", "Tool execution started");
    await pause(50);
    log("info", "Tool processing data");
    await pause(50);
    log("info", "Tool execution completed");
    return "logged";
  };
  addTool(server, "test_tool_with_logging", "Logs while it works.", log);
  addTool(server, "test_logging_tool", "Logs while it works, to clients that want it.", log);
}

function addSchemas(server: McpServer): void {
  // All keywords of JSON Schema 2020-12 are checked here, and reach the client as they are written.
  server.tool(
    {
      name: "json_schema_2020_12_tool",
      description: "Takes a person with an address and one way to be reached.",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: { address: { $anchor: "addressDef", type: "object", properties: texts("street", "city").properties } },
        properties: {
          ...texts("name", "phone", "email").properties,
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      },
    },
    ({ name }) => `${String(name)} can be reached`,
  );
  // The client repeats the region in the header Mcp-Param-Region, so that what stands in between can route by it (2026-07-28).
  server.tool(
    {
      name: "test_x_mcp_header",
      description: "Runs a query in a region.",
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" }, query: { type: "string" } },
        required: ["region"],
      },
    },
    ({ region }) => `ran in ${String(region)}`,
  );
}

/** Lists that change while they are looked at; the clients that listen are told. */
function addChanges(server: McpServer): void {
  let changes = 0;
  const tool = addTool(server, "test_changing_tool", "Has not changed.", () => "here");
  const prompt = server.prompt({ name: "test_changing_prompt", description: "Has not changed." }, () => "here");
  for (const [kind, one] of Object.entries({ tool, prompt })) {
    addTool(server, `test_trigger_${kind}_change`, `Changes the description of a ${kind}.`, () => {
      one.update({ description: `Change ${++changes}.` });
      return "changed";
    });
  }
}
