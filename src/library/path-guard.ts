import type { JsonObject } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { namedBy } from "./argument-names.ts";
import { readBoolean, readConfig, readPatterns } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { pathsSchema, readPathLists } from "./path-lists.ts";
import { perCall } from "./per-call.ts";
import { firstInRequest, REQUESTS_WITH_ARGUMENTS } from "./request-strings.ts";
import type { FoundString } from "./strings.ts";
import { type PathRules, readPath, uriProblem } from "./uri/path.ts";

/** Where arguments that hold a path may lead. */
export interface PathGuardConfig {
  /** Paths under which an argument that holds a path must lie. A relative one lies under `.` alone. Absent: anywhere. */
  readonly allow?: readonly string[];
  /** Paths under which it must not lie, wherever they begin if they are relative (`.ssh`). Wins over `allow`. What systems keep secrets in, unless given. */
  readonly deny?: readonly string[];
  /** Names of arguments, or `prefix*`, that hold a path, beside those that are called so (`path`, `outputFile`, `dir` …). */
  readonly arguments?: readonly string[];
  /** Whether all paths are of Windows, not only those with a drive or a backslash. */
  readonly windows?: boolean;
}

const OWNER = "path-guard";
export const pathGuardConfigSchema: JsonObject = {
  type: "object",
  properties: { allow: pathsSchema, deny: pathsSchema, arguments: patternsSchema, windows: { type: "boolean" } },
  additionalProperties: false,
};

/**
 * A validator that keeps paths in arguments, and URIs of resources, where they belong. A path that leads upwards, in whatever encoding, to a
 * home directory, another host, a device or a stream is refused, and so is one that is not under `allow` or is under `deny`. It reads
 * text and follows no links. Throws `invalid_argument` for a wrong config.
 */
export function pathGuard(config: PathGuardConfig = {}): Interceptor {
  const judgeFor = perCall(config, compilePathGuard);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses paths that lead upwards, in any encoding, or elsewhere than they may.",
      hooks: [{ events: REQUESTS_WITH_ARGUMENTS, phase: "request" }],
      configSchema: pathGuardConfigSchema,
    },
    ({ payload, event, config: called }) => {
      const judge = judgeFor(called);
      return firstInRequest(event, payload, (found) => {
        const isUriOfResource = event.startsWith("resources/") && !/^\s*file:/i.test(found.text);
        const problem = (isUriOfResource ? uriProblem(found.text) : undefined) ?? judge(found, event);
        return problem === undefined ? undefined : deny(`A path ${problem}`, { path: found.path() });
      }, { names: true }) ?? allow();
    },
  );
}

const PATH_WORDS: ReadonlySet<string> = new Set(["path", "file", "filename", "filepath", "dir", "directory", "folder", "cwd", "workdir"]);
// Arguments that hold a place in a tree of files as often as an address, a date or a text; their values tell.
const PLACE_WORDS: ReadonlySet<string> = new Set([
  ...["source", "src", "destination", "dest", "dst", "from", "to", "into", "location", "root", "base", "input", "output", "in", "out", "target"],
  ...["workspace", "repo", "repository", "archive", "attachment", "document", "config", "mount", "parent"],
]);
// Texts, whatever they begin with or hold.
const TEXT_WORDS: ReadonlySet<string> = new Set(["text", "str", "string", "content", "message", "body", "query", "q", "code", "snippet", "diff", "patch", "comment", "description", "prompt", "markdown", "html"]);
const MAX_LOOK_CHARS = 4_096;
// One line that starts like a path of some system, or has a step upwards in some encoding.
const LOOKS_LIKE_PATH = /^(?:[/\\~]|\.{1,2}[/\\]|[a-z]:[/\\])/i;
// The same, where nobody means prose by it: in other writings, too, and from a variable.
const LOOKS_LIKE_PLACE = /^\s*(?:[/\uff0f](?!\s|[/\uff0f]\s)|[\\\uff3c]|~(?:[a-z_][-.\w]*)?(?:[/\\]|$)|\.{1,2}[/\\]|[a-z]:[/\\]|%(?:25){0,3}(?:2f|5c)|\$\{?[a-z_]+\}?[/\\]|%[a-z_]+%[/\\])/i;
const STEP_UPWARDS = /(?:\.|%2e|%252e|\u2024|\uff0e){2}(?:[/\\]|%2f|%5c|%252f|%255c|\u2215|\uff0f|\uff3c|$)/i;
const URL_START = /^[a-z][a-z0-9+.-]{1,30}:\/\//i;

type Judge = (found: FoundString, event: string) => string | undefined;

function compilePathGuard(value: unknown): Judge {
  const config = readConfig(value, ["allow", "deny", "arguments", "windows"], OWNER);
  const rules: PathRules = { windows: readBoolean(config, "windows", OWNER) ?? false };
  const { isAllowed, isDenied } = readPathLists(config, rules, OWNER);
  const named = compilePatterns(readPatterns(config, "arguments", OWNER) ?? []);

  const isPlace = (argument: string | undefined, text: string) => isAllowed !== undefined && argument !== undefined && LOOKS_LIKE_PLACE.test(text) && namedBy(PLACE_WORDS, argument) && !/[\r\n]/.test(text.trim());
  const isNamed = (argument: string | undefined) => argument !== undefined && (named(argument) || namedBy(PATH_WORDS, argument));
  return ({ text, member, holder }, event) => {
    // Completion begins with nothing; elsewhere that is where the server stands.
    if ((text === "" && event === "completion/complete") || /^data:/i.test(text)) return undefined;
    const isFileUri = /^\s*file:/i.test(text);
    if (member !== undefined && !isFileUri && namedBy(TEXT_WORDS, member) && !named(member)) return undefined;
    const looksLikePath = text.length <= MAX_LOOK_CHARS && !/[\r\n]/.test(text) && (LOOKS_LIKE_PATH.test(text) || leadsUpwards(text));
    // An object under such a name has more than the path in it.
    const holdsPath = isNamed(member) || (looksLikePath && isNamed(holder)) || isPlace(member ?? holder, text);
    if (!holdsPath && !isFileUri && !looksLikePath) return undefined;
    const readings = readPath(isFileUri ? text.trim() : text, rules);
    if ("problem" in readings) {
      // A text that merely starts like a path may be a comment or a command; what leads upwards in one is no accident.
      return holdsPath || isFileUri || STEP_UPWARDS.test(text) ? readings.problem : undefined;
    }
    if (readings.some(isDenied)) return "leads to where it must not";
    if (isAllowed === undefined || !(holdsPath || isFileUri)) return undefined;
    return readings.every(isAllowed) ? undefined : "leads out of where it may";
  };
}

function leadsUpwards(text: string): boolean {
  return !/\s/.test(text) && !URL_START.test(text) && STEP_UPWARDS.test(text);
}
