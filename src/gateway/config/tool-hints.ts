import { isObject, ownMember, type JsonObject } from "../../core/base/json.ts";
import { cannotJudge } from "./truth.ts";

/** What an upstream says of its tools (`annotations`), as far as its lists have been seen. */
export interface ToolHints {
  /** A hint of a tool, by what MCP says where the tool has none; unknown for a tool that no list had. */
  hint(tool: string, name: string): unknown;
  /** Takes note of a `tools/list` result. */
  learn(result: unknown): void;
  /** Whether a list has been seen. */
  readonly informed: boolean;
}

// MCP, schema of ToolAnnotations.
const DEFAULTS: ReadonlyMap<string, boolean> = new Map([
  ["readOnlyHint", false],
  ["destructiveHint", true],
  ["idempotentHint", false],
  ["openWorldHint", true],
]);

const MAX_TOOLS = 10_000;

/** Bounded: above 10,000 tools those listed longest ago are forgotten. */
export function createToolHints(): ToolHints {
  const tools = new Map<string, JsonObject>();
  let informed = false;
  return {
    get informed() {
      return informed;
    },
    hint(tool, name) {
      const annotations = tools.get(tool);
      if (annotations === undefined) return cannotJudge("no list has had this tool yet, so its annotations are not known");
      return ownMember(annotations, name) ?? DEFAULTS.get(name);
    },
    learn(result) {
      const list = isObject(result) ? ownMember(result, "tools") : undefined;
      if (!Array.isArray(list)) return;
      informed = true;
      for (const tool of list) {
        const name: unknown = isObject(tool) ? ownMember(tool, "name") : undefined;
        if (typeof name !== "string") continue;
        const annotations: unknown = isObject(tool) ? ownMember(tool, "annotations") : undefined;
        tools.delete(name);
        tools.set(name, isObject(annotations) ? scalarsOf(annotations) : {});
        for (const oldest of tools.keys()) {
          if (tools.size <= MAX_TOOLS) break;
          tools.delete(oldest);
        }
      }
    },
  };
}

const MAX_TEXT = 256;

// Hints are small; whatever else stands there is not kept.
function scalarsOf(annotations: JsonObject): JsonObject {
  const kept: [string, unknown][] = Object.entries(annotations).slice(0, 32);
  return Object.fromEntries(kept.filter(([name, value]) => name.length <= MAX_TEXT && (typeof value === "boolean" || typeof value === "number" || (typeof value === "string" && value.length <= MAX_TEXT))));
}
