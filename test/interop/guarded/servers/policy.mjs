// One policy for all that is guarded here, on either side. What it does is told by the text of a call of `echo`.
import { allow, deny, mutator, unchanged, validator } from "../../../../dist/index.js";

const CALL = [{ events: ["tools/call"], phase: "request" }];

export function createPolicy(seen = []) {
  return [
    mutator({ name: "loud", hooks: CALL }, ({ payload }) => {
      const text = payload.arguments?.text;
      return typeof text === "string" && text.startsWith("change") ? { ...payload, arguments: { ...payload.arguments, text: text.toUpperCase() } } : unchanged();
    }),
    validator({ name: "no", hooks: CALL }, ({ payload, context }) => {
      seen.push({ name: payload.name, principal: context.principal });
      return payload.arguments?.text === "block" ? deny("not this") : allow();
    }),
    mutator({ name: "audited", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, _meta: { ...payload._meta, "com.example/audited": true } })),
    // Later than the answer comes, were it not for the order of what belongs together.
    validator({ name: "slow", hooks: [{ events: ["notifications/progress"], phase: "request" }] }, async () => {
      for (let turn = 0; turn < 50; turn++) await undefined;
      return true;
    }),
  ];
}

export const OPTIONS = {
  policy: { interceptNotifications: true },
  // What the transport has verified.
  context: ({ from }) => (from?.principal === undefined ? {} : { principal: from.principal }),
};

export const aborted = (signal) => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", resolve, { once: true })));
