// The server of the matrix, by this package as it is built.
import { elicit, McpServer, memoryEventStore, sample } from "../../../../dist/index.js";
import { listenHttp, stdioTransport } from "../../../../dist/node.js";
import { completeName, completeTopic, form, gate, GREET, isMain, LEVELS, named, prompted } from "./common.mjs";

const object = (properties = {}, required = Object.keys(properties)) => ({ type: "object", properties, required });
const string = { type: "string" };

const askName = (message) => elicit({ message, requestedSchema: form });
const askModel = (prompt) => sample(prompted(prompt));

function build() {
  let cancelled = 0;
  const release = gate();
  const server = new McpServer(
    { name: "matrix", version: "1.0.0" },
    { instructions: "Ask away.", pageSize: 2, capabilities: { logging: {}, tools: { listChanged: true }, prompts: { listChanged: true } } },
  );

  server.tool({ name: "echo", inputSchema: object({ text: string }) }, ({ text }) => text);
  server.tool({ name: "add", inputSchema: object({ a: { type: "number" }, b: { type: "number" } }), outputSchema: object({ sum: { type: "number" } }) }, ({ a, b }) => ({
    structuredContent: { sum: a + b },
  }));
  server.tool({ name: "fail", inputSchema: object() }, () => {
    throw new Error("it broke");
  });
  server.tool({ name: "progress", inputSchema: object({ steps: { type: "integer" } }) }, async ({ steps }, { reportProgress }) => {
    for (let step = 1; step <= steps; step++) {
      await reportProgress(step, steps);
    }
    await release.opened;
    return "done";
  });
  server.tool({ name: "release", inputSchema: object() }, () => {
    release.open();
    return "released";
  });
  server.tool({ name: "slow", inputSchema: object() }, async (_args, { reportProgress, signal }) => {
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await reportProgress(1);
    await aborted;
    cancelled++;
    return "cancelled";
  });
  server.tool({ name: "cancelled", inputSchema: object() }, () => String(cancelled));
  server.tool({ name: "log", inputSchema: object() }, async (_args, { log }) => {
    for (const level of LEVELS) await log(level, `${level} entry`, "matrix");
    return "logged";
  });
  server.tool({ name: "ask_user", inputSchema: object({ message: string }) }, async ({ message }, { ask }) => {
    const { action, content } = await ask(askName(message));
    return action === "accept" ? `Hello ${content.name}` : action;
  });
  server.tool({ name: "ask_model", inputSchema: object({ prompt: string }) }, async ({ prompt }, { ask }) => {
    const { content } = await ask(askModel(prompt));
    return content.text;
  });
  server.tool({ name: "ask_roots", inputSchema: object() }, async (_args, { listRoots }) => named((await listRoots()).roots));
  server.tool({ name: "ask_twice", inputSchema: object({ message: string }) }, async ({ message }, { ask }) => {
    const { content } = await ask(askName(message));
    const said = await ask(askModel(`Greet ${content.name}`));
    return `${content.name}: ${said.content.text}`;
  });
  server.tool({ name: "touch", inputSchema: object({ uri: string }) }, ({ uri }) => {
    server.resourceUpdated(uri);
    return "touched";
  });
  server.tool({ name: "grow", inputSchema: object({ kind: string }) }, ({ kind }) => {
    if (kind === "tools") server.tool({ name: "grown", inputSchema: object() }, () => "grown");
    else if (kind === "prompts") server.prompt({ name: "grown" }, () => "grown");
    else server.resource({ uri: "note://grown", name: "grown" }, () => "grown");
    return "grown";
  });

  server.prompt(
    { name: "greet", arguments: GREET },
    ({ name, mood = "fine" }) => ({ messages: [{ role: "user", content: { type: "text", text: `Hello ${name}, ${mood}` } }] }),
    { complete: { name: completeName } },
  );
  server.prompt({ name: "plain" }, () => "plain");
  server.prompt({ name: "last" }, () => "last");
  server.resource({ uri: "note://one", name: "one", mimeType: "text/plain" }, (uri) => ({ contents: [{ uri, mimeType: "text/plain", text: "a note" }] }));
  server.resource({ uri: "note://two", name: "two", mimeType: "image/png" }, (uri) => ({ contents: [{ uri, mimeType: "image/png", blob: "AAEC/w==" }] }));
  server.resourceTemplate(
    { uriTemplate: "book://{topic}/{page}", name: "book" },
    (uri, { topic, page }) => ({ contents: [{ uri, text: `${topic}, page ${page}` }] }),
    { complete: { topic: completeTopic } },
  );
  return server;
}

export function serve(transport) {
  return build().connect(transport);
}

/** Over HTTP, where one server has all connections; `wrap` gets the transport of each. */
export async function listen(wrap) {
  const server = build();
  const { url, accept, close } = await listenHttp({ eventStore: memoryEventStore(), retryMs: 50, closeGraceMs: 100 });
  const serveAll = async () => {
    for (let transport = await accept(); transport !== undefined; transport = await accept()) server.connect(wrap(transport));
  };
  const served = serveAll();
  return { url, close: () => Promise.all([close(), served]) };
}

if (isMain(import.meta.url)) serve(stdioTransport());
