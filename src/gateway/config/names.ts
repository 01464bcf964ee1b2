import { basename } from "node:path";
import { didYouMean } from "../../core/base/nearest.ts";
import { isLoopback } from "../../core/http/host-check.ts";
import { isStatelessVersion, STATELESS_VERSIONS } from "../../core/wire/versions.ts";
import { readyMade } from "../../library/catalog.ts";
import { scopesIn, type Scope } from "../../library/state.ts";
import { OWN_LABEL } from "./chains.ts";
import type { ExposeConfig, GatewayConfig, InterceptorsConfig } from "./config.ts";
import { checkPorts } from "./ports.ts";
import type { Problems } from "./problems.ts";

/** The name under which a gateway serves its own interceptors. */
export function exposedName({ name = "interceptors" }: ExposeConfig): string {
  return name;
}

/** What can be served, by name. */
export function servedNames({ upstreams, expose }: GatewayConfig): readonly string[] {
  return [...Object.keys(upstreams), ...(expose === undefined ? [] : [exposedName(expose)])];
}

/** Finds names that nothing has, ones that two have, and what the schema cannot see. */
export function checkNames(config: GatewayConfig, problems: Problems): void {
  const { upstreams, interceptors = [], expose, stdio, http } = config;
  const wantUpstream = (name: string, pointer: string, known: readonly string[] = Object.keys(upstreams)) => {
    if (!known.includes(name)) problems.add(pointer, `is no upstream; ${suggest(name, known)}`);
  };
  if (stdio !== undefined) wantUpstream(stdio, "/stdio", servedNames(config));
  if (expose !== undefined && Object.hasOwn(upstreams, exposedName(expose))) {
    problems.add(expose.name === undefined ? "/expose" : "/expose/name", `would be served as ${exposedName(expose)}, which is the name of an upstream; give it another name`);
  }
  checkPorts(config, problems);
  if (http?.host !== undefined && http.allowedHosts === undefined && !isLoopback(http.host)) {
    problems.add("/http/host", 'lets others than this machine in, which takes "allowedHosts" beside it: the names that clients call the gateway by, or "any"');
  }
  const labels = new Set<string>();
  for (const [index, { use, name, upstreams: guarded = [] }] of interceptors.entries()) {
    const pointer = `/interceptors/${index}`;
    if (use !== undefined && !readyMade.has(use)) problems.add(`${pointer}/use`, `is no ready-made interceptor; ${suggest(use, [...readyMade.keys()])}`);
    for (const [at, upstream] of guarded.entries()) wantUpstream(upstream, `${pointer}/upstreams/${at}`);
    if (name === undefined) continue;
    if (labels.has(name)) problems.add(`${pointer}/name`, "is the name of another item, too; give each its own");
    if (name === OWN_LABEL) problems.add(`${pointer}/name`, "is the gateway's own; take another");
    labels.add(name);
  }
}

/** Finds what remembers by session or principal, and would know nobody, and fail each message of such a client. */
export function checkScopes({ http, auth, stdio, versions, interceptors = [] }: GatewayConfig, problems: Problems): void {
  const strangers = http !== undefined && auth === undefined;
  const withoutSession = strangers && (versions ?? STATELESS_VERSIONS).some(isStatelessVersion);
  // Without http that is the one way in, whether the file names it or the command line.
  const onStdio = stdio !== undefined || http === undefined;
  for (const [index, { use, config }] of interceptors.entries()) {
    const scope = use === undefined ? undefined : scopeOf(use, config);
    if (scope === "session" ? !withoutSession : scope !== "principal" || !(strangers || onStdio)) continue;
    const others = scopesIn(readyMade.get(use ?? "")?.configSchema ?? {}).filter((one) => one === "global" || (one === "session" && scope !== one && !withoutSession));
    const ways = [
      scope === "principal" && onStdio ? 'serve it over "http" with "auth", and there alone' : 'add "auth"',
      ...(scope === "session" ? ['leave 2026-07-28 out of "versions"'] : []),
      ...(others.length === 0 ? [] : [`say "scope": ${others.map((one) => `"${one}"`).join(" or ")} in its config`]),
    ];
    const who = scope === "session" ? "2026-07-28 has no sessions, and there is no auth to tell callers apart" : onStdio ? "who calls on stdin and stdout has no principal" : "callers without a verified token have no principal";
    problems.add(`/interceptors/${index}`, `keeps state by ${scope}, and ${who}: ${[...ways.slice(0, -1), `${ways.length > 1 ? "or " : ""}${ways.at(-1) ?? ""}`].join(", ")}`);
  }
}

// A config that does not fit is told when the interceptor is made of it.
function scopeOf(use: string, config: unknown): Scope | undefined {
  try {
    return readyMade.get(use)?.scope?.(config);
  } catch {
    return undefined;
  }
}

/** Says which doors are open, or locked for nobody. */
export function warnOfDoors({ http, auth, expose }: GatewayConfig, warn: (pointer: string, message: string) => void): void {
  if (auth !== undefined && http === undefined) warn("/auth", "asks nobody: only HTTP has tokens, and nothing is served there");
  if (expose !== undefined && http === undefined) warn("/expose", "is served nowhere but on stdin and stdout, where --stdio or stdio names it: there is no http");
  if (http?.host !== undefined && !isLoopback(http.host) && auth === undefined) warn("/http/host", "lets others than this machine in, and whoever comes may call: there is no auth");
}

/**
 * How the interceptors of each item are addressed: by the name that it has, or one that says what it is, by `hide` without secrets. All differ, even where names
 * do not, which `checkNames` has told: it is to break nothing else.
 */
export function labelsOf(items: readonly InterceptorsConfig[], hide: (text: string) => string = String): readonly string[] {
  const taken = new Set([OWN_LABEL, ...items.flatMap(({ name }) => (name === undefined ? [] : [name]))]);
  const named = new Set([OWN_LABEL]);
  return items.map((item) => {
    const { name } = item;
    if (name !== undefined && !named.has(name)) {
      named.add(name);
      return name;
    }
    const base = name ?? hide(defaultLabel(item));
    let label = base;
    for (let number = 2; taken.has(label); number++) label = `${base}-${number}`;
    taken.add(label);
    return label;
  });
}

function defaultLabel({ use, module, url }: InterceptorsConfig): string {
  if (use !== undefined) return use;
  if (module !== undefined) return basename(module).replace(/\.[^.]+$/, "") || "module";
  return url === undefined ? "server" : (/^https?:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(url)?.[1] ?? "server");
}

/** What a name may have been meant for. */
export function suggest(name: string, known: readonly string[]): string {
  return didYouMean(name, known, `known are ${known.join(", ")}`);
}
