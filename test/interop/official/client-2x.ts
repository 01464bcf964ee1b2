import { Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { elicited, sampled, tap, type ClientKind, type WireMessage } from "./session.ts";

// A schema, as their client asks for it, that takes what comes.
const UNCHECKED = { "~standard": { version: 1 as const, vendor: "interop", validate: (value: unknown) => ({ value }) } };

/** The official client of the 2.x line, in one mode of its version negotiation. */
export function client2x(label: string, mode: VersionNegotiationMode | undefined): ClientKind {
  return {
    label: `client 2.x ${label}`,
    async open(command, { roots = [], versions, manner = "willing" } = {}) {
      const client = new Client(
        { name: "interop", version: "1.0.0" },
        {
          capabilities: manner === "bare" ? {} : { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
          ...(mode === undefined ? {} : { versionNegotiation: { mode } }),
          ...(versions === undefined ? {} : { supportedProtocolVersions: [...versions] }),
        },
      );
      if (manner !== "bare") {
        client.setRequestHandler("roots/list", () => ({ roots: roots.map((root) => ({ ...root })) }));
        client.setRequestHandler("sampling/createMessage", () => sampled(manner));
        client.setRequestHandler("elicitation/create", ({ params }) => elicited(manner, params));
      }

      const received: WireMessage[] = [];
      const transport = new StdioClientTransport({ ...command, stderr: "ignore" });
      tap(transport, received);
      await client.connect(transport);
      const { pid } = transport;
      return {
        server: {
          version: client.getServerVersion(),
          capabilities: client.getServerCapabilities(),
          instructions: client.getInstructions(),
          protocol: client.getNegotiatedProtocolVersion(),
        },
        received,
        pid,
        listTools: () => client.listTools(),
        callTool: (name, args, options) => client.callTool({ name, arguments: args }, { ...options, timeout: 20_000 }),
        request: async (method, params) => client.request({ method, ...(params === undefined ? {} : { params }) }, UNCHECKED, { timeout: 20_000 }),
        notify: (method, params) => client.notification({ method, ...(params === undefined ? {} : { params }) }),
        async listen(filter, meanwhile) {
          const subscription = await client.listen(filter);
          const result = await meanwhile();
          await subscription.close();
          return { honoured: subscription.honoredFilter, result, closed: await subscription.closed };
        },
        close: () => client.close(),
      };
    },
  };
}

/** As it comes: the handshake, without a probe. */
export const client2xDefault: ClientKind = client2x("default", undefined);
/** Asks `server/discover` of a server of its own first, and falls back to the handshake. */
export const client2xAuto: ClientKind = client2x("auto", "auto");
export const client2xModern: ClientKind = client2x("2026-07-28", { pin: "2026-07-28" });
