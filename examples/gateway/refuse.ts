// Refuses whatever it is asked about: what that is, the configuration says by a condition.
import { deny, validator } from "mcp-interceptors";

export const refuse = validator(
  { name: "refuse", description: "Refuses tool calls that a condition picks.", hooks: [{ events: ["tools/call"], phase: "request" }] },
  ({ payload }) => deny(`${payload.name} may not be called like this`),
);
