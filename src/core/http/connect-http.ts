import type { Signal } from "../base/signal.ts";
import { VERSION } from "../base/version.ts";
import { McpClient, type McpClientOptions } from "../mcp/client.ts";
import { httpTransport, type HttpTransportOptions } from "./http-client.ts";

export interface ConnectHttpOptions extends HttpTransportOptions, Pick<McpClientOptions, "versions"> {}

/** A client that is connected to the server behind a URL. Its `close` ends the transport, and so does `signal` before that. */
export async function connectHttp({ versions, ...options }: ConnectHttpOptions, signal?: Signal): Promise<McpClient> {
  const client = new McpClient({ name: "mcp-interceptors", version: VERSION }, versions === undefined ? {} : { versions });
  const transport = httpTransport(options);
  try {
    await client.connect(transport, signal === undefined ? {} : { signal });
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
  return client;
}
