import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { tap, type WireMessage } from "../official/session.ts";
import { asOfficial, closeOfficial, elicited, firstText, listening, maybeWrapped, offering, RECONNECTING, ROOTS, sampled, type ClientKind, type Json } from "./driver.ts";
import { library } from "./library.ts";

const drained = async (page: (cursor: string | undefined) => Promise<readonly [readonly Json[], string | undefined]>): Promise<Json[]> => {
  const all: Json[] = [];
  let cursor: string | undefined;
  do {
    const [items, next] = await page(cursor);
    all.push(...items);
    cursor = next;
  } while (cursor !== undefined && all.length < 100);
  return all;
};

export const client1x: ClientKind = {
  label: "1.x",
  versions: library.HANDSHAKE_VERSIONS,
  async open(link, version) {
    const heard = listening();
    const client = new Client({ name: "matrix", version: "1.0.0" }, { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      heard.add({ kind: "asked", method: "sampling/createMessage", params });
      return sampled(firstText(params.messages));
    });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      heard.add({ kind: "asked", method: "elicitation/create", params });
      return elicited(params.message);
    });
    client.setRequestHandler(ListRootsRequestSchema, ({ params }) => {
      heard.add({ kind: "asked", method: "roots/list", params });
      return { roots: ROOTS };
    });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, data, logger } }) => heard.add({ kind: "log", level, data, logger }));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => heard.add({ kind: "updated", uri }));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard.add({ kind: "changed", list: "tools" }));
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => heard.add({ kind: "changed", list: "prompts" }));
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => heard.add({ kind: "changed", list: "resources" }));

    const transport =
      link.kind === "memory" ? asOfficial(link.end)
      : link.kind === "http" ? maybeWrapped(new StreamableHTTPClientTransport(new URL(link.url), RECONNECTING), link.wrap)
      : new StdioClientTransport({ command: link.command, args: link.args, stderr: "ignore" });
    const received: WireMessage[] = [];
    offering(transport, version);
    tap(transport, received);
    // Optional members that are undefined are no difference to them.
    await client.connect(transport as never);
    const opened = received[0]?.result as Json | undefined; // the answer to `initialize`
    const more = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });
    return {
      version: opened?.["protocolVersion"],
      server: { info: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() },
      heard,
      ping: () => client.ping(),
      list: (kind) =>
        drained(async (cursor) => {
          const page =
            kind === "tools"
              ? await client.listTools(more(cursor))
              : kind === "prompts"
                ? await client.listPrompts(more(cursor))
                : kind === "resources"
                  ? await client.listResources(more(cursor))
                  : await client.listResourceTemplates(more(cursor));
          return [(page as Json)[kind] as Json[], page.nextCursor]; // named like the kind, in all of them
        }),
      call: (name, args, { onProgress, signal } = {}) =>
        client.callTool({ name, arguments: args }, undefined, {
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
          ...(signal === undefined ? {} : { signal }),
        }),
      getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
      read: (uri) => client.readResource({ uri }),
      complete: async (ref, name, value) => ({ ...(await client.complete({ ref, argument: { name, value } })).completion }),
      async setLogLevel(level) {
        await client.setLoggingLevel(level);
      },
      async subscribe(uri) {
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
      },
      watchLists: async () => async () => {},
      close: () => closeOfficial(client, transport),
    };
  },
};
