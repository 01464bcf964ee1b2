import { LocalError } from "../../base/errors.ts";
import { cloneJson, type JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkListRootsResult, type ListRootsResult, type Root } from "../../wire/gen/mcp.ts";
import { badAnswer, type AskedMethod, type InputContext } from "./client-asked.ts";

/** The folders that a server may be told of, asked anew each time (MCP, Roots). */
export type RootsHandler = (context: InputContext) => readonly Root[] | Promise<readonly Root[]>;

const METHOD = "roots/list";

/** Answers `roots/list`, from a list or a handler. Roots are `file://` URIs in all revisions; others are not sent. */
export function answerRoots(roots: readonly Root[] | RootsHandler): AskedMethod {
  if (typeof roots !== "function") {
    const wrong = problemOf({ roots });
    if (wrong !== undefined) throw new LocalError("invalid_argument", `these are no roots: ${wrong}`);
  }
  const fixed = typeof roots === "function" ? undefined : cloneJson(roots);
  return {
    method: METHOD,
    // Without a handshake a server asks anew each time, and is not told of changes.
    capabilities: (era) => ({ roots: era === "handshake" ? { listChanged: true } : {} }),
    async answer(_params, context) {
      const answer: JsonObject = { roots: typeof roots === "function" ? await roots(context) : fixed };
      const wrong = problemOf(answer);
      if (wrong !== undefined) throw badAnswer(METHOD, wrong);
      return answer;
    },
  };
}

function problemOf(answer: JsonObject): string | undefined {
  const found = checkListRootsResult(answer);
  if (found !== undefined) return describeProblem(found, "it");
  // The check has just found it so.
  const { roots } = answer as ListRootsResult;
  return roots.every(({ uri }) => /^file:\/\//i.test(uri)) ? undefined : "the uri of a root must start with file://";
}
