import { describeError, LocalError } from "../base/errors.ts";
import type { Log } from "../jsonrpc/log.ts";
import type { CallToolParams, CallToolResult, Tool } from "../wire/gen/mcp.ts";
import type { ClientCallOptions } from "./client-options.ts";
import type { SchemaCheck, SchemaCompiler } from "./endpoint.ts";
import type { ClientCalls } from "./features/client-calls.ts";

export interface ClientTools {
  list(options: ClientCallOptions): Promise<Tool[]>;
  call(params: CallToolParams, options: ClientCallOptions): Promise<CallToolResult>;
  /** Forgets the schemas of the last listing. */
  forget(): void;
}

export interface ClientToolsParts {
  readonly log: Log;
  readonly compile: SchemaCompiler;
  readonly calls: ClientCalls;
}

/** A client's side of tools: lists them, and holds results to the schemas that were listed. */
export function createClientTools({ log, compile, calls }: ClientToolsParts): ClientTools {
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
      const tools = await calls.drain("tools/list", "tools", options);
      outputs = new Map();
      for (const tool of tools) compileOutput(tool);
      return tools;
    },
    async call(params, options) {
      const result = await calls.call("tools/call", params, options);
      const output = outputs.get(params.name);
      if (output === undefined || result.isError === true) return result;
      const { structuredContent } = result;
      const misfit = structuredContent === undefined ? { path: "", reason: "is missing" } : output.check(structuredContent);
      if (misfit === undefined) return result;
      throw new LocalError("invalid_message", `structuredContent${misfit.path} of the tool ${params.name} ${misfit.reason}`);
    },
    forget() {
      outputs = new Map();
    },
  };
}
