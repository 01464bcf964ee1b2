import { LocalError } from "../core/base/errors.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { checkPolicy } from "../core/guard/policy-checks.ts";
import { isLoopback } from "../core/http/host-check.ts";
import { LISTEN_OPTIONS } from "../node/http-listener.ts";
import type { GatewayPlan, HttpFacePlan, ParkingPlan, UpstreamPlan } from "./plan.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const PLAN: OptionTable<GatewayPlan> = {
  upstreams: "a list",
  chain: "a function",
  policy: "an object",
  http: "an object",
  stdio: "a string",
  context: "a function",
  canRecord: "a function",
  record: "a function",
  observe: "a function",
  log: "a function",
  drainMs: "a number",
  versions: "a list",
  parking: "an object",
  limits: "an object",
  host: "an object",
  worker: "an object",
};

const UPSTREAM: OptionTable<UpstreamPlan> = {
  name: "a string",
  target: "any",
  sharing: ["session", "shared", "principal"],
  era: ["handshake", "stateless"],
  allow: "a function",
  maxConnections: "a number",
  maxCalls: "a number",
  idleMs: "a number",
  startTimeoutMs: "a number",
  probeTimeoutMs: "a number",
  callTimeoutMs: "a number",
  maxCallMs: "a number",
  backOff: "an object",
};

const TARGET = {
  url: "a string",
  headers: "an object",
  authorize: "a function",
  send: "a function",
  command: "a string",
  args: "a list",
  cwd: "a string",
  env: "an object",
  stderr: "any",
  server: "an object",
  connect: "a function",
} as const;

const { path: _path, limits: _limits, log: _log, versions: _versions, ...listen } = LISTEN_OPTIONS;
const FACE: OptionTable<HttpFacePlan> = { ...listen, around: "a function" };
const PARKING: OptionTable<ParkingPlan> = { replica: "a string", maxParked: "a number", maxParkedPerPrincipal: "a number", parkMs: "a number" };

/** Throws `invalid_argument` for a plan that cannot be. */
export function checkPlan(plan: GatewayPlan): void {
  const refuse = (why: string): never => {
    throw new LocalError("invalid_argument", why);
  };
  checkOptions(plan, "the members of a plan", PLAN);
  const { upstreams, stdio, chain, http, policy, parking } = plan;
  if (typeof chain !== "function") refuse("a plan's chain is a function of the upstream's name");
  if (!Array.isArray(upstreams)) refuse("a plan has a list of upstreams");
  checkPolicy(policy);
  if (http !== undefined) checkOptions(http, "the members of a plan's http", FACE);
  if (parking !== undefined) checkOptions(parking, "the members of a plan's parking", PARKING);
  const names = new Set<string>();
  for (const upstream of upstreams) {
    checkOptions(upstream, "the members of an upstream", UPSTREAM);
    const { name, target } = upstream;
    if (!NAME.test(name)) refuse(`the name of an upstream has letters, digits, ".", "_" and "-", 64 at most; got ${JSON.stringify(name)}`);
    if (names.has(name)) refuse(`two upstreams are named ${name}`);
    checkOptions(target, `the members of the target of ${name}`, TARGET);
    names.add(name);
  }
  if (stdio !== undefined && !names.has(stdio)) refuse(`stdio names the upstream ${JSON.stringify(stdio)}, which the plan does not have`);
  if (http?.host !== undefined && http.allowedHosts === undefined && !isLoopback(http.host)) {
    refuse(`a gateway on ${http.host} needs allowedHosts: the names that clients call it by, or "any"`);
  }
}
