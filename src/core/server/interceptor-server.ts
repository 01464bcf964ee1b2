import { ErrorCode, RpcError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { ownMember, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { interceptorList, type Interceptors } from "../interceptor/define.ts";
import { invokeInterceptor } from "../interceptor/invoke.ts";
import { DEFAULT_TIMEOUT_MS } from "../interceptor/policy.ts";
import { safeLog, type Log } from "../jsonrpc/log.ts";
import type { ServerContext } from "../mcp/context.ts";
import type { McpServer } from "../mcp/server.ts";
import { describeProblem } from "../wire/check.ts";
import { INTERCEPTOR_SPELLINGS, INTERCEPTORS_EXTENSION, writeCapability } from "../wire/dialects.ts";
import { checkInvokeParams, checkListInterceptorsParams, type InvokeParams, type InvokeResult } from "../wire/gen/interceptors.ts";
import { alsoNested } from "../wire/results.ts";
import { createRegistry } from "./registry.ts";

/** How interceptors are hosted on a server. */
export interface HostOptions {
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  /** Errors carry a handler's own text instead of a stable reason. Off by default: it may quote anything. */
  readonly exposeErrors?: boolean;
  /**
   * Results also carry their members in the nesting of the Go SDK, whose chains read these alone and see no denial otherwise. Off by default: a
   * mutated payload is sent twice.
   */
  readonly alsoNested?: boolean;
  /** Told of each run that failed, with what was thrown: whoever calls sees a stable reason alone. */
  readonly log?: Log;
}

const OPTIONS: OptionTable<HostOptions> = { host: "an object", limits: "an object", exposeErrors: "a boolean", alsoNested: "a boolean", log: "a function" };

/** The interceptor side of a server; more can be added while it runs. */
export interface InterceptorHost {
  add(interceptors: Interceptors): void;
}

/**
 * Makes an MCP server host interceptors: it answers `interceptors/list` and `interceptor/invoke` (and the other spellings in the field), and
 * announces the capability with the events that they hook, in both eras (SEP-2624, JSON-RPC Methods and Interceptor Server Capabilities).
 */
export function hostInterceptors(server: McpServer, interceptors: Interceptors, options: HostOptions = {}): InterceptorHost {
  checkOptions(options, "the options of an interceptor host", OPTIONS);
  const { host = detectHost(), exposeErrors = false } = options;
  const log = safeLog(options.log);
  const limits = resolveLimits(options.limits);
  const registry = createRegistry(limits.maxInterceptors);
  registry.add(interceptorList(interceptors));

  const written = (result: InvokeResult) => (options.alsoNested === true ? alsoNested(result) : result);

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
      const whose = typeof name === "string" ? { interceptor: name } : {};
      throw new RpcError(ErrorCode.invalidParams, describeProblem(problem, "params"), { ...whose, path: problem.path });
    }
    // Just checked, member by member.
    const call = params as unknown as InvokeParams;
    const interceptor = registry.find(call.name);
    if (interceptor === undefined) {
      const data = { interceptor: call.name, path: "/name" };
      throw new RpcError(ErrorCode.invalidParams, `There is no interceptor ${JSON.stringify(call.name)}`, data);
    }
    const caller = from.principal === undefined ? {} : { caller: from.principal };
    const run = { host, signal: coreSignal, maxDepth: limits.maxDepth, maxMessageBytes: limits.maxMessageBytes, exposeErrors, ...caller };
    // Whoever sends no limit gets the interceptor's own.
    const bounded = call.timeoutMs === undefined ? { ...call, timeoutMs: interceptor.timeoutMs ?? DEFAULT_TIMEOUT_MS } : call;
    const failed = (thrown: unknown): never => {
      // A call that does not fit is the caller's failure.
      const refused = thrown instanceof RpcError && thrown.code === ErrorCode.invalidParams;
      const error = thrown instanceof RpcError ? (thrown.cause ?? thrown) : thrown;
      if (!refused) log({ level: "error", message: `interceptor ${call.name} failed`, details: { event: call.event, phase: call.phase }, error });
      throw thrown;
    };
    try {
      const result = invokeInterceptor(interceptor, bounded, run);
      return result instanceof Promise ? result.then(written, failed) : written(result);
    } catch (thrown) {
      return failed(thrown);
    }
  };

  for (const method of INTERCEPTOR_SPELLINGS.list) server.method(method, list);
  for (const method of INTERCEPTOR_SPELLINGS.invoke) server.method(method, invoke);
  server.extension(INTERCEPTORS_EXTENSION, () => ({ ...writeCapability(registry.declared()) }));
  return {
    add: (more) => registry.add(interceptorList(more)),
  };
}
