// The server of the matrix, by the official SDK of the 2.x line. It asks its client by incomplete results, in both eras: in a handshake revision
// the SDK turns them into requests.
import {
  completable,
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { completeName, completeTopic, form, gate, GREET, isMain, LEVELS, message, named, page, prompted, text } from "./common.mjs";
import { eventStore, listenWeb, NO_SESSION } from "./http.mjs";

const askName = (question, more) => inputRequired({ inputRequests: { user: inputRequired.elicit({ message: question, requestedSchema: form }) }, ...more });
const askModel = (prompt, more) =>
  inputRequired({ inputRequests: { model: inputRequired.createMessage(prompted(prompt)) }, ...more });

/** What outlives a server of the SDK: over HTTP it makes one for each stateless request. `notify` is then how its listeners hear of changes. */
const newState = (notify) => ({ cancelled: 0, release: gate(), subscribed: new Set(), grown: new Set(), notify });

function build(state = newState()) {
  const { release, subscribed, grown, notify } = state;
  const server = new McpServer(
    { name: "matrix", version: "1.0.0" },
    { instructions: "Ask away.", capabilities: { logging: {}, tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
  );
  const reporter = ({ mcpReq }) => (progress, total) =>
    mcpReq.notify({ method: "notifications/progress", params: { progressToken: mcpReq._meta?.progressToken, progress, ...(total === undefined ? {} : { total }) } });

  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, (args) => text(args.text));
  server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) }, ({ a, b }) => ({
    ...text(JSON.stringify({ sum: a + b })),
    structuredContent: { sum: a + b },
  }));
  server.registerTool("fail", { inputSchema: z.object({}) }, () => {
    throw new Error("it broke");
  });
  server.registerTool("progress", { inputSchema: z.object({ steps: z.number() }) }, async ({ steps }, context) => {
    for (let step = 1; step <= steps; step++) {
      await reporter(context)(step, steps);
    }
    await release.opened;
    return text("done");
  });
  server.registerTool("release", { inputSchema: z.object({}) }, () => {
    release.open();
    return text("released");
  });
  server.registerTool("slow", { inputSchema: z.object({}) }, async (_args, context) => {
    const aborted = new Promise((resolve) => context.mcpReq.signal.addEventListener("abort", resolve, { once: true }));
    await reporter(context)(1);
    await aborted;
    state.cancelled++;
    return text("cancelled");
  });
  server.registerTool("cancelled", { inputSchema: z.object({}) }, () => text(String(state.cancelled)));
  server.registerTool("log", { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    for (const level of LEVELS) await mcpReq.log(level, `${level} entry`, "matrix");
    return text("logged");
  });
  server.registerTool("ask_user", { inputSchema: z.object({ message: z.string() }) }, (args, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.user;
    if (answer === undefined) return askName(args.message);
    return text(answer.action === "accept" ? `Hello ${answer.content.name}` : answer.action);
  });
  server.registerTool("ask_model", { inputSchema: z.object({ prompt: z.string() }) }, ({ prompt }, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.model;
    return answer === undefined ? askModel(prompt) : text(answer.content.text);
  });
  server.registerTool("ask_roots", { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.roots;
    if (answer === undefined) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    return text(named(answer.roots));
  });
  server.registerTool("ask_twice", { inputSchema: z.object({ message: z.string() }) }, (args, { mcpReq }) => {
    const { user, model } = mcpReq.inputResponses ?? {};
    if (model !== undefined) return text(`${mcpReq.requestState()}: ${model.content.text}`);
    return user === undefined ? askName(args.message) : askModel(`Greet ${user.content.name}`, { requestState: user.content.name });
  });
  server.registerTool("touch", { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }, { mcpReq }) => {
    // In the stateless era the SDK knows who listens.
    if (notify !== undefined) notify().resourceUpdated(uri);
    else if (mcpReq.envelope !== undefined || subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
    return text("touched");
  });
  const grow = (kind) => {
    if (kind === "tools") server.registerTool("grown", { inputSchema: z.object({}) }, () => text("grown"));
    else if (kind === "prompts") addPrompt({ name: "grown" }, undefined, () => message("grown"));
    else server.registerResource("grown", "note://grown", {}, (uri) => ({ contents: [{ uri: uri.href, text: "grown" }] }));
  };
  server.registerTool("grow", { inputSchema: z.object({ kind: z.string() }) }, ({ kind }) => {
    if (notify === undefined) grow(kind);
    else {
      grown.add(kind);
      notify()[`${kind}Changed`]();
    }
    return text("grown");
  });

  const prompts = [];
  const addPrompt = (definition, argsSchema, get) => {
    prompts.push(definition);
    server.registerPrompt(definition.name, argsSchema === undefined ? {} : { argsSchema }, get);
  };
  addPrompt(
    { name: "greet", arguments: GREET },
    z.object({ name: completable(z.string(), completeName), mood: z.string().optional() }),
    ({ name, mood = "fine" }) => message(`Hello ${name}, ${mood}`),
  );
  addPrompt({ name: "plain" }, undefined, () => message("plain"));
  addPrompt({ name: "last" }, undefined, () => message("last"));
  // The SDK gives every list on one page: this one by hand.
  server.server.setRequestHandler("prompts/list", ({ params }) => {
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
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  for (const kind of grown) grow(kind);
  return server;
}

/** Serves both eras; over the process's own streams without a transport. */
export function serve(transport) {
  return serveStdio(() => build(), transport === undefined ? {} : { transport });
}

/** Over HTTP: the SDK's own handler for 2026-07-28, and a server for each session of older revisions, whose transport `wrap` gets. */
export function listen(wrap) {
  const state = newState(() => handler.notify);
  const handler = createMcpHandler(() => build(state), { legacy: "reject" });
  const sessions = new Map();
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      eventStore: eventStore(),
      retryInterval: 50,
    });
    await build().connect(wrap(transport));
    return transport;
  };
  return listenWeb(
    async (request) => {
      if (!(await isLegacyRequest(request))) return handler.fetch(request);
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await open() : sessions.get(id);
      return transport === undefined ? Response.json(NO_SESSION, { status: 404 }) : transport.handleRequest(request);
    },
    () => Promise.all([handler.close(), ...[...sessions.values()].map((transport) => transport.close())]),
  );
}

if (isMain(import.meta.url)) serve();
