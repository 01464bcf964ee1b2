// The interceptors of the soak. Each reload gives them another generation, which they leave where the caller can see it.
import { mutator, validator } from "../../src/core/interceptor/define.ts";
import { deny } from "../../src/core/interceptor/verdict.ts";

const clean = <T>(payload: T, word: string) => JSON.parse(JSON.stringify(payload).replaceAll("unguarded", word)) as T; // a word of a text changes, no shape

export default [
  validator({ name: "nonces", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload: { arguments: args = {} } }) => {
    if (typeof args["nonce"] !== "string") return deny("there is no nonce");
    return args["denied"] === true ? deny(`not ${args["nonce"]}`) : true;
  }),
  mutator({ name: "stamp", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload, config }) => ({
    ...payload,
    // A server that has asked something takes no retry that says something else.
    arguments: { ...payload.arguments, stamp: payload.arguments?.["fixed"] === true ? 0 : config["generation"] },
  })),
  mutator({ name: "cleaner", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload, config }) => clean(payload, `cleaned ${String(config["generation"])}`)),
  mutator({ name: "quiet", hooks: [{ events: ["notifications/progress", "elicitation/create"], phase: "request" }] }, ({ payload }) => clean(payload, "cleaned")),
];
