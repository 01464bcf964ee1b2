import { isObject, ownMember } from "../base/json.ts";
import { splice } from "../base/splice.ts";
import type { Log } from "../jsonrpc/log.ts";
import type { Frame } from "../wire/frame.ts";
import { isResult, type RequestMessage } from "../wire/message.ts";
import { paramHeadersOf, type ParamHeader } from "./param-headers.ts";

/** What a client over HTTP knows of the server's tools: which parameters of them it has to mirror into headers. */
export interface MirroredTools {
  /** Those of the tool that a request calls; none where it has not been listed. */
  of(request: RequestMessage): readonly ParamHeader[];
  /**
   * Takes in a page of `tools/list`. Gives it back without the tools whose annotations are invalid, as a client over HTTP must not offer them to
   * anyone; each is logged. The text of a page that loses one is otherwise kept as it came.
   */
  learn(page: Frame): Frame;
}

export function createMirroredTools(maxTools: number, log: Log): MirroredTools {
  const known = new Map<string, readonly ParamHeader[]>();

  // True for a tool that stays in the list.
  const take = (tool: unknown): boolean => {
    if (!isObject(tool)) return true;
    const name = ownMember(tool, "name");
    const { headers, refused } = paramHeadersOf(ownMember(tool, "inputSchema"));
    if (typeof name === "string") known.delete(name);
    if (headers === undefined) {
      log({ level: "warning", message: "a tool is left out, as its x-mcp-header is invalid", details: { tool: typeof name === "string" ? name : null, reason: refused } });
      return false;
    }
    if (headers.length === 0 || typeof name !== "string") return true;
    known.set(name, headers);
    for (const oldest of known.keys()) {
      if (known.size <= maxTools) break;
      known.delete(oldest);
    }
    return true;
  };

  return {
    of({ method, params }) {
      const name = method === "tools/call" && params !== undefined ? ownMember(params, "name") : undefined;
      return (typeof name === "string" ? known.get(name) : undefined) ?? [];
    },
    learn(page) {
      const { message, text } = page;
      const tools = isResult(message) ? ownMember(message.result, "tools") : undefined;
      if (!isResult(message) || !Array.isArray(tools)) return page;
      const kept = tools.filter(take);
      if (kept.length === tools.length) return page;
      const changed = { ...message, result: { ...message.result, tools: kept } };
      return text === undefined ? { message: changed } : { message: changed, text: splice(text, message, changed).text };
    },
  };
}
