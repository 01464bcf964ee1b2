import { LocalError } from "../../base/errors.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkCreateMessageParams, checkElicitParams, type CreateMessageParams, type ElicitParams, type InputRequest } from "../../wire/gen/mcp.ts";
import { isUri } from "./client-form.ts";
import { problemOfToolUse } from "./tool-use.ts";

/** Throws `invalid_argument` for a question that the protocol has no place for, in whatever revision: a client would have to refuse it. */
export function requireSound({ method, params }: InputRequest): void {
  const problem = problemOf(method, params);
  if (problem !== undefined) throw new LocalError("invalid_argument", `${method} cannot be asked: ${problem}`);
}

function problemOf(method: InputRequest["method"], params: unknown): string | undefined {
  switch (method) {
    case "elicitation/create": {
      const found = checkElicitParams(params);
      if (found !== undefined) return describeProblem(found, "params");
      const asked = params as ElicitParams; // just checked
      return asked.mode === "url" && !isUri(asked.url) ? "params/url must be a URL" : undefined;
    }
    case "sampling/createMessage": {
      const found = checkCreateMessageParams(params);
      return found === undefined ? problemOfToolUse((params as CreateMessageParams).messages) : describeProblem(found, "params"); // just checked
    }
    case "roots/list":
      return undefined;
  }
}

// What a client of an older revision cannot read, whatever it has announced.
const RICHER_SINCE = "2025-11-25";

/** Throws `unsupported` for a sound question in a form that is younger than the revision. */
export function requireKnown({ method, params }: InputRequest, version: string): void {
  if (version >= RICHER_SINCE) return;
  const younger = youngerPart(method, params);
  if (younger === undefined) return;
  const reason = `${younger} came with revision ${RICHER_SINCE}, and the client speaks ${version}`;
  throw new LocalError("unsupported", `${method} cannot be asked: ${reason}`, { details: { since: RICHER_SINCE, version } });
}

function youngerPart(method: InputRequest["method"], params: unknown): string | undefined {
  switch (method) {
    case "elicitation/create": {
      const asked = params as ElicitParams; // sound
      if (asked.mode === "url") return "a page to visit (mode url)";
      const list = Object.entries(asked.requestedSchema.properties).find(([, { type }]) => type === "array");
      return list === undefined ? undefined : `a field for several choices (${list[0]})`;
    }
    case "sampling/createMessage": {
      const { messages, tools, toolChoice } = params as CreateMessageParams; // sound
      const index = messages.findIndex(({ content }) => Array.isArray(content));
      if (index >= 0) return `a list as content (messages/${index})`;
      const used = messages.some(({ content }) => !Array.isArray(content) && (content.type === "tool_use" || content.type === "tool_result"));
      return used || tools !== undefined || toolChoice !== undefined ? "the use of tools" : undefined;
    }
    case "roots/list":
      return undefined;
  }
}
