// What the gateway is measured with: a validator that reads the call, and a mutator that adds a member to its result.
import { deny, mutator, validator } from "mcp-interceptors";

export default [
  validator({ name: "reads", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => payload.name.startsWith("get_") || deny("no such tool")),
  mutator({ name: "adds", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, _meta: { ...payload._meta, "com.example/seen": true } })),
];
