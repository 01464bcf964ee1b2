import { describeMember, under } from "./check.ts";
import { checkInvocationContext } from "./gen/interceptors.ts";

/**
 * What is wrong with an invocation context that a program has made, as a sentence in the words of its source, `context.principal.type must …`;
 * `undefined` where nothing is. It is the check that `interceptor/invoke` makes, so what passes here is refused nowhere.
 */
export function contextProblem(context: unknown): string | undefined {
  const found = checkInvocationContext(context);
  return found === undefined ? undefined : describeMember(under("context", found), "context");
}
