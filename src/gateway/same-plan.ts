import { isObject } from "../core/base/json.ts";
import type { GatewayPlan, UpstreamPlan } from "./plan.ts";

/** Whether two values are the same as plan: plain data by what it holds, functions and other objects by identity. */
function same(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) return left.length === right.length && left.every((item, index) => same(item, right[index]));
  if (!isPlain(left) || !isPlain(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => same(left[name], right[name]));
}

function isPlain(value: unknown): value is { [member: string]: unknown } {
  return isObject(value) && (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
}

/** Whether connections made for the one serve the other. */
export function sameUpstream({ allow: _left, ...left }: UpstreamPlan, { allow: _right, ...right }: UpstreamPlan): boolean {
  return same(left, right);
}

/** Whether guards made for the one judge as the other wants it, chains apart. */
export function sameGuarding(left: GatewayPlan, right: GatewayPlan): boolean {
  const has = (plan: GatewayPlan) => [plan.context !== undefined, plan.record !== undefined, plan.observe !== undefined];
  return same(left.policy, right.policy) && same(has(left), has(right));
}

/** What of a gateway cannot change without a new process, by name; none where all of it is the same. */
export function fixedDifferences(left: GatewayPlan, right: GatewayPlan): string[] {
  // Functions are read anew for each request; whether there is one is built in.
  const listener = ({ http }: GatewayPlan) =>
    http && Object.fromEntries(Object.entries(http).map(([name, value]) => [name, typeof value === "function" ? "function" : value]));
  return [
    ...(same(listener(left), listener(right)) ? [] : ["http"]),
    ...(["stdio", "parking", "limits", "host", "versions"] as const).filter((name) => !same(left[name], right[name])),
  ];
}
