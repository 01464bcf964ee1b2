// Prompts and resources.
import type { McpServer, PromptMessage } from "mcp-interceptors";
import { embedded, PICTURE, PNG, text } from "./pieces.ts";

export function addPrompts(server: McpServer): void {
  const user = (content: PromptMessage["content"]): PromptMessage => ({ role: "user", content });
  server.prompt({ name: "test_simple_prompt", description: "A text." }, () => "This is a simple prompt for testing.");
  server.prompt(
    {
      name: "test_prompt_with_arguments",
      description: "A text with two words filled in.",
      arguments: ["arg1", "arg2"].map((name) => ({ name, description: "A word", required: true })),
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    { complete: { arg1: (typed) => ["paris", "park", "party"].filter((word) => word.startsWith(typed)) } },
  );
  server.prompt(
    {
      name: "test_prompt_with_embedded_resource",
      description: "A resource, and what to do with it.",
      arguments: [{ name: "resourceUri", description: "Which one", required: true }],
    },
    ({ resourceUri = "" }) => [
      user(embedded(resourceUri, "Embedded resource content for testing.")),
      user(text("Please process the embedded resource above.")),
    ],
  );
  server.prompt({ name: "test_prompt_with_image", description: "A picture, and what to do with it." }, () => [
    user(PICTURE),
    user(text("Please analyze the image above.")),
  ]);
}

export function addResources(server: McpServer): void {
  server.resource(
    { uri: "test://static-text", name: "static-text", description: "A text that stays.", mimeType: "text/plain" },
    () => "This is the content of the static text resource.",
  );
  server.resource(
    { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
    () => new Uint8Array(Buffer.from(PNG, "base64")),
  );
  server.resource(
    { uri: "test://watched-resource", name: "watched-resource", description: "Can be subscribed to.", mimeType: "text/plain" },
    () => "This resource can be watched.",
  );
  server.resourceTemplate(
    { uriTemplate: "test://template/{id}/data", name: "template", description: "Data by id.", mimeType: "application/json" },
    (_uri, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}
