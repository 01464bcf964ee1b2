import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { detectHost } from "../core/base/host.ts";
import { resolveLimits } from "../core/base/limits.ts";
import { invokeInterceptor } from "../core/interceptor/invoke.ts";
import { createRegistry } from "../core/server/registry.ts";
import { LocalError } from "../core/base/errors.ts";
import { readCapability } from "../core/wire/dialects.ts";
import { acceptDescriptor, canonicalDescriptor } from "../core/wire/descriptors.ts";
import type { InvokeParams } from "../core/wire/gen/interceptors.ts";
import { readResult } from "../core/wire/results.ts";
import { fixtureInterceptor } from "./behaviours.ts";
import { runOwnChain, type OpenSource } from "./own-chain.ts";
import { runOwnClient } from "./own-client.ts";
import { runOwnGuard } from "./own-guard.ts";
import type { Target } from "./target.ts";
import type { FixtureDeclaration } from "./vector.ts";

/** The parts of this package that read what others write, and its engine, as a target. */
export function ownTarget(open?: OpenSource): Target {
  return {
    chain: (input) => runOwnChain(input, open),
    guard: runOwnGuard,
    descriptor: (descriptor) => canonicalDescriptor(acceptDescriptor(cloneJson(descriptor), "target")),
    capability: (capabilities) => readCapability(capabilities)?.supportedEvents,
    client: runOwnClient,
    dialect: (answer, asked) => readResult(answer, { ...asked, durationMs: 0 }),
  };
}

/** The same, with the fixtures in process: what no connection is needed for. */
export function directTarget(fixtures: readonly FixtureDeclaration[]): Target {
  const host = detectHost();
  const limits = resolveLimits({});
  const registry = createRegistry(limits.maxInterceptors);
  registry.add(fixtures.map((fixture) => fixtureInterceptor(fixture, { host })));
  return {
    ...ownTarget(),
    list: ({ event }) => ({ interceptors: registry.list(event as string | undefined) }),
    invoke(params: JsonObject) {
      // Well formed: vectors whose params are not need a connection.
      const call = params as unknown as InvokeParams;
      const interceptor = registry.find(call.name);
      if (interceptor === undefined) throw new LocalError("not_found", `there is no fixture ${call.name}`);
      return invokeInterceptor(interceptor, call, { host, ...limits });
    },
  };
}
