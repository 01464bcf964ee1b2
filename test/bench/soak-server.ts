// An upstream of the soak, a child on stdio: `soak-server.ts ERA`. Its one tool says what it was told, after a word that the gateway takes out.
import { McpServer } from "../../src/core/mcp/server.ts";
import { HANDSHAKE_VERSIONS, STATELESS_VERSIONS } from "../../src/core/wire/versions.ts";
import { stdioTransport } from "../../src/node/stdio.ts";

const server = new McpServer({ name: "soak", version: "1" }, { versions: process.argv[2] === "stateless" ? STATELESS_VERSIONS : HANDSHAKE_VERSIONS });
server.tool({ name: "echo", inputSchema: { type: "object", properties: { nonce: { type: "string" } } } }, ({ nonce }) => `unguarded ${String(nonce)}`);
await server.connect(stdioTransport()).closed;
process.exit(0);
