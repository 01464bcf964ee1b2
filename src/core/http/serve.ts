import { isThenable } from "../base/thenable.ts";
import type { Listener, Transport } from "../transport/transport.ts";
import type { ToolSchemas } from "./http-server-options.ts";

/** What serves connections: an `McpServer`, say, or an official SDK's behind an adapter. */
export interface Servable {
  connect(transport: Transport): unknown;
}

/**
 * Hands each connection of a listener to a server. Settles when the listener has closed; what it handed over goes on until either side ends it.
 * A connection that the server does not take is closed. An HTTP listener learns from a server that has `toolSchema`, as `McpServer` does, which
 * arguments of tools are repeated in headers, and holds these to them.
 */
export async function serve(server: Servable, listener: Listener): Promise<void> {
  if ("toolSchema" in server && typeof server.toolSchema === "function" && "describeTools" in listener && typeof listener.describeTools === "function") {
    // Whatever it gives is looked at as what came off a wire.
    const schemas: ToolSchemas = (name) => (server as { toolSchema(name: string): unknown }).toolSchema(name);
    listener.describeTools(schemas);
  }
  for (;;) {
    const transport = await listener.accept();
    if (transport === undefined) return;
    try {
      const connected = server.connect(transport);
      // Some servers connect in their own time.
      if (isThenable(connected)) Promise.resolve(connected).catch(() => transport.close());
    } catch {
      void transport.close();
    }
  }
}
