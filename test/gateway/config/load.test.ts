import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { importFresh } from "../../../src/node/load-module.ts";
import { readyMade } from "../../../src/library/catalog.ts";
import schema from "../../../spec/gateway.schema.json" with { type: "json" };
import { complaints, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const env = { TOKEN: "s3cret-token", PORT: "8080" };
const wrong = (name: string, content: string | object) => {
  const file = folder.write(name, content);
  return complaints(loadConfig(file, { env }), file, folder.path);
};

describe("a configuration", () => {
  it("is read from JSON with comments, with what it refers to in its place", async () => {
    const file = folder.write(
      "gateway.jsonc",
      `{
  // one upstream
  "upstreams": { "crm": { "url": "https://crm.example/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" }, "allow": { "claim": "role", "equals": "ops" } } },
  "interceptors": [{ "use": "redact", "when": { "tool": "x" }, "overrides": { "a/b": { "when": { "phase": "request" } } } }],
  "http": { "port": "\${PORT}" },
}`,
    );
    const { config, conditions, secrets, files } = await loadConfig(file, { env });
    assert.equal(config.upstreams["crm"]?.headers?.["Authorization"], "Bearer s3cret-token");
    assert.equal(config.http?.port, "8080");
    assert.deepEqual([...conditions.keys()], ["/upstreams/crm/allow", "/interceptors/0/when", "/interceptors/0/overrides/a~1b/when"]);
    assert.equal(secrets.hide("x s3cret-token"), "x ***");
    assert.deepEqual(files, [file]);
  });

  it("is taken from a module, as it is or from a function, anew when the file has changed", async () => {
    const config = (name: string) => `export default () => Promise.resolve({ upstreams: { ${name}: { command: "x", args: ["\${TOKEN}"] } } });`;
    const file = folder.write("gateway.config.mjs", config("first"));
    assert.deepEqual((await loadConfig(file, { env })).config.upstreams, { first: { command: "x", args: ["s3cret-token"] } });
    folder.write("gateway.config.mjs", config("second"));
    utimesSync(file, 1, 1);
    assert.deepEqual(Object.keys((await loadConfig(file, { env })).config.upstreams), ["second"]);
    const plain = folder.write("plain.mts", 'export default { upstreams: { a: { command: "x" } } } satisfies object;');
    assert.deepEqual((await loadConfig(plain)).config, { upstreams: { a: { command: "x" } } });
  });

  it("that cannot be read or loaded says why", async () => {
    assert.deepEqual(await complaints(loadConfig(join(folder.path, "none.json")), join(folder.path, "none.json"), folder.path), [
      "F: cannot be read: there is no such file",
    ]);
    assert.deepEqual(await complaints(loadConfig(folder.path), folder.path, folder.path), ["F: is a folder; name the file in it"]);
    if (process.platform !== "win32") {
      const pipe = join(folder.path, "pipe.json");
      execFileSync("mkfifo", [pipe, join(folder.path, "pipe.mjs")]);
      assert.deepEqual(await complaints(loadConfig(pipe), pipe, folder.path), ["F: is a pipe, and no regular file"]);
      assert.deepEqual(await complaints(loadConfig("/dev/zero"), "/dev/zero", folder.path), ["F: is a device, and no regular file"]);
      const module = join(folder.path, "pipe.mjs");
      assert.deepEqual(await complaints(loadConfig(module), module, folder.path), ["F: is a pipe, and no regular file"]);
      // By another module's name, which nobody has looked at before.
      await assert.rejects(importFresh(module), { code: "invalid_argument", message: `${module} is a pipe, and no module` });
    }
    const latin = join(folder.path, "latin.json");
    writeFileSync(latin, Buffer.from('{\n  "upstreams": { "caf\xe9": {} } }', "latin1"));
    assert.deepEqual(await complaints(loadConfig(latin), latin, folder.path), ["F:2:22: this is no text in UTF-8; save the file as UTF-8"]);
    assert.deepEqual(await wrong("bad.json", '{\n  "upstreams" {}\n}'), ["F:2:15: /upstreams a comma or a colon is missing before this"]);
    assert.deepEqual(await wrong("list.json", "[]"), ['F:1:1: must be an object with the member "upstreams"']);
    assert.deepEqual(await wrong("none.mjs", "export const config = {};"), [
      "F: cannot be used: it has no default export; export the configuration, or a function that gives it",
    ]);
    assert.match((await wrong("throws.mjs", "export default () => { throw new TypeError('boom'); };"))[0] ?? "", /^F: cannot be used: boom$/);
  });

  it("that does not fit is told in full: file, line, column, pointer, what is wrong, and the nearest right name", async () => {
    const text = `{
  "upstreams": {
    "files": { "comand": "npx" },
    "a b": { "command": "x", "url": "https://x" },
    "crm": { "args": [], "url": "ftp://crm" }
  },
  "interceptor": [],
  "interceptors": [
    { "use": "redact", "mode": "aktiv", "when": { "tol": "x" }, "overrides": { "x": { "failopen": true } } },
    {},
    { "use": "x", "priorityHint": 1.5, "events": ["tools*"], "hooks": [] }
  ],
  "http": { "port": "80x", "allowedHosts": "mcp.example" },
  "limits": { "maxDepht": 3, "maxPlans": 0 },
}`;
    assert.deepEqual(await wrong("wrong.jsonc", text), [
      "F:3:16: /upstreams/files/comand is not known; did you mean command?",
      "F:4:5: /upstreams/a b must be a letter or digit and up to 63 more, dots, hyphens or underscores: it becomes a part of the path",
      "F:4:12: /upstreams/a b needs one of command, url and module, and no more than one",
      'F:5:12: /upstreams/crm must have the member "command" beside "args"',
      "F:5:33: /upstreams/crm/url must be a URL that begins with http:// or https://",
      "F:7:3: /interceptor is not known; did you mean interceptors?",
      'F:9:32: /interceptors/0/mode must be one of "active", "audit"',
      "F:9:51: /interceptors/0/when/tol is no part of a condition; did you mean tool?",
      "F:9:87: /interceptors/0/overrides/x/failopen is not known; did you mean failOpen?",
      "F:10:5: /interceptors/1 needs one of use, module, command and url, and no more than one",
      `F:11:14: /interceptors/2/use is no ready-made interceptor; known are ${[...readyMade.keys()].join(", ")}`,
      "F:11:35: /interceptors/2/priorityHint must be a whole number of 32 bits, or { request, response } of such",
      "F:11:51: /interceptors/2/events/0 must be a method, such as tools/call, or tools/* or *",
      "F:11:71: /interceptors/2/hooks must have at least 1 item",
      "F:13:21: /http/port must be a port: a whole number from 0 (any free one) to 65535",
      'F:13:44: /http/allowedHosts must be a list of names, such as ["mcp.example.com"], or "any"',
      "F:14:15: /limits/maxDepht is not known; did you mean maxDepth?",
      "F:14:42: /limits/maxPlans must be at least 1",
    ]);
  });

  it("that is wrong in many ways is told of all of them at once: text, references, schema, names, configs, modules", async () => {
    const text = `{
  "upstreams": { "files": { 'command': "node" "args": [], "arg": 1 }, "own": { "module": "./lost.mjs" } },
  "interceptors": [
    { "use": "redct" }
    { "use": "redact",, "mode": "audit", "mode": "active" },
    { "use": "tool-filter", "config": { "deny": 5 }, "failopen": true },
    { "use": "redact", "config": { "replacement": "\${NONE}" }, "upstreams": ["fiels"] },
    { "module": "./gone.mjs", "when": { "tol": "x" } },
    { "use": "rate-limit", "config": { "perMinute": 1, "scope": "principal" } }
  ],
  "http": { "port": 70000 }
}`;
    assert.deepEqual(await wrong("many.jsonc", text), [
      "F:2:29: /upstreams/files texts take double quotes",
      "F:2:47: /upstreams/files/command a comma or a colon is missing before this",
      "F:2:59: /upstreams/files/arg is not known; did you mean args?",
      "F:2:90: /upstreams/own/module names a file that is not there: ./lost.mjs",
      "F:4:14: /interceptors/0/use is no ready-made interceptor; did you mean redact?",
      "F:5:5: /interceptors/0 a comma is missing before this",
      'F:5:23: /interceptors/1 "," cannot stand here',
      "F:5:42: /interceptors/1/mode this name stands twice in one object; keep one of the two",
      "F:6:5: /interceptors/2 config of tool-filter: deny must be a list of strings",
      "F:6:54: /interceptors/2/failopen is not known; did you mean failOpen?",
      "F:7:51: /interceptors/3/config/replacement needs the environment variable NONE, which is not set; set it, or give a default as in ${NONE:-default}",
      "F:7:78: /interceptors/3/upstreams/0 is no upstream; did you mean files?",
      "F:8:17: /interceptors/4/module names a file that is not there: ./gone.mjs",
      "F:8:41: /interceptors/4/when/tol is no part of a condition; did you mean tool?",
      "F:11:21: /http/port must be a port: a whole number from 0 (any free one) to 65535",
    ]);
    // Who may come in is not known, so who has a principal is not either; and what is made up to read on is not judged.
    assert.deepEqual(await wrong("auth.json", { upstreams: { a: { command: "x" } }, interceptors: [{ use: "rate-limit", config: { scope: "principal" } }], http: {}, auth: { tokns: [] } }).then((lines) => lines.map((line) => line.replace(/^F:[\d:]+ /, ""))), [
      "/auth/tokns is not known; did you mean tokens?",
    ]);
    assert.deepEqual(await wrong("bare.json", "{ upstreams: yes,\n  'more': 1e999 }"), [
      "F:1:3: names of members take double quotes",
      "F:1:14: texts take double quotes; other words are true, false and null",
      "F:2:3: texts take double quotes",
      "F:2:11: /more this number is too large",
    ]);
  });

  it("that ends too early is told of all the same, and so are modules that are no JavaScript", async () => {
    folder.write("broken.mjs", "export const x = {\n");
    folder.write("sound.mjs", "process.exit(7);\n");
    const body = `{
  "upstreams": { "files": { "command": "node", "arg": 1 } },
  "interceptors": [
    { "module": "./broken.mjs" },
    { "module": "./sound.mjs" },
    { "use": "redct" }
  ]`;
    const told = [
      "F:2:48: /upstreams/files/arg is not known; did you mean args?",
      "F:4:17: /interceptors/0/module names a file that cannot be loaded: Unexpected end of input (line 2)",
      "F:6:14: /interceptors/2/use is no ready-made interceptor; did you mean redact?",
    ];
    const early = "the file ends too early: a bracket, a brace or a quote is not closed";
    assert.deepEqual(await wrong("early.jsonc", `${body}\n`), [...told, `F:8:1: ${early}`]);
    assert.deepEqual(await wrong("comma.jsonc", `${body},\n// more to come\n`), [...told, `F:9:1: ${early}`]);
    // One that is missing in the middle moves all behind it to where nobody has written it.
    assert.deepEqual(await wrong("middle.jsonc", '{\n  "upstreams": {\n    "a": { "command": "x" }\n  ,\n  "interceptors": []\n}\n'), [`F:7:1: ${early}`]);
    assert.deepEqual(await wrong("inner.jsonc", '{ "upstreams": { "a": { "args": ["x", ['), [`F:1:40: /upstreams/a/args/1 ${early}`]);
  });

  it("keeps its secrets where it is wrong", async () => {
    const file = folder.write("secret.json", { upstreams: { a: { url: "${TOKEN}" } }, stdio: "${NONE}" });
    const lines = await complaints(loadConfig(file, { env }), file, folder.path);
    assert.deepEqual(lines.length, 2);
    assert.doesNotMatch(lines.join(), /s3cret/);
  });
});

describe("the schema of the configuration", () => {
  it("names the limits that there are", () => {
    assert.deepEqual(Object.keys(schema.$defs.Limits.properties), Object.keys(DEFAULT_LIMITS));
  });

  it("describes what an editor completes", () => {
    const bare: string[] = [];
    const visit = (value: unknown, path: string) => {
      if (!isObject(value)) return;
      const { properties } = value;
      if (isObject(properties) && !path.endsWith("/Limits")) {
        for (const [name, property] of Object.entries(properties)) {
          const target = isObject(property) && typeof property["$ref"] === "string" ? (schema.$defs as Record<string, object>)[property["$ref"].slice(8)] : undefined;
          if (![property, target].some((one) => isObject(one) && typeof one["description"] === "string")) bare.push(`${path}/${name}`);
        }
      }
      for (const [name, inner] of Object.entries(value)) visit(inner, `${path}/${name}`);
    };
    visit(schema, "");
    // Their names say it, or the member that they stand in.
    assert.deepEqual(bare.filter((path) => !/\/(?:phase|events|request|response)$/.test(path)), []);
  });
});
