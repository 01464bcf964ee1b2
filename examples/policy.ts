// A policy of one's own, as a module for `mcp-interceptors wrap --interceptors examples/policy.ts`.
import { allow, deny, validator } from "mcp-interceptors";

export const noDeletions = validator(
  { name: "no-deletions", description: "Nothing is deleted through this server", hooks: [{ events: ["tools/call"], phase: "request" }] },
  ({ payload }) => (payload.name.startsWith("delete_") ? deny(`${payload.name} is not allowed here: this address book is read and annotate only`) : allow()),
);
