import { compareCodePoints } from "../base/compare-code-points.ts";
import type { InterceptorDescriptor, InterceptorsCapability } from "./gen/interceptors.ts";

// This file (methods, capability), descriptors.ts and results.ts are all that knows how the SEP's parts look on the wire. Writers write one
// form; readers turn what arrives into that form, so nothing past them sees another.

/** The methods of SEP-2624. The SEP spells each both ways; the first is the one that we call. */
export const INTERCEPTOR_SPELLINGS = {
  list: ["interceptors/list", "interceptor/list"],
  invoke: ["interceptor/invoke", "interceptors/invoke"],
} as const;

/** The key of the capability, under `extensions`. */
export const INTERCEPTORS_EXTENSION = "io.modelcontextprotocol/interceptors";

/** Which interceptor method a name stands for, in either spelling; `undefined` for any other method. */
export function interceptorMethod(method: string): "list" | "invoke" | undefined {
  if (INTERCEPTOR_SPELLINGS.list.some((spelling) => spelling === method)) return "list";
  return INTERCEPTOR_SPELLINGS.invoke.some((spelling) => spelling === method) ? "invoke" : undefined;
}

/** The capability of a server: every event that a hook names, as declared, in the order of code points, without doubles. */
export function writeCapability(descriptors: readonly Pick<InterceptorDescriptor, "hooks">[]): InterceptorsCapability {
  const events = descriptors.flatMap(({ hooks }) => hooks.flatMap((hook) => hook.events));
  return { supportedEvents: [...new Set(events)].sort(compareCodePoints) };
}
