import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { readBoolean, readConfig } from "./config.ts";
import { pathsSchema, readPathLists } from "./path-lists.ts";
import { perCall } from "./per-call.ts";
import { readPath } from "./uri/path.ts";

/** Which folders a client may tell servers of. */
export interface RootsGuardConfig {
  /** Paths under which each root must lie. Absent: anywhere. */
  readonly allow?: readonly string[];
  /** Paths that no root may lie under or hold, wherever they begin if they are relative (`.ssh`). Wins over `allow`. What systems keep secrets in, unless given. */
  readonly deny?: readonly string[];
  /** Whether all paths are of Windows, not only those with a drive or a backslash. */
  readonly windows?: boolean;
}

const OWNER = "roots-guard";

export const rootsGuardConfigSchema: JsonObject = {
  type: "object",
  properties: { allow: pathsSchema, deny: pathsSchema, windows: { type: "boolean" } },
  additionalProperties: false,
};

/**
 * A validator of what a client answers to `roots/list`: each root must be a `file:` URI that can be read in one way, under `allow`, and neither
 * under `deny` nor above it; so `/` is none. Throws `invalid_argument` for a wrong config.
 */
export function rootsGuard(config: RootsGuardConfig = {}): Interceptor {
  const judgeFor = perCall(config, compileRootsGuard);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses roots that are not under the allowed paths.",
      hooks: [{ events: ["roots/list"], phase: "response" }],
      configSchema: rootsGuardConfigSchema,
    },
    ({ payload, config: called }) => {
      const roots: unknown = isObject(payload) ? ownMember(payload, "roots") : undefined;
      if (!Array.isArray(roots)) return deny("The roots must be a list", { path: "/roots" });
      const judge = judgeFor(called);
      for (const [index, root] of roots.entries()) {
        const problem = judge(isObject(root) ? ownMember(root, "uri") : undefined);
        if (problem !== undefined) return deny(`A root ${problem}`, { path: `/roots/${index}/uri` });
      }
      return allow();
    },
  );
}

function compileRootsGuard(value: unknown): (uri: unknown) => string | undefined {
  const config = readConfig(value, ["allow", "deny", "windows"], OWNER);
  const rules = { windows: readBoolean(config, "windows", OWNER) ?? false };
  const { isAllowed, isDenied, holdsDenied } = readPathLists(config, rules, OWNER);
  return (uri) => {
    // The specification knows no other scheme, and a path alone says nothing of the host it is on.
    if (typeof uri !== "string" || !/^file:\/\//i.test(uri)) return "is no file URI";
    const readings = readPath(uri, rules);
    if ("problem" in readings) return readings.problem;
    if (readings.some(({ root }) => root === "")) return "is relative";
    // A whole disk holds everything, whatever is denied.
    if (readings.some((path) => path.steps.length === 0 || isDenied(path) || holdsDenied(path))) return "leads to where it must not";
    return isAllowed === undefined || readings.every(isAllowed) ? undefined : "leads out of where it may";
  };
}
