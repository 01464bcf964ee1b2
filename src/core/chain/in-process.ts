import { LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { interceptorList, type Interceptor, type Interceptors } from "../interceptor/define.ts";
import { invokeInterceptor } from "../interceptor/invoke.ts";
import type { InterceptorSource } from "./source.ts";

interface InProcessOptions {
  /** `local` unless said otherwise. */
  readonly label?: string;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
}

const OPTIONS: OptionTable<InProcessOptions> = { label: "a string", host: "an object", limits: "an object" };

/**
 * Interceptors of this process as a source. They run the same function as behind `interceptor/invoke`, on copies, and answer
 * synchronously where their handler does. Throws `conflict` where two have one name, `invalid_argument` for what is no interceptor.
 */
export function interceptorSource(interceptors: Interceptors, options: InProcessOptions = {}): InterceptorSource {
  checkOptions(options, "the options of a source", OPTIONS);
  const { label = "local", host = detectHost() } = options;
  const { maxDepth, maxMessageBytes } = resolveLimits(options.limits);
  const byName = new Map<string, Interceptor>();
  for (const interceptor of interceptorList(interceptors)) {
    const { name } = interceptor.descriptor;
    if (byName.has(name)) throw new LocalError("conflict", `two interceptors have the name ${JSON.stringify(name)}`);
    byName.set(name, interceptor);
  }
  return {
    label,
    remote: false,
    list: () => Promise.resolve([...byName.values()].map(({ descriptor }) => descriptor)),
    answerAs: (name) => byName.get(name)?.answerAs,
    invoke(params, signal) {
      const interceptor = byName.get(params.name);
      if (interceptor === undefined) throw new LocalError("not_found", `no interceptor has the name ${JSON.stringify(params.name)}`);
      return invokeInterceptor(interceptor, params, { host, signal, maxDepth, maxMessageBytes, clock: "caller" });
    },
  };
}
