// What the features of the everything server are made of.
import type { ContentBlock, McpServer, ToolHandler } from "mcp-interceptors";

/** One pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQ6jgDAAJGAXf1GcCGAAAAAElFTkSuQmCC";
/** One millisecond of silence. */
export const WAV = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

export const PICTURE: ContentBlock = { type: "image", data: PNG, mimeType: "image/png" };
export const SOUND: ContentBlock = { type: "audio", data: WAV, mimeType: "audio/wav" };

export function text(words: string): ContentBlock {
  return { type: "text", text: words };
}

export function embedded(uri: string, words: string, mimeType = "text/plain"): ContentBlock {
  return { type: "resource", resource: { uri, mimeType, text: words } };
}

/** Adds a tool that takes nothing. */
export function addTool(server: McpServer, name: string, description: string, handler: ToolHandler) {
  return server.tool({ name, description, inputSchema: { type: "object", properties: {}, additionalProperties: false } }, handler);
}

/** The schema of an object of texts, all of them required. */
export function texts(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  return { type: "object" as const, properties, required: names };
}
