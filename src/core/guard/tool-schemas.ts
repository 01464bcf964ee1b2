import { describeError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { compileSchema, type CompiledSchema } from "../schema/schema.ts";

/**
 * The output schemas of tools, as lists of tools have advertised them after mutation. Bounded: the tools advertised longest ago are forgotten, and
 * no longer checked.
 */
export interface ToolSchemas {
  /** Takes note of a `tools/list` result as it went on: of each tool in it, whether it has a schema now. */
  learn(result: JsonObject): void;
  /** Why a result's structured content does not fit what its tool advertised; undefined where it fits, or nothing is known. */
  misfit(tool: string, structured: unknown): string | undefined;
}

interface Known {
  /** What was advertised, as text: a copy of our own, and what it takes. */
  readonly text: string;
  /** Compiled when a result is first held against it; null where that cannot be done. */
  schema: CompiledSchema | null | undefined;
}

// An application may hand over what is no JSON. It is its transport's to refuse, and nothing to learn from.
function textOf(value: JsonObject): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

type Bounds = Pick<Limits, "maxToolSchemas" | "maxToolSchemaChars">;

/** `fallback` knows of other connections to the same server; what this connection was told comes first. */
export function createToolSchemas(bounds: Bounds, warn: (message: string) => void, fallback?: ToolSchemas): ToolSchemas {
  // In the order in which they were last advertised. `null`: it has no schema. Made for the first: most connections ask for no list.
  let tools: Map<string, Known | null> | undefined;
  let chars = 0;

  const forget = (tool: string) => {
    chars -= tools?.get(tool)?.text.length ?? 0;
    tools?.delete(tool);
  };
  const note = (tool: string, outputSchema: unknown) => {
    const text = isObject(outputSchema) ? textOf(outputSchema) : undefined;
    const all = (tools ??= new Map());
    const before = all.get(tool);
    forget(tool);
    if (text !== undefined && text.length > bounds.maxToolSchemaChars) {
      return warn(`the outputSchema of the tool ${JSON.stringify(tool)} is too large to be kept, so results are not checked`);
    }
    all.set(tool, text === undefined ? null : before?.text === text ? before : { text, schema: undefined });
    chars += text?.length ?? 0;
    for (const oldest of all.keys()) {
      if (all.size <= bounds.maxToolSchemas && chars <= bounds.maxToolSchemaChars) break;
      forget(oldest);
    }
  };
  const schemaOf = (tool: string, known: Known): CompiledSchema | null => {
    if (known.schema !== undefined) return known.schema;
    try {
      return (known.schema = compileSchema(JSON.parse(known.text)));
    } catch (thrown) {
      warn(`the outputSchema of the tool ${JSON.stringify(tool)} cannot be used, so results are not checked: ${describeError(thrown)}`);
      return (known.schema = null);
    }
  };

  return {
    learn(result) {
      const list = ownMember(result, "tools");
      if (!Array.isArray(list)) return;
      for (const tool of list) {
        const name: unknown = isObject(tool) ? ownMember(tool, "name") : undefined;
        if (typeof name === "string") note(name, ownMember(tool, "outputSchema"));
      }
      fallback?.learn(result);
    },
    misfit(tool, structured) {
      const known = tools?.get(tool);
      if (known === undefined) return fallback?.misfit(tool, structured);
      const schema = known === null ? null : schemaOf(tool, known);
      if (schema === null) return undefined;
      if (structured === undefined) return "structuredContent is missing, and the tool advertises an outputSchema";
      const problem = schema.check(structured);
      return problem && `structuredContent${problem.path} ${problem.reason}, by the tool's outputSchema`;
    },
  };
}
