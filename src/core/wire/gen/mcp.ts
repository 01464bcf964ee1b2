// PLACEHOLDER until spec/generate.ts writes this file: the names and shapes below are the contract.
import type { JsonObject } from "../../base/json.ts";

// Every object type passes unknown members through, hence the index signatures.
export interface Icon { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark"; [member: string]: unknown }
export interface Implementation { name: string; version: string; title?: string; description?: string; websiteUrl?: string; icons?: Icon[]; [member: string]: unknown }
export interface ClientCapabilities { experimental?: JsonObject; extensions?: JsonObject; roots?: JsonObject; sampling?: JsonObject; elicitation?: JsonObject; [member: string]: unknown }
export interface ServerCapabilities { experimental?: JsonObject; extensions?: JsonObject; tools?: { listChanged?: boolean; [member: string]: unknown }; [member: string]: unknown }
export interface InitializeParams { protocolVersion: string; capabilities: ClientCapabilities; clientInfo: Implementation; _meta?: JsonObject; [member: string]: unknown }
export interface InitializeResult { protocolVersion: string; capabilities: ServerCapabilities; serverInfo: Implementation; instructions?: string; _meta?: JsonObject; [member: string]: unknown }
export interface DiscoverResult { supportedVersions: string[]; capabilities: ServerCapabilities; instructions?: string; resultType?: string; ttlMs?: number; cacheScope?: "public" | "private"; _meta?: JsonObject; [member: string]: unknown }
export type ProgressToken = string | number;
export interface ProgressParams { progressToken: ProgressToken; progress: number; total?: number; message?: string; _meta?: JsonObject; [member: string]: unknown }
export interface CancelledParams { requestId?: string | number; reason?: string; _meta?: JsonObject; [member: string]: unknown }
export interface PaginatedParams { cursor?: string; _meta?: JsonObject; [member: string]: unknown }
export interface ToolAnnotations { title?: string; readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean; [member: string]: unknown }
export interface Tool { name: string; title?: string; description?: string; inputSchema: JsonObject; outputSchema?: JsonObject; annotations?: ToolAnnotations; icons?: Icon[]; _meta?: JsonObject; [member: string]: unknown }
export interface ListToolsResult { tools: Tool[]; nextCursor?: string; _meta?: JsonObject; [member: string]: unknown }
export interface CallToolParams { name: string; arguments?: JsonObject; _meta?: JsonObject; [member: string]: unknown }
export interface TextContent { type: "text"; text: string; _meta?: JsonObject; [member: string]: unknown }
export interface ImageContent { type: "image"; data: string; mimeType: string; _meta?: JsonObject; [member: string]: unknown }
export interface AudioContent { type: "audio"; data: string; mimeType: string; _meta?: JsonObject; [member: string]: unknown }
export interface EmbeddedResource { type: "resource"; resource: JsonObject; _meta?: JsonObject; [member: string]: unknown }
export interface ResourceLink { type: "resource_link"; uri: string; name: string; _meta?: JsonObject; [member: string]: unknown }
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;
export interface CallToolResult { content: ContentBlock[]; structuredContent?: unknown; isError?: boolean; _meta?: JsonObject; [member: string]: unknown }
