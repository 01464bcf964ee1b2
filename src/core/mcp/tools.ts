import { describeError, ErrorCode, isInstance, LocalError, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";
import type { Log } from "../jsonrpc/log.ts";
import { describeProblem } from "../wire/check.ts";
import { checkCallToolResult, checkTool, type CallToolResult, type ContentBlock, type Tool } from "../wire/gen/mcp.ts";
import type { ServerContext } from "./context.ts";
import type { SchemaCheck, SchemaCompiler } from "./endpoint.ts";
import { isSuspended } from "./features/server-ask.ts";
import { pageOf } from "./features/server-pages.ts";
import { createRegistry, type Registered } from "./features/server-registry.ts";
import { anyStructuredContent, invalidInputIsResult, invalidParams, type Era } from "./lifecycle.ts";
import { isInterim } from "./results.ts";

/** What a tool may return: a text becomes one block; structured content alone gets a text block with its JSON. */
export type ToolOutcome = string | undefined | void | (Partial<CallToolResult> & JsonObject);

/**
 * `args` fits the tool's `inputSchema`, and is the handler's to keep. A thrown `RpcError` is the protocol's error response; anything else
 * that is thrown becomes a result with `isError: true` and the error's message, which the model gets to read.
 */
export type ToolHandler = (args: JsonObject, context: ServerContext) => ToolOutcome | Promise<ToolOutcome>;

export type RegisteredTool = Registered<Tool, ToolHandler>;

/** A server's tools. */
export interface Tools {
  readonly used: boolean;
  /** Keeps a copy. Refuses a taken name (`conflict`), a schema that cannot be compiled (`invalid_argument`), and what is no JSON. */
  add(definition: Tool, handler: ToolHandler): RegisteredTool;
  /** The definition of a tool, as it was registered. */
  get(name: string): Tool | undefined;
  /** Answers `tools/list`, in the order of registration. */
  list(params: JsonObject, version: string): JsonObject;
  /** Answers `tools/call`; throws, or rejects, with what is no result. */
  call(params: JsonObject, context: ServerContext): JsonObject | Promise<JsonObject>;
}

export interface ToolsOptions {
  /** All on one page by default. */
  readonly pageSize?: number;
  /** Called after each change of the list. */
  readonly changed?: () => void;
}

interface Schemas {
  readonly input: SchemaCheck;
  readonly output: SchemaCheck | undefined;
}

export function createTools(log: Log, compile: SchemaCompiler, options: ToolsOptions = {}): Tools {
  const { pageSize = Infinity, changed = () => {} } = options;
  const registry = createRegistry<Tool, ToolHandler, Schemas>({
    kind: "tool",
    keyOf: ({ name }) => name,
    check: checkTool,
    prepare: ({ inputSchema, outputSchema }) => ({
      input: compile(inputSchema),
      output: outputSchema === undefined ? undefined : compile(outputSchema),
    }),
    changed,
  });

  const fault = (name: string, thrown: unknown): JsonObject => {
    if (isInstance(thrown, RpcError) || isSuspended(thrown)) throw thrown;
    log({ level: "debug", message: `the tool ${name} failed`, error: thrown });
    return failed(describeError(thrown));
  };
  // Without a promise where the handler needs none.
  const run = (name: string, handler: ToolHandler, args: JsonObject, context: ServerContext, complete: (result: JsonObject) => JsonObject) => {
    let outcome: ReturnType<ToolHandler>;
    try {
      outcome = handler(args, context);
    } catch (thrown) {
      return complete(fault(name, thrown));
    }
    // A malformed outcome is the server's fault, and no result that a model could learn from.
    if (!isThenable(outcome)) return complete(toResult(name, outcome, context.era));
    return Promise.resolve(outcome).then(
      (settled) => complete(toResult(name, settled, context.era)),
      (thrown: unknown) => complete(fault(name, thrown)),
    );
  };

  return {
    get used() {
      return registry.used;
    },
    add: registry.add,
    get: (name) => registry.get(name)?.definition,
    list(params, version) {
      const { items, next } = pageOf("tools", pageSize, params, registry.entries());
      return { tools: items.map((definition) => listed(definition, version)), ...next };
    },
    call(params, context) {
      const { name, arguments: args = {} } = params;
      if (typeof name !== "string") throw invalidParams("params.name must be a string");
      if (!isObject(args)) throw invalidParams("params.arguments must be an object");
      const entry = registry.get(name);
      if (entry === undefined) throw new RpcError(ErrorCode.invalidParams, `Unknown tool: ${name}`);
      const misfit = entry.prepared.input.check(args);
      if (misfit !== undefined) {
        const text = `Invalid arguments for the tool ${name}: arguments${misfit.path} ${misfit.reason}`;
        if (invalidInputIsResult(context.protocolVersion)) return failed(text);
        throw new RpcError(ErrorCode.invalidParams, text);
      }
      return run(name, entry.handler, args, context, (result) => {
        checkOutput(entry.definition, entry.prepared.output, result);
        return fitted(result, context.protocolVersion);
      });
    },
  };
}

function toResult(name: string, outcome: ToolOutcome, era: Era): JsonObject {
  if (outcome === undefined) return { content: [] };
  if (typeof outcome === "string") return { content: [textBlock(outcome)] };
  if (!isObject(outcome)) throw new LocalError("malformed_result", `the tool ${name} returned neither a text nor a result`);
  if (isInterim(outcome, era) || Array.isArray(ownMember(outcome, "content"))) return outcome;
  if (outcome.content === undefined && outcome.structuredContent !== undefined) {
    return { ...outcome, content: [textBlock(JSON.stringify(outcome.structuredContent))] };
  }
  throw new LocalError("malformed_result", `the result of the tool ${name} has no list \`content\``);
}

function checkOutput({ name, outputSchema }: Tool, output: SchemaCheck | undefined, result: JsonObject): void {
  const { isError, resultType = "complete", structuredContent } = result;
  if (resultType !== "complete") return;
  const problem = checkCallToolResult(result);
  if (problem !== undefined) throw new LocalError("malformed_result", `the tool ${name} gave no result: ${describeProblem(problem, "result")}`);
  if (outputSchema === undefined || isError === true) return;
  // A server must keep what its schema promises; where it does not, that is its fault and not the model's to mend.
  const misfit = structuredContent === undefined ? { path: "", reason: "is missing" } : output?.check(structuredContent);
  if (misfit === undefined) return;
  throw new LocalError("malformed_result", `structuredContent${misfit.path} of the tool ${name} ${misfit.reason}`);
}

// Older revisions know structured content of type object alone, and their readers refuse the rest.
function listed(definition: Tool, version: string): Tool {
  if (definition.outputSchema === undefined || anyStructuredContent(version) || definition.outputSchema["type"] === "object") return definition;
  const { outputSchema: _left, ...rest } = definition;
  return rest;
}

function fitted(result: JsonObject, version: string): JsonObject {
  if (result["structuredContent"] === undefined || anyStructuredContent(version) || isObject(result["structuredContent"])) return result;
  const { structuredContent: _left, ...rest } = result;
  return rest;
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

function failed(text: string): JsonObject {
  return { content: [textBlock(text)], isError: true };
}
