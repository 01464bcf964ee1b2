import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import { formatPointer, isObject } from "../../core/base/json.ts";
import { compileImmutable } from "../../core/guard/immutable.ts";
import { checkHeaders } from "../../core/http/client-call.ts";
import { createHostCheck } from "../../core/http/host-check.ts";
import { resolveVersions } from "../../core/mcp/lifecycle.ts";
import { irregularity } from "../../node/read-file.ts";
import { checkReplica } from "../parking.ts";
import type { GatewayConfig } from "./config.ts";
import type { Problems } from "./problems.ts";

interface ValuesContext {
  readonly folder: string;
  readonly problems: Problems;
}

/**
 * Finds values that the schema lets through and that a part of the gateway would refuse as it starts, each in its place: here they are faults of the file,
 * told with all others. What judges them is what the parts themselves go by. Opens nothing.
 */
export function checkValues(config: GatewayConfig, { folder, problems }: ValuesContext): void {
  const { upstreams, interceptors = [], http, metrics, traces, policy, parking, versions, audit } = config;
  const judge = (pointer: string, check: () => unknown) => {
    try {
      check();
    } catch (thrown) {
      problems.add(pointer, `cannot be used: ${describeError(thrown)}`);
    }
  };
  for (const [section, hosts] of [["http", http?.allowedHosts], ["metrics", metrics?.allowedHosts]] as const) {
    if (!Array.isArray(hosts)) continue;
    for (const [index, host] of hosts.entries()) judge(`/${section}/allowedHosts/${index}`, () => createHostCheck({ allowedHosts: [host] }));
  }
  for (const [index, origin] of (http?.allowedOrigins ?? []).entries()) judge(`/http/allowedOrigins/${index}`, () => createHostCheck({ allowedOrigins: [origin] }));
  if (versions?.length === 0) judge("/versions", () => resolveVersions(versions));
  for (const [index, version] of (versions ?? []).entries()) judge(`/versions/${index}`, () => resolveVersions([version]));
  const replica = parking?.replica;
  if (replica !== undefined) judge("/parking/replica", () => checkReplica(replica));
  checkImmutable(policy?.immutable, judge);
  for (const [name, { headers }] of Object.entries(upstreams)) checkHeadersOf(["upstreams", name], headers, judge);
  for (const [index, { headers }] of interceptors.entries()) checkHeadersOf(["interceptors", index], headers, judge);
  checkHeadersOf(["traces"], traces?.headers, judge);
  const file = audit?.file;
  const wrong = file === undefined ? undefined : unwritable(resolve(folder, file));
  if (wrong !== undefined) problems.add("/audit/file", wrong);
}

type Judge = (pointer: string, check: () => unknown) => void;

function checkImmutable(immutable: NonNullable<GatewayConfig["policy"]>["immutable"] = [], judge: Judge): void {
  const byEvent = isObject(immutable);
  for (const [event, pointers] of Object.entries(byEvent ? immutable : { "*": immutable })) {
    const at = formatPointer(["policy", "immutable", ...(byEvent ? [event] : [])]);
    judge(at, () => compileImmutable({ [event]: [] }));
    for (const [index, pointer] of pointers.entries()) judge(`${at}/${index}`, () => compileImmutable({ "*": [pointer] }));
  }
}

function checkHeadersOf(path: readonly (string | number)[], headers: Readonly<Record<string, string>> = {}, judge: Judge): void {
  for (const [name, value] of Object.entries(headers)) judge(formatPointer([...path, "headers", name]), () => checkHeaders({ [name]: value }));
}

/** Why no audit log can be at a path. One that is there is opened at the start alone: a gateway may be writing to it. */
function unwritable(path: string): string | undefined {
  try {
    if (statSync(dirname(path), { throwIfNoEntry: false }) === undefined) return `is in a folder that is not there: ${dirname(path)}`;
    const there = statSync(path, { throwIfNoEntry: false });
    const kind = there === undefined ? undefined : irregularity(there);
    return kind === undefined ? undefined : `${kind}; name the file that lines are written to`;
  } catch (thrown) {
    // A part of the path is no folder, or one that is not to be looked into.
    return `cannot be written to: ${describeError(thrown)}`;
  }
}
