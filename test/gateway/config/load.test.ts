import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
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
    const plain = folder.write("plain.ts", 'export default { upstreams: { a: { command: "x" } } } satisfies object;');
    assert.deepEqual((await loadConfig(plain)).config, { upstreams: { a: { command: "x" } } });
  });

  it("that cannot be read or loaded says why", async () => {
    assert.deepEqual(await complaints(loadConfig(join(folder.path, "none.json")), join(folder.path, "none.json"), folder.path), [
      "F: cannot be read: ENOENT: no such file or directory, open 'F'",
    ]);
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
      "F:11:35: /interceptors/2/priorityHint must be a whole number of 32 bits, or { request, response } of such",
      "F:11:51: /interceptors/2/events/0 must be a method, such as tools/call, or tools/* or *",
      "F:11:71: /interceptors/2/hooks must have at least 1 item",
      "F:13:21: /http/port must be a port: a whole number from 0 (any free one) to 65535",
      'F:13:44: /http/allowedHosts must be a list of names, such as ["mcp.example.com"], or "any"',
      "F:14:15: /limits/maxDepht is not known; did you mean maxDepth?",
      "F:14:42: /limits/maxPlans must be at least 1",
    ]);
  });

  it("keeps its secrets where it is wrong", async () => {
    const file = folder.write("secret.json", { upstreams: { a: { url: "${TOKEN}" } }, stdio: "${NONE}" });
    const lines = await complaints(loadConfig(file, { env }), file, folder.path);
    assert.deepEqual(lines.length, 1);
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
