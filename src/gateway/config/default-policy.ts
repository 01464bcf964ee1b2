import type { InterceptorsConfig } from "./config.ts";

/**
 * The policy that `mcp-interceptors init` writes, for the `interceptors` of a configuration: for the servers of one person, who has no token that would tell callers
 * apart, so what remembers does so for all of a process. Nothing in it asks anybody, and everything in it stays out of the way of harmless use; `redact` is
 * left out, as it would mask the addresses that people write to. What it does and does not: src/gateway/config/README.md.
 */
export const DEFAULT_POLICY: readonly InterceptorsConfig[] = [
  { use: "secret-guard" },
  // A call that brings a secret is refused as a whole: a tool that got a mask for a value would keep it.
  { use: "secret-guard", name: "secrets-in-calls", events: ["tools/call", "prompts/get"], phase: "request", config: { action: "block" } },
  { use: "text-hygiene" },
  { use: "tool-pinning", config: { scope: "global" } },
  { use: "schema-guard" },
  { use: "path-guard" },
  // Whoever writes documents, code or commands mentions http://localhost:3000.
  { use: "url-guard", config: { mentions: "metadata" } },
  { use: "flow-guard", config: { scope: "global" } },
  { use: "size-limit", config: { action: "truncate" } },
  { use: "sampling-guard", config: { scope: "global" } },
  { use: "elicitation-guard" },
  { use: "injection-signals" },
];
