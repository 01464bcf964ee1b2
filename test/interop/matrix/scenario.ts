// What is asked of every pair, and what has to come of it. Each feature is one column of the table.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { textOf, type Heard, type Json, type MatrixClient, type Progress } from "./driver.ts";

export interface Feature {
  readonly name: string;
  /** The first revision that has it; all by default. */
  readonly since?: string;
  run(client: MatrixClient, version: string): Promise<unknown>;
}

const kindIs = (kind: Heard["kind"], rest: Json = {}) => (what: Heard) =>
  what.kind === kind && Object.entries(rest).every(([name, value]) => (what as Json)[name] === value);
const names = (items: readonly Json[], member = "name") => items.map((item) => item[member]);

/** A call that asks the client something: the answer has come back, and the client has been asked, `methods` in this order. */
async function asks(client: MatrixClient, tool: string, args: Json, expected: string, methods: readonly string[]): Promise<void> {
  const from = client.heard.all.length;
  assert.equal(textOf(await client.call(tool, args)), expected);
  assert.deepEqual(client.heard.all.slice(from).flatMap((what) => (what.kind === "asked" ? [what.method] : [])), methods);
}

export const FEATURES: readonly Feature[] = [
  {
    name: "lifecycle",
    async run(client, version) {
      assert.equal(client.version, version);
      const { info, capabilities, instructions } = client.server;
      const { name, version: own } = info as Json;
      assert.deepEqual({ name, own }, { name: "matrix", own: "1.0.0" });
      assert.equal(instructions, "Ask away.");
      const { tools, prompts, resources, logging } = capabilities as Record<string, Json | undefined>;
      assert.deepEqual([tools?.["listChanged"], prompts?.["listChanged"], resources?.["subscribe"], resources?.["listChanged"], typeof logging], [true, true, true, true, "object"]);
      await client.ping();
    },
  },
  {
    name: "lists",
    async run(client) {
      const tools = await client.list("tools");
      const expected = ["echo", "add", "fail", "progress", "release", "slow", "cancelled", "log", "ask_user", "ask_model", "ask_roots", "ask_twice", "touch", "grow"];
      assert.deepEqual(names(tools), expected);
      assert.deepEqual(((tools[0]?.["inputSchema"] as Json)["properties"] as Json)["text"], { type: "string" });
      assert.deepEqual(names(await client.list("prompts")), ["greet", "plain", "last"]);
      assert.deepEqual(names(await client.list("resources"), "uri"), ["note://one", "note://two"]);
      assert.deepEqual(names(await client.list("resourceTemplates"), "uriTemplate"), ["book://{topic}/{page}"]);
    },
  },
  {
    name: "call",
    async run(client, version) {
      const odd = 'quotes " and \\, a line\nend, \u2028, 😀, NUL \u0000';
      assert.deepEqual((await client.call("echo", { text: odd }))["content"], [{ type: "text", text: odd }]);
      const sum = await client.call("add", { a: 0.1, b: 1e21 });
      assert.deepEqual(JSON.parse(String(textOf(sum))), { sum: 1e21 });
      if (version >= "2025-06-18") assert.deepEqual(sum["structuredContent"], { sum: 1e21 });
      const failed = await client.call("fail", {});
      assert.deepEqual([failed["isError"], textOf(failed)], [true, "it broke"]);
      // Some make an error of it, others a result that is one.
      const refused = await client.call("no_such_tool", {}).then(({ isError }) => isError, () => true);
      assert.equal(refused, true);
    },
  },
  {
    name: "read",
    async run(client) {
      const read = async (uri: string) => (await client.read(uri))["contents"];
      assert.deepEqual(await read("note://one"), [{ uri: "note://one", mimeType: "text/plain", text: "a note" }]);
      assert.deepEqual(await read("note://two"), [{ uri: "note://two", mimeType: "image/png", blob: "AAEC/w==" }]);
      assert.deepEqual(await read("book://birds/7"), [{ uri: "book://birds/7", text: "birds, page 7" }]);
      await assert.rejects(client.read("note://none"));
    },
  },
  {
    name: "prompt",
    async run(client) {
      const get = async (name: string, args?: Record<string, string>) => (await client.getPrompt(name, args))["messages"];
      assert.deepEqual(await get("greet", { name: "Ada", mood: "well" }), [{ role: "user", content: { type: "text", text: "Hello Ada, well" } }]);
      assert.deepEqual(await get("plain"), [{ role: "user", content: { type: "text", text: "plain" } }]);
      await assert.rejects(client.getPrompt("greet", {}));
      await assert.rejects(client.getPrompt("none"));
    },
  },
  {
    name: "completion",
    async run(client) {
      const prompt = await client.complete({ type: "ref/prompt", name: "greet" }, "name", "a");
      assert.deepEqual(prompt["values"], ["Ada", "Alan"]);
      const template = await client.complete({ type: "ref/resource", uri: "book://{topic}/{page}" }, "topic", "b");
      assert.deepEqual(template["values"], ["birds", "bees"]);
    },
  },
  {
    name: "progress",
    async run(client) {
      const told: unknown[] = [];
      let released: Promise<unknown> | undefined;
      // Official clients lose what arrives in one read with the answer, which therefore waits until all has been heard.
      const onProgress = ({ progress, total }: Progress) => {
        if (told.push([progress, total]) === 3) released = client.call("release", {});
      };
      const result = await client.call("progress", { steps: 3 }, { onProgress });
      await released;
      assert.equal(textOf(result), "done");
      assert.deepEqual(told, [[1, 3], [2, 3], [3, 3]]);
    },
  },
  {
    name: "cancel",
    async run(client) {
      const controller = new AbortController();
      // The first progress tells that the server is at it.
      const call = client.call("slow", {}, { signal: controller.signal, onProgress: () => controller.abort("not wanted any more") });
      await assert.rejects(call);
      // Over HTTP it is the end of another connection that cancels.
      let seen: unknown;
      for (let look = 0; look < 50 && seen !== "1"; look++) {
        if (look > 0) await pause(20);
        seen = textOf(await client.call("cancelled", {}));
      }
      assert.equal(seen, "1");
    },
  },
  {
    name: "logging",
    async run(client, version) {
      const logs = () => client.heard.all.filter(kindIs("log")).length;
      // Without a level a stateless request wants none.
      if (version >= "2026") {
        assert.equal(textOf(await client.call("log", {})), "logged");
        assert.equal(logs(), 0);
      }
      await client.setLogLevel("warning");
      assert.equal(textOf(await client.call("log", {})), "logged");
      await client.heard.until(2, kindIs("log"));
      assert.deepEqual(client.heard.all.filter(kindIs("log")), [
        { kind: "log", level: "warning", data: "warning entry", logger: "matrix" },
        { kind: "log", level: "error", data: "error entry", logger: "matrix" },
      ]);
    },
  },
  {
    name: "sampling",
    run: (client) => asks(client, "ask_model", { prompt: "hm é 😀" }, 'said to "hm é 😀"', ["sampling/createMessage"]),
  },
  {
    name: "elicitation",
    since: "2025-06-18",
    async run(client) {
      await asks(client, "ask_user", { message: "Who are you?" }, "Hello Ada", ["elicitation/create"]);
      await asks(client, "ask_user", { message: "Decline, please" }, "decline", ["elicitation/create"]);
      await asks(client, "ask_twice", { message: "Who are you?" }, 'Ada: said to "Greet Ada"', ["elicitation/create", "sampling/createMessage"]);
    },
  },
  {
    name: "roots",
    run: (client) => asks(client, "ask_roots", {}, "root=file:///tmp/root", ["roots/list"]),
  },
  {
    name: "subscribe",
    async run(client) {
      const updates = kindIs("updated");
      await client.call("touch", { uri: "note://one" });
      const end = await client.subscribe("note://one");
      await client.call("touch", { uri: "note://two" });
      await client.call("touch", { uri: "note://one" });
      await client.heard.until(1, updates);
      await end();
      await client.call("touch", { uri: "note://one" });
      await client.ping();
      assert.deepEqual(client.heard.all.filter(updates), [{ kind: "updated", uri: "note://one" }]);
    },
  },
  {
    name: "list_changed",
    async run(client) {
      const end = await client.watchLists();
      for (const list of ["tools", "prompts", "resources"] as const) {
        assert.equal(textOf(await client.call("grow", { kind: list })), "grown");
        await client.heard.until(1, kindIs("changed", { list }));
        assert.equal(names(await client.list(list)).at(-1), "grown");
      }
      await end();
    },
  },
  {
    name: "end",
    async run(client) {
      await client.close();
      await assert.rejects(client.ping());
    },
  },
];
