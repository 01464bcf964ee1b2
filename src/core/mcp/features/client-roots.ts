import { LocalError } from "../../base/errors.ts";
import { cloneJson, type JsonObject } from "../../base/json.ts";
import { badAnswer, requireAnswer, type AskedMethod, type InputContext } from "./client-asked.ts";
import { checkListRootsResult, type Root } from "../../wire/gen/mcp.ts";

export type RootsHandler = (context: InputContext) => readonly Root[] | Promise<readonly Root[]>;

const METHOD = "roots/list";

/** Answers `roots/list`, from a list or a handler. Roots are `file://` URIs in all revisions; others are not sent. */
export function answerRoots(roots: readonly Root[] | RootsHandler): AskedMethod {
  if (typeof roots !== "function") {
    const wrong = problemOf(roots);
    if (wrong !== undefined) throw new LocalError("invalid_argument", `these are no roots: ${wrong}`);
    const fixed = cloneJson(roots);
    roots = () => fixed;
  }
  const list = roots;
  return {
    method: METHOD,
    // Without a handshake a server asks anew each time, and is not told of changes.
    capabilities: (era) => ({ roots: era === "handshake" ? { listChanged: true } : {} }),
    async answer(_params, context) {
      const found = [...(await list(context))];
      const answer: JsonObject = { roots: found };
      requireAnswer(METHOD, checkListRootsResult(answer));
      const wrong = problemOf(found);
      if (wrong !== undefined) throw badAnswer(METHOD, wrong);
      return answer;
    },
  };
}

function problemOf(roots: readonly Root[]): string | undefined {
  const odd = roots.find(({ uri }) => typeof uri !== "string" || !/^file:\/\//i.test(uri));
  return odd === undefined ? undefined : "the uri of a root must start with file://";
}
