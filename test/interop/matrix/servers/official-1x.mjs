// The server of the matrix, by the official SDK of the 1.x line.
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ListPromptsRequestSchema, SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { completeName, completeTopic, form, gate, GREET, isMain, LEVELS, message, named, page, prompted, text } from "./common.mjs";
import { eventStore, listenNode, noSession } from "./http.mjs";

export async function serve(transport) {
  let cancelled = 0;
  const release = gate();
  const subscribed = new Set();
  const server = new McpServer(
    { name: "matrix", version: "1.0.0" },
    { instructions: "Ask away.", capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } } },
  );
  const askName = (question) => server.server.elicitInput({ message: question, requestedSchema: form });
  const askModel = (prompt) => server.server.createMessage(prompted(prompt));
  const reporter = (extra) => (progress, total) =>
    extra.sendNotification({ method: "notifications/progress", params: { progressToken: extra._meta?.progressToken, progress, ...(total === undefined ? {} : { total }) } });

  server.registerTool("echo", { inputSchema: { text: z.string() } }, (args) => text(args.text));
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } }, ({ a, b }) => ({
    ...text(JSON.stringify({ sum: a + b })),
    structuredContent: { sum: a + b },
  }));
  server.registerTool("fail", { inputSchema: {} }, () => {
    throw new Error("it broke");
  });
  server.registerTool("progress", { inputSchema: { steps: z.number() } }, async ({ steps }, extra) => {
    for (let step = 1; step <= steps; step++) {
      await reporter(extra)(step, steps);
    }
    await release.opened;
    return text("done");
  });
  server.registerTool("release", { inputSchema: {} }, () => {
    release.open();
    return text("released");
  });
  server.registerTool("slow", { inputSchema: {} }, async (_args, extra) => {
    const aborted = new Promise((resolve) => extra.signal.addEventListener("abort", resolve, { once: true }));
    await reporter(extra)(1);
    await aborted;
    cancelled++;
    return text("cancelled");
  });
  server.registerTool("cancelled", { inputSchema: {} }, () => text(String(cancelled)));
  server.registerTool("log", { inputSchema: {} }, async (_args, { sessionId }) => {
    for (const level of LEVELS) await server.sendLoggingMessage({ level, data: `${level} entry`, logger: "matrix" }, sessionId);
    return text("logged");
  });
  server.registerTool("ask_user", { inputSchema: { message: z.string() } }, async (args) => {
    const { action, content } = await askName(args.message);
    return text(action === "accept" ? `Hello ${content.name}` : action);
  });
  server.registerTool("ask_model", { inputSchema: { prompt: z.string() } }, async ({ prompt }) => text((await askModel(prompt)).content.text));
  server.registerTool("ask_roots", { inputSchema: {} }, async () => text(named((await server.server.listRoots()).roots)));
  server.registerTool("ask_twice", { inputSchema: { message: z.string() } }, async (args) => {
    const { content } = await askName(args.message);
    const said = await askModel(`Greet ${content.name}`);
    return text(`${content.name}: ${said.content.text}`);
  });
  server.registerTool("touch", { inputSchema: { uri: z.string() } }, async ({ uri }) => {
    if (subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
    return text("touched");
  });
  server.registerTool("grow", { inputSchema: { kind: z.string() } }, ({ kind }) => {
    if (kind === "tools") server.registerTool("grown", { inputSchema: {} }, () => text("grown"));
    else if (kind === "prompts") addPrompt({ name: "grown" }, undefined, () => message("grown"));
    else server.registerResource("grown", "note://grown", {}, (uri) => ({ contents: [{ uri: uri.href, text: "grown" }] }));
    return text("grown");
  });

  const prompts = [];
  const addPrompt = (definition, argsSchema, get) => {
    prompts.push(definition);
    server.registerPrompt(definition.name, argsSchema === undefined ? {} : { argsSchema }, get);
  };
  addPrompt(
    { name: "greet", arguments: GREET },
    { name: completable(z.string(), completeName), mood: z.string().optional() },
    ({ name, mood = "fine" }) => message(`Hello ${name}, ${mood}`),
  );
  addPrompt({ name: "plain" }, undefined, () => message("plain"));
  addPrompt({ name: "last" }, undefined, () => message("last"));
  // The SDK gives every list on one page: this one by hand.
  server.server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
    const { items, next } = page(prompts, params?.cursor);
    return { prompts: items, ...next };
  });

  server.registerResource("one", "note://one", { mimeType: "text/plain" }, (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: "a note" }] }));
  server.registerResource("two", "note://two", { mimeType: "image/png" }, (uri) => ({ contents: [{ uri: uri.href, mimeType: "image/png", blob: "AAEC/w==" }] }));
  server.registerResource(
    "book",
    new ResourceTemplate("book://{topic}/{page}", { list: undefined, complete: { topic: completeTopic } }),
    {},
    (uri, { topic, page }) => ({ contents: [{ uri: uri.href, text: `${topic}, page ${page}` }] }),
  );
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  await server.connect(transport);
  return server;
}

/** Over HTTP, with a server for each session; `wrap` gets the transport of each. */
export function listen(wrap) {
  const sessions = new Map();
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      eventStore: eventStore(),
      retryInterval: 50,
    });
    await serve(wrap(transport));
    return transport;
  };
  return listenNode(
    async (request, response) => {
      const id = request.headers["mcp-session-id"];
      const transport = id === undefined ? await open() : sessions.get(id);
      if (transport === undefined) noSession(response);
      else await transport.handleRequest(request, response);
    },
    () => Promise.all([...sessions.values()].map((transport) => transport.close())),
  );
}

if (isMain(import.meta.url)) await serve(new StdioServerTransport());
