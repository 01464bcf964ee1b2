/** Whether `await` would wait for it, as far as objects go; what is none need not be waited for. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
