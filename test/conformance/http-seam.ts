import { directSend } from "../../src/core/http/direct-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { serve } from "../../src/core/http/serve.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import type { Seam } from "./connected-target.ts";

/** HTTP without sockets, whole on both sides. */
export const http = (era: Era): Seam => ({
  era,
  async join(server, client, host) {
    const listener = createHttpServer({ host, allowedHosts: ["server.example"] });
    void serve(server, listener);
    await client.connect(httpTransport({ url: "https://server.example/mcp", send: directSend(listener.handle, host), host }));
    return () => listener.close();
  },
});
