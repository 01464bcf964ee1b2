import { describeError, LocalError } from "../base/errors.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Log } from "../jsonrpc/log.ts";
import type { RequestOptions } from "../jsonrpc/outgoing.ts";
import type { CallToolParams, CallToolResult, Tool } from "../wire/gen/mcp.ts";
import type { SchemaCheck, SchemaCompiler } from "./endpoint.ts";

export interface ClientTools {
  list(options: RequestOptions): Promise<Tool[]>;
  call(params: CallToolParams, options: RequestOptions): Promise<CallToolResult>;
  /** Forgets the schemas of the last listing. */
  forget(): void;
}

export interface ClientToolsParts {
  readonly log: Log;
  readonly maxPages: number;
  readonly compile: SchemaCompiler;
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
}

/** A client's side of tools: drains the pages of a list, and holds results to the schemas that were listed. */
export function createClientTools({ log, maxPages, compile, request }: ClientToolsParts): ClientTools {
  // Output schemas by tool; `undefined` for one that cannot be compiled, which is then not checked.
  let outputs = new Map<string, SchemaCheck | undefined>();

  const compileOutput = ({ name, outputSchema }: Tool): void => {
    if (outputSchema === undefined) return;
    try {
      outputs.set(name, compile(outputSchema));
    } catch (error) {
      log({ level: "warning", message: `the outputSchema of the tool ${name} is unusable: ${describeError(error)}` });
      outputs.set(name, undefined);
    }
  };

  return {
    async list(options) {
      const tools: Tool[] = [];
      const cursors = new Set<string>();
      let cursor: string | undefined;
      for (let page = 1; ; page++) {
        const result = await request("tools/list", cursor === undefined ? {} : { cursor }, options);
        const { tools: found, nextCursor } = result;
        if (!Array.isArray(found) || !found.every(isTool)) throw malformed("tools/list gave something that is no list of tools");
        tools.push(...found);
        if (nextCursor === undefined || nextCursor === null) break;
        if (typeof nextCursor !== "string" || cursors.has(nextCursor)) {
          throw malformed("tools/list gave a cursor that is no text, or gave one twice");
        }
        if (page >= maxPages) throw new LocalError("limit_exceeded", `tools/list has more than ${maxPages} pages (maxPages)`);
        cursors.add((cursor = nextCursor));
      }
      outputs = new Map();
      for (const tool of tools) compileOutput(tool);
      return tools;
    },
    async call(params, options) {
      const result = await request("tools/call", params, options);
      if (!isToolResult(result)) throw malformed("the result of tools/call has no list `content`");
      const output = outputs.get(params.name);
      if (output === undefined || result.isError === true) return result;
      const { structuredContent } = result;
      const misfit = structuredContent === undefined ? { path: "", reason: "is missing" } : output.check(structuredContent);
      if (misfit !== undefined) throw malformed(`structuredContent${misfit.path} of the tool ${params.name} ${misfit.reason}`);
      return result;
    },
    forget() {
      outputs = new Map();
    },
  };
}

function isTool(value: unknown): value is Tool {
  return isObject(value) && typeof value.name === "string" && isObject(value.inputSchema);
}

function isToolResult(result: JsonObject): result is CallToolResult {
  // Results from before there was structured content have `content`, and so have all of tools since.
  return Array.isArray(result.content) && result.content.every((block) => isObject(block) && typeof block.type === "string");
}

function malformed(message: string): LocalError {
  return new LocalError("invalid_message", message);
}
