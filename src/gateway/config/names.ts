import { basename } from "node:path";
import { nearest } from "../../core/base/nearest.ts";
import { isLoopback } from "../../core/http/host-check.ts";
import { readyMade } from "../../library/catalog.ts";
import { OWN_LABEL } from "./chains.ts";
import type { GatewayConfig, InterceptorsConfig } from "./config.ts";
import type { Problems } from "./problems.ts";

/** Finds names that nothing has, ones that two have, and what the schema cannot see. */
export function checkNames({ upstreams, interceptors = [], stdio, http, metrics }: GatewayConfig, problems: Problems): void {
  const known = Object.keys(upstreams);
  const wantUpstream = (name: string, pointer: string) => {
    if (!known.includes(name)) problems.add(pointer, `is no upstream; ${suggest(name, known)}`);
  };
  if (stdio !== undefined) wantUpstream(stdio, "/stdio");
  for (const [section, port = 0] of [["http", http?.port], ["metrics", metrics?.port]] as const) {
    if (Number(port) > 65_535) problems.add(`/${section}/port`, "must be a port: a whole number from 0 (any free one) to 65535");
  }
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

/** Says which doors are open, or locked for nobody. */
export function warnOfDoors({ http, auth }: GatewayConfig, warn: (pointer: string, message: string) => void): void {
  if (auth !== undefined && http === undefined) warn("/auth", "asks nobody: only HTTP has tokens, and nothing is served there");
  if (http?.host !== undefined && !isLoopback(http.host) && auth === undefined) warn("/http/host", "lets others than this machine in, and whoever comes may call: there is no auth");
}

/** How the interceptors of each item are addressed: by the name that it has, or one that says what it is. All differ. */
export function labelsOf(items: readonly InterceptorsConfig[]): readonly string[] {
  const taken = new Set([OWN_LABEL, ...items.flatMap(({ name }) => (name === undefined ? [] : [name]))]);
  return items.map((item) => {
    if (item.name !== undefined) return item.name;
    const base = defaultLabel(item);
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

function suggest(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
}
