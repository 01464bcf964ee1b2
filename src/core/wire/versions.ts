/** Revisions that open with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Revisions in which every request carries its version (`_meta`), newest first. */
export const STATELESS_VERSIONS = ["2026-07-28"] as const;
/** All revisions that this build speaks, newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS];

export type HandshakeVersion = (typeof HANDSHAKE_VERSIONS)[number];
export type StatelessVersion = (typeof STATELESS_VERSIONS)[number];

/** `_meta` keys of revision 2026-07-28 (basic/index, General fields). */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

export function isHandshakeVersion(version: unknown): version is HandshakeVersion {
  return HANDSHAKE_VERSIONS.some((known) => known === version);
}

export function isStatelessVersion(version: unknown): version is StatelessVersion {
  return STATELESS_VERSIONS.some((known) => known === version);
}

/** Whether a text is a date as MCP names its revisions, known to us or not: `2025-06-18`, and no `2025-13-40`. */
export function isVersionDate(version: unknown): version is string {
  return typeof version === "string" && /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(version);
}

/** Whether a result may ask for input instead of being complete (revision 2026-07-28, and those after it). */
export function mayAskForInput(version: unknown): boolean {
  return isVersionDate(version) && version >= "2026-07-28";
}
