import { LocalError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import { checkElicitParams, checkElicitResult } from "../../wire/gen/mcp.ts";
import type { ClientCapabilities, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, FormValue } from "../../wire/gen/mcp.ts";
import { badAnswer, badRequest, requireAnswer, requireParams, type AskedMethod, type InputContext } from "./client-asked.ts";
import { isUri, problemOfContent, withDefaults } from "./client-form.ts";

/** Data that the user is to fill in. */
export interface FormElicitation extends ElicitFormParams {
  mode: "form";
  /** The defaults of the form's fields, to start from. */
  defaults: { [field: string]: FormValue };
}

/**
 * What a server wants of the user: a form, or (`mode: "url"`) a visit to a page. For a page, show where it leads and get consent before
 * opening it; what happens there the client never learns, but for `onElicitationComplete`.
 */
export type Elicitation = FormElicitation | ElicitUrlParams;
/** Answers what a server asks of the user: `accept` with content, `decline` or `cancel`. What it throws is answered as an error. */
export type ElicitationHandler = (request: Elicitation, context: InputContext) => ElicitResult | Promise<ElicitResult>;

/** What the handler can do; it is announced to servers as a capability (MCP, Elicitation). */
export interface ElicitationOptions {
  /** The handler shows forms. Default true. */
  readonly form?: boolean;
  /** The handler opens pages. Default false. */
  readonly url?: boolean;
  /** Fills the fields that an accepted form leaves out with their defaults. Default false: the handler has seen them. */
  readonly applyDefaults?: boolean;
}

const METHOD = "elicitation/create";

/**
 * Answers `elicitation/create`. A mode that was not announced is refused with -32602 (client/elicitation, Error Handling), as is a form
 * outside the allowed subset of JSON Schema; an accepted form is held to its schema before it is sent. `onUrl` hears the id of each page.
 */
export function answerElicitation(
  handler: ElicitationHandler,
  options: ElicitationOptions,
  onUrl: (elicitationId: string) => void,
): AskedMethod {
  const { form = true, url = false, applyDefaults = false } = options;
  if (!form && !url) throw new LocalError("invalid_argument", "a handler of elicitations shows forms, opens pages, or does both");
  return {
    method: METHOD,
    capabilities: (): ClientCapabilities => ({ elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } }),
    async answer(params, context) {
      requireParams(METHOD, checkElicitParams(params));
      // The check has just found it so.
      const request = readRequest(params as ElicitParams);
      if (request.mode === "form" ? !form : !url) throw badRequest(METHOD, `this client has not announced the mode ${request.mode}`);
      if (request.mode === "url" && request.elicitationId !== undefined) onUrl(request.elicitationId);
      return toResult(request, await handler(request, context), applyDefaults);
    },
  };
}

function readRequest(params: ElicitParams): Elicitation {
  if (params.mode !== "url") {
    // A field's default has the field's own type.
    const defaults = withDefaults(params.requestedSchema) as FormElicitation["defaults"];
    return { ...params, mode: "form", defaults };
  }
  if (!isUri(params.url)) throw badRequest(METHOD, "params.url must be a URL");
  return params;
}

function toResult(request: Elicitation, answer: ElicitResult, applyDefaults: boolean): JsonObject {
  requireAnswer(METHOD, checkElicitResult(answer));
  const { content: given = {}, ...rest } = answer;
  // A refusal has no content, and what happens on a page stays there.
  if (request.mode === "url" || answer.action !== "accept") return rest;
  const content = applyDefaults ? withDefaults(request.requestedSchema, given) : given;
  const found = problemOfContent(request.requestedSchema, content);
  if (found !== undefined) throw badAnswer(METHOD, describeProblem(found, "content"));
  return { ...rest, content };
}
