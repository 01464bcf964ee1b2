import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson, ownMember, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import type { Signal } from "../base/signal.ts";
import type { InterceptorSource } from "../chain/source.ts";
import type { RequestOptions } from "../jsonrpc/outgoing.ts";
import type { McpClient } from "../mcp/client.ts";
import { describeProblem } from "../wire/check.ts";
import { INTERCEPTOR_SPELLINGS, readCapability } from "../wire/dialects.ts";
import { checkListInterceptorsResult } from "../wire/gen/interceptors.ts";

/** How a server's interceptors become a source. */
export interface SourceOptions {
  /** How the chain addresses this server's interceptors: `label/name`. Without `/`. */
  readonly label: string;
  readonly limits?: Partial<Limits>;
}

const OPTIONS: OptionTable<SourceOptions> = { label: "any", limits: "an object" };

type Kind = keyof typeof INTERCEPTOR_SPELLINGS;

/**
 * A connected server's interceptors as a source for a chain. `list` asks whatever the server advertises, since a stock SDK may have dropped
 * the capability, and follows pages. Where the server does not know a method (-32601), the other spelling is tried once and remembered.
 */
export function clientSource(client: McpClient, options: SourceOptions): InterceptorSource {
  checkOptions(options, "the options of a source", OPTIONS);
  const { maxPages, maxInterceptors, maxDepth } = resolveLimits(options.limits);
  // The spelling that the server has; the first, too, where it has turned out to have neither. Undefined as long as nobody knows.
  const known: Record<Kind, string | undefined> = { list: undefined, invoke: undefined };

  const ask = async (kind: Kind, params: JsonObject, call: RequestOptions): Promise<JsonObject> => {
    const [first, second] = INTERCEPTOR_SPELLINGS[kind];
    const asked = known[kind] ?? first;
    try {
      const result = await client.request(asked, params, call);
      known[kind] ??= asked;
      return result;
    } catch (thrown) {
      // Of calls that run side by side, each finds out for itself that the first is not known.
      if (!isUnknownMethod(thrown) || known[kind] === asked) throw thrown;
    }
    try {
      const result = await client.request(second, params, call);
      known[kind] = second;
      return result;
    } catch (thrown) {
      if (isUnknownMethod(thrown)) known[kind] ??= first;
      // An error of the server's own shows that it knows the method, as a result does.
      else if (thrown instanceof RpcError) known[kind] = second;
      throw thrown;
    }
  };

  return {
    label: options.label,
    remote: true,
    async list(signal) {
      const descriptors: unknown[] = [];
      const seen = new Set<string>();
      let cursor: string | undefined;
      do {
        const page = await ask("list", cursor === undefined ? {} : { cursor }, callOptions(signal)).catch((thrown: unknown) => {
          throw isUnknownMethod(thrown) ? hostsNone(options.label, readCapability(client.serverCapabilities) !== undefined, thrown) : thrown;
        });
        const problem = checkListInterceptorsResult(page);
        if (problem !== undefined && !problem.path.startsWith("/interceptors/")) {
          throw malformedList(options.label, describeProblem(problem, "result"));
        }
        // A list, or the check would have said so at /interceptors; the chain reads what is in it.
        for (const item of page["interceptors"] as unknown[]) descriptors.push(item);
        if (descriptors.length > maxInterceptors) throw tooMuch(options.label, `${maxInterceptors} interceptors`);
        const next = ownMember(page, "nextCursor");
        if (next !== undefined && typeof next !== "string") throw malformedList(options.label, "nextCursor must be a string");
        cursor = next;
        if (cursor !== undefined) {
          if (seen.has(cursor)) throw malformedList(options.label, "it gives a cursor that it has given before");
          if (seen.size + 1 >= maxPages) throw tooMuch(options.label, `${maxPages} pages`);
          seen.add(cursor);
        }
      } while (cursor !== undefined);
      return descriptors;
    },
    // The chain reads the answer as it reads any other's, and watches the clock. What it passes is shared, and may leave later than this
    // call: behind middleware or a guard, or in the other spelling.
    invoke(params, signal) {
      return ask("invoke", cloneJson<JsonObject>({ ...params }, maxDepth), { signal, timeoutMs: Infinity });
    },
  };
}

function callOptions(signal: Signal | undefined): RequestOptions {
  return signal === undefined ? {} : { signal };
}

function isUnknownMethod(thrown: unknown): boolean {
  return thrown instanceof RpcError && thrown.code === ErrorCode.methodNotFound;
}

function hostsNone(label: string, announced: boolean, cause: unknown): LocalError {
  const [first, second] = INTERCEPTOR_SPELLINGS.list;
  const what = announced ? "announces interceptors and does not list them" : "hosts no interceptors";
  return new LocalError("unsupported", `"${label}" ${what}: it knows neither ${first} nor ${second}`, { cause });
}

function tooMuch(label: string, what: string): LocalError {
  return new LocalError("limit_exceeded", `"${label}" lists more than ${what}`);
}

function malformedList(label: string, why: string): LocalError {
  return new LocalError("invalid_message", `the interceptor list of "${label}" is malformed: ${why}`);
}
