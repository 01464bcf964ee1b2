import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

/** A collector of spans that takes some and refuses some, with a text in its answers. */
export async function collector(text: string): Promise<{ readonly url: string; received(): string }> {
  let received = "";
  let count = 0;
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    request.on("end", () => response.writeHead([200, 400, 503][count++ % 3] ?? 200, { "content-type": "application/json" }).end(JSON.stringify({ message: text, partialSuccess: { errorMessage: text, rejectedSpans: "1" } })));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, received: () => received };
}
