import { ErrorCode, LocalError, RpcError } from "../../base/errors.ts";
import { ownMember, type JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import { METHODS, type MethodName } from "../../wire/methods.ts";
import type { McpPayloads } from "../../wire/payloads.ts";
import type { ClientCallOptions } from "../client-options.ts";
import { requireCapability } from "./client-capabilities.ts";
import type { ClientSession } from "./client-session.ts";

type ListMethod = "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";
type ResultOf<Method extends MethodName> = McpPayloads[Method]["response"];

/** Calls with a known result: the server has announced that it serves them, the result is what the method promises, and may be a kept one. */
export interface ClientCalls {
  call<Method extends MethodName>(
    method: Method,
    params: McpPayloads[Method]["request"],
    options: ClientCallOptions,
  ): Promise<ResultOf<Method>>;
  /** What all pages of a list have at `member`. Ends with an error where a cursor repeats, and where there are more pages than `maxPages`. */
  drain<Method extends ListMethod, Member extends keyof ResultOf<Method>>(
    method: Method,
    member: Member,
    options: ClientCallOptions,
  ): Promise<ResultOf<Method>[Member]>;
  /** The connection, once its server is known to serve a method. */
  session(method: MethodName): ClientSession;
}

export interface ClientCallsParts {
  readonly maxPages: number;
  readonly checkCapabilities: boolean;
  /** Throws `closed` where there is no connection. */
  session(): ClientSession;
}

const CACHEABLE: ReadonlySet<string> = new Set(["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"]);

export function createClientCalls({ maxPages, checkCapabilities, session }: ClientCallsParts): ClientCalls {
  const sessionFor = (method: MethodName): ClientSession => {
    const found = session();
    if (checkCapabilities) requireCapability(method, found.server.version, found.server.capabilities);
    return found;
  };

  /** `seen.kept` tells whether a kept result was used. */
  const ask = async (method: MethodName, params: JsonObject, options: ClientCallOptions, seen?: { kept: boolean }): Promise<JsonObject> => {
    const { cache: connected, request } = sessionFor(method);
    const cache = CACHEABLE.has(method) && !isRetry(params) ? connected : undefined;
    const kept = options.fresh === true ? undefined : cache?.find(method, params);
    if (kept !== undefined) {
      if (seen !== undefined) seen.kept = true;
      return kept;
    }
    const keep = cache?.expect(method, params);
    const { result, retried } = await request(method, params, options);
    mend(result);
    const known = METHODS.get(method);
    const found = known?.kind === "request" ? known.result(result) : undefined;
    if (found !== undefined) throw new LocalError("invalid_message", `the result of ${method} is malformed: ${describeProblem(found, "it")}`);
    if (!retried) keep?.(result);
    return result;
  };

  const pages = async (method: ListMethod, member: string, options: ClientCallOptions, seen: { kept: boolean }): Promise<unknown[]> => {
    const items: unknown[] = [];
    const cursors = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const page = await ask(method, cursor === undefined ? {} : { cursor }, options, seen);
      // The check has found a list there, and a cursor that is text.
      for (const item of page[member] as unknown[]) items.push(item);
      const next = page["nextCursor"] as string | undefined;
      if (next === undefined) return items;
      if (cursors.has(next)) throw new LocalError("invalid_message", `${method} gave a cursor twice, and would never end`);
      cursors.add((cursor = next));
      if (cursors.size >= maxPages) throw new LocalError("limit_exceeded", `${method} has more than ${maxPages} pages (maxPages)`);
    }
  };

  return {
    session: sessionFor,
    // The checks in METHODS are those of the types in McpPayloads: a test of theirs holds the two together.
    call: (method, params, options) => ask(method, params, options) as Promise<never>,
    async drain(method, member, options) {
      const seen = { kept: false };
      try {
        return (await pages(method, String(member), options, seen)) as never;
      } catch (error) {
        // A kept page may lead to a cursor that the server has forgotten by now (server/utilities/caching, Interaction with Pagination).
        if (!(seen.kept && error instanceof RpcError && error.code === ErrorCode.invalidParams)) throw error;
        session().cache?.evict(method);
        return (await pages(method, String(member), { ...options, fresh: true }, seen)) as never;
      }
    },
  };
}

function isRetry(params: JsonObject): boolean {
  return ownMember(params, "inputResponses") !== undefined || ownMember(params, "requestState") !== undefined;
}

/** Reads what older and careless servers send as it is meant; changes `result`, which is the caller's own. */
function mend(result: JsonObject): void {
  // A negative time to live is to be read as 0 (server/utilities/caching), a cursor that is null as none.
  const ttlMs = ownMember(result, "ttlMs");
  if (typeof ttlMs === "number" && ttlMs < 0) result["ttlMs"] = 0;
  if (ownMember(result, "nextCursor") === null) delete result["nextCursor"];
}
