import { isObject, ownMember } from "../core/base/json.ts";
import { compileSchema, type CompiledSchema } from "../core/schema/schema.ts";

/** The schemas that lists of tools have shown, by server and tool. Bounded: those shown longest ago are forgotten. */
export interface KnownSchemas {
  /** Takes note of a tool as it is listed now. What has no name is left out. */
  learn(tool: unknown, server: string): void;
  /** The schemas of a tool; undefined where no list has had it, or it is forgotten. */
  of(tool: string, server: string): ToolSchemaPair | undefined;
}

/** Undefined: the tool has none. Null: it has one that cannot be used. */
export interface ToolSchemaPair {
  readonly input: CompiledSchema | null | undefined;
  readonly output: CompiledSchema | null | undefined;
}

interface Known extends ToolSchemaPair {
  /** Both schemas as text, to tell whether they have changed; what it takes counts. */
  readonly text: string;
}

export interface KnownSchemasBounds {
  readonly maxTools: number;
  readonly maxChars: number;
}

export function createKnownSchemas({ maxTools, maxChars }: KnownSchemasBounds): KnownSchemas {
  const tools = new Map<string, Known>();
  let chars = 0;
  const keyOf = (tool: string, server: string) => JSON.stringify([server, tool]);
  const forget = (key: string) => {
    chars -= tools.get(key)?.text.length ?? 0;
    tools.delete(key);
  };
  return {
    learn(tool, server) {
      const name = isObject(tool) ? ownMember(tool, "name") : undefined;
      if (!isObject(tool) || typeof name !== "string") return;
      const [input, output] = [ownMember(tool, "inputSchema"), ownMember(tool, "outputSchema")];
      const key = keyOf(name, server);
      const text = key + JSON.stringify([input ?? null, output ?? null]);
      const before = tools.get(key);
      forget(key);
      tools.set(key, before?.text === text ? before : compiledWhenAsked(text, input, output));
      chars += text.length;
      for (const oldest of tools.keys()) {
        if (tools.size <= maxTools && chars <= maxChars) break;
        forget(oldest);
      }
    },
    of: (tool, server) => tools.get(keyOf(tool, server)),
  };
}

// Most tools of a list are never called.
function compiledWhenAsked(text: string, input: unknown, output: unknown): Known {
  let compiledInput: CompiledSchema | null | undefined;
  let compiledOutput: CompiledSchema | null | undefined;
  return {
    text,
    get input() {
      return input === undefined ? undefined : (compiledInput ??= compile(input));
    },
    get output() {
      return output === undefined ? undefined : (compiledOutput ??= compile(output));
    },
  };
}

function compile(schema: unknown): CompiledSchema | null {
  try {
    return compileSchema(schema);
  } catch {
    return null;
  }
}
