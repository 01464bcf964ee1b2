import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { asOfficial, closeOfficial, elicited, firstText, listening, maybeWrapped, RECONNECTING, ROOTS, sampled, type ClientKind, type Json } from "./driver.ts";
import { library } from "./library.ts";

export const client2x: ClientKind = {
  label: "2.x",
  versions: library.PROTOCOL_VERSIONS,
  async open(link, version) {
    const heard = listening();
    const stateless = library.STATELESS_VERSIONS.some((known) => known === version);
    const client = new Client(
      { name: "matrix", version: "1.0.0" },
      {
        capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } },
        ...(stateless ? { versionNegotiation: { mode: { pin: version } } } : { supportedProtocolVersions: [version] }),
      },
    );
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      heard.add({ kind: "asked", method: "sampling/createMessage", params });
      return sampled(firstText(params.messages));
    });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      heard.add({ kind: "asked", method: "elicitation/create", params });
      return elicited(params.message);
    });
    client.setRequestHandler("roots/list", ({ params }) => {
      heard.add({ kind: "asked", method: "roots/list", params });
      return { roots: ROOTS };
    });
    client.setNotificationHandler("notifications/message", ({ params: { level, data, logger } }) => heard.add({ kind: "log", level, data, logger }));
    client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) => heard.add({ kind: "updated", uri }));
    client.setNotificationHandler("notifications/tools/list_changed", () => heard.add({ kind: "changed", list: "tools" }));
    client.setNotificationHandler("notifications/prompts/list_changed", () => heard.add({ kind: "changed", list: "prompts" }));
    client.setNotificationHandler("notifications/resources/list_changed", () => heard.add({ kind: "changed", list: "resources" }));

    const transport =
      link.kind === "memory" ? asOfficial(link.end)
      : link.kind === "http" ? maybeWrapped(new StreamableHTTPClientTransport(new URL(link.url), RECONNECTING), link.wrap)
      : new StdioClientTransport({ command: link.command, args: link.args, stderr: "ignore" });
    // Optional members that are undefined are no difference to them.
    await client.connect(transport as never);
    let logLevel: string | undefined;
    return {
      version: client.getNegotiatedProtocolVersion(),
      server: { info: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() },
      heard,
      // The stateless revision has no `ping`.
      ping: () => (stateless ? client.discover() : client.ping()),
      async list(kind) {
        const result =
          kind === "tools"
            ? await client.listTools()
            : kind === "prompts"
              ? await client.listPrompts()
              : kind === "resources"
                ? await client.listResources()
                : await client.listResourceTemplates();
        return (result as Json)[kind] as Json[]; // named like the kind, in all of them
      },
      call: (name, args, { onProgress, signal } = {}) =>
        client.callTool(
          { name, arguments: args, ...(logLevel === undefined ? {} : { _meta: { "io.modelcontextprotocol/logLevel": logLevel } as never }) },
          { ...(onProgress === undefined ? {} : { onprogress: onProgress }), ...(signal === undefined ? {} : { signal }) },
        ),
      getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
      read: (uri) => client.readResource({ uri }),
      complete: async (ref, name, value) => ({ ...(await client.complete({ ref, argument: { name, value } })).completion }),
      async setLogLevel(level) {
        if (stateless) logLevel = level;
        else await client.setLoggingLevel(level);
      },
      async subscribe(uri) {
        if (stateless) {
          const subscription = await client.listen({ resourceSubscriptions: [uri] });
          return () => subscription.close();
        }
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
      },
      async watchLists() {
        if (!stateless) return async () => {};
        const subscription = await client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
        return () => subscription.close();
      },
      close: () => closeOfficial(client, transport),
    };
  },
};
