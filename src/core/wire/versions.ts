/** Revisions that open with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Revisions in which every request carries its version (`_meta`), newest first. */
export const STATELESS_VERSIONS = ["2026-07-28"] as const;
/** All revisions that this build speaks, newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS];

/** `_meta` keys of revision 2026-07-28 (basic/index, General fields). */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;
