import type { Transport } from "../../../src/core/transport/transport.ts";
import { asOurs, elicited, firstText, listening, ROOTS, sampled, type ClientKind, type End, type Json } from "./driver.ts";
import { library, node } from "./library.ts";

function overHttp(url: string, wrap: End["wrap"] = (transport) => transport): Transport {
  const send = node.createHttpSend();
  return wrap(library.httpTransport({ url, send, release: () => send.close() }));
}

export const ours: ClientKind = {
  label: "ours",
  versions: library.PROTOCOL_VERSIONS,
  async open(link, version) {
    const heard = listening();
    const client = new library.McpClient({ name: "matrix", version: "1.0.0" }, { versions: [version] });
    client.onSampling((params) => {
      heard.add({ kind: "asked", method: "sampling/createMessage", params });
      return sampled(firstText(params.messages));
    });
    client.onElicitation((params) => {
      heard.add({ kind: "asked", method: "elicitation/create", params });
      return elicited(params.message);
    });
    client.onRoots(() => {
      heard.add({ kind: "asked", method: "roots/list", params: undefined });
      return ROOTS;
    });
    client.onLog(({ level, data, logger }) => heard.add({ kind: "log", level, data, logger }));
    client.onResourceUpdated((uri) => heard.add({ kind: "updated", uri }));
    const transport =
      link.kind === "memory" ? asOurs(link.end)
      : link.kind === "http" ? overHttp(link.url, link.wrap)
      : await node.spawnTransport({ command: link.command, args: link.args, stderr: "ignore" });
    await client.connect(transport);
    const lists = {
      tools: () => client.listTools(),
      prompts: () => client.listPrompts(),
      resources: () => client.listResources(),
      resourceTemplates: () => client.listResourceTemplates(),
    };
    return {
      version: client.protocolVersion,
      server: { info: client.serverInfo, capabilities: client.serverCapabilities, instructions: client.instructions },
      heard,
      ping: () => client.ping(),
      // Plain JSON, whose types have no index.
      list: async (kind) => (await lists[kind]()) as unknown as Json[],
      call: async (name, args, { onProgress, signal } = {}) =>
        client.callTool({ name, arguments: args }, { ...(onProgress === undefined ? {} : { onProgress }), ...(signal === undefined ? {} : { signal }) }),
      getPrompt: async (name, args = {}) => client.getPrompt({ name, arguments: args }),
      read: async (uri) => client.readResource({ uri }),
      complete: async (ref, name, value) => ({ ...(await client.complete({ ref: { ...ref }, argument: { name, value } })).completion }),
      setLogLevel: (level) => client.setLogLevel(level),
      async subscribe(uri) {
        await client.subscribeResource(uri);
        return () => client.unsubscribeResource(uri);
      },
      async watchLists() {
        const ends = (["tools", "prompts", "resources"] as const).map((list) => client.onListChanged(list, () => heard.add({ kind: "changed", list })));
        // In a stateless revision the server is asked in the background: one round trip later it has heard of it.
        await client.ping();
        return async () => ends.forEach((end) => end());
      },
      close: () => client.close(),
    };
  },
};
