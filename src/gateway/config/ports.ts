import { BlockList, isIP, isIPv6 } from "node:net";
import { LocalError } from "../../core/base/errors.ts";
import { isLoopback } from "../../core/http/host-check.ts";
import type { GatewayConfig } from "./config.ts";
import { formatProblem, type Problems } from "./problems.ts";

type PortSection = "http" | "metrics";

const DEFAULT_HOST = "127.0.0.1";
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Finds ports that are none, and one that two sections want. */
export function checkPorts({ http, metrics }: GatewayConfig, problems: Problems): void {
  for (const [section, port = 0] of [["http", http?.port], ["metrics", metrics?.port]] as const) {
    if (Number(port) > 65_535) problems.add(`/${section}/port`, "must be a port: a whole number from 0 (any free one) to 65535");
  }
  const [taken, wanted] = [Number(http?.port ?? 0), Number(metrics?.port ?? 0)];
  if (wanted !== 0 && taken === wanted && meet(http?.host ?? DEFAULT_HOST, metrics?.host ?? DEFAULT_HOST)) {
    problems.add("/metrics/port", "is the port of http, too; give each its own, or leave one out for any free port");
  }
}

// `localhost` may be any address of this machine.
function meet(one: string, other: string): boolean {
  const named = (host: string) => host.toLowerCase() === "localhost";
  return one === other || EVERYWHERE.has(one) || EVERYWHERE.has(other) || ((named(one) || named(other)) && isLoopback(one) && isLoopback(other));
}

/** Warns of hosts that are no address of this machine, where a gateway could not listen. `addresses`: those that it has. */
export function warnOfHosts({ http, metrics }: GatewayConfig, addresses: readonly string[], warn: (pointer: string, message: string) => void): void {
  const own = new BlockList();
  for (const address of addresses) own.addAddress(address, familyOf(address));
  for (const [section, host] of [["http", http?.host], ["metrics", metrics?.host]] as const) {
    // What a name leads to is not known before it is listened at.
    if (host === undefined || isIP(host) === 0 || EVERYWHERE.has(host) || isLoopback(host) || own.check(host, familyOf(host))) continue;
    warn(`/${section}/host`, "is no address of this machine, and only where it is one can a gateway listen there");
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["EADDRINUSE", "is in use; end the program that has it, or name another port (0 takes any free one)"],
  ["EACCES", "is not this user's to take; name one from 1024 on"],
  ["ENOTFOUND", "cannot be had, as the host is no name that leads anywhere; change host"],
  ["EADDRNOTAVAIL", "cannot be had, as the host is no address of this machine; change host"],
]);

/** What a listener could not be opened for, with the section that it is for and what to do; anything else as it is. */
export function portFault(thrown: unknown, section: PortSection, { file, config }: { readonly file: string; readonly config: GatewayConfig }): unknown {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  const reason = REASONS.get(code);
  if (reason === undefined || typeof code !== "string") return thrown;
  const { host = DEFAULT_HOST, port = 0 } = config[section] ?? {};
  return new LocalError("conflict", formatProblem({ file, pointer: `/${section}/port`, message: `port ${port} of ${host} ${reason} (${code})` }), { cause: thrown });
}
