import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import { paramHeadersOf } from "../core/http/param-headers.ts";

/**
 * The input schemas of tools that want arguments repeated in headers, as clients were last told. Whoever routed by such a header must not have been told
 * something else than what is done (2026-07-28, Server Behavior for Custom Headers). Bounded as output schemas are: those told longest ago are forgotten.
 */
export interface MirroredParams {
  /** Takes note of a `tools/list` result as it went to a client. */
  learn(result: JsonObject): void;
  /** The schema of a tool that has such arguments. */
  schemaOf(tool: string): unknown;
}

export function createMirroredParams({ maxToolSchemas, maxToolSchemaChars }: Pick<Limits, "maxToolSchemas" | "maxToolSchemaChars">): MirroredParams {
  // In the order in which they were last told.
  const tools = new Map<string, { readonly schema: unknown; readonly chars: number }>();
  let chars = 0;
  const forget = (tool: string) => {
    chars -= tools.get(tool)?.chars ?? 0;
    tools.delete(tool);
  };
  const note = (tool: string, inputSchema: unknown) => {
    forget(tool);
    if ((paramHeadersOf(inputSchema).headers ?? []).length === 0) return;
    // A copy: what has gone out is its receiver's.
    const text = JSON.stringify(inputSchema);
    tools.set(tool, { schema: JSON.parse(text), chars: text.length });
    chars += text.length;
    for (const oldest of tools.keys()) {
      if (tools.size <= maxToolSchemas && chars <= maxToolSchemaChars) break;
      forget(oldest);
    }
  };
  return {
    learn(result) {
      const list = ownMember(result, "tools");
      if (!Array.isArray(list)) return;
      for (const tool of list) {
        const name: unknown = isObject(tool) ? ownMember(tool, "name") : undefined;
        if (typeof name === "string") note(name, ownMember(tool, "inputSchema"));
      }
    },
    schemaOf: (tool) => tools.get(tool)?.schema,
  };
}
