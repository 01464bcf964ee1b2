import { ErrorCode, RpcError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { ownMember, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import type { Interceptor } from "../interceptor/define.ts";
import { invokeInterceptor } from "../interceptor/invoke.ts";
import type { ServerContext } from "../mcp/context.ts";
import type { McpServer } from "../mcp/server.ts";
import { describeProblem } from "../wire/check.ts";
import { INTERCEPTOR_SPELLINGS, INTERCEPTORS_EXTENSION, writeCapability } from "../wire/dialects.ts";
import { checkInvokeParams, checkListInterceptorsParams, type InvokeParams } from "../wire/gen/interceptors.ts";
import { createRegistry } from "./registry.ts";

export interface HostOptions {
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  /** Errors carry a handler's own text instead of a stable reason. Off by default: it may quote anything. */
  readonly exposeErrors?: boolean;
}

/** The interceptor side of a server; more can be added while it runs. */
export interface InterceptorHost {
  add(interceptors: Interceptor | readonly Interceptor[]): void;
}

/**
 * Makes an MCP server host interceptors: it answers `interceptors/list` and `interceptor/invoke` (and the other spellings in the field), and
 * announces the capability with the events that they hook, in both eras (SEP-2624, JSON-RPC Methods and Interceptor Server Capabilities).
 */
export function hostInterceptors(server: McpServer, interceptors: readonly Interceptor[], options: HostOptions = {}): InterceptorHost {
  const { host = detectHost(), exposeErrors = false } = options;
  const limits = resolveLimits(options.limits);
  const registry = createRegistry(limits.maxInterceptors);
  registry.add(interceptors);

  const list = (params: JsonObject) => {
    const problem = checkListInterceptorsParams(params);
    if (problem !== undefined) throw new RpcError(ErrorCode.invalidParams, describeProblem(problem, "params"), { path: problem.path });
    if (ownMember(params, "cursor") !== undefined) {
      throw new RpcError(ErrorCode.invalidParams, "params/cursor is not one of ours: the list comes in one page", { path: "/cursor" });
    }
    // Just checked: a string, where there is one.
    return { interceptors: registry.list(ownMember(params, "event") as string | undefined) };
  };

  const invoke = (params: JsonObject, { coreSignal, from }: ServerContext) => {
    const problem = checkInvokeParams(params);
    const name = ownMember(params, "name");
    if (problem !== undefined) {
      const data = { ...(typeof name === "string" ? { interceptor: name } : {}), path: problem.path };
      throw new RpcError(ErrorCode.invalidParams, describeProblem(problem, "params"), data);
    }
    // Just checked, member by member.
    const call = params as unknown as InvokeParams;
    const interceptor = registry.find(call.name);
    if (interceptor === undefined) {
      throw new RpcError(ErrorCode.invalidParams, `There is no interceptor ${JSON.stringify(call.name)}`, { interceptor: call.name, path: "/name" });
    }
    return invokeInterceptor(interceptor, call, {
      host,
      signal: coreSignal,
      maxDepth: limits.maxDepth,
      exposeErrors,
      ...(from.principal === undefined ? {} : { caller: from.principal }),
    });
  };

  for (const method of INTERCEPTOR_SPELLINGS.list) server.method(method, list);
  for (const method of INTERCEPTOR_SPELLINGS.invoke) server.method(method, invoke);
  server.extension(INTERCEPTORS_EXTENSION, () => ({ ...writeCapability(registry.list()) }));
  return {
    add: (more) => registry.add(Array.isArray(more) ? more : [more]),
  };
}
