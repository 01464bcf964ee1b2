import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { complaints, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const refused = (name: string, text: string) => {
  const file = folder.write(name, text);
  return complaints(loadConfig(file, { env: {} }), file, folder.path);
};

describe("a configuration in YAML", () => {
  it("names the package that reads it where that is not there", async () => {
    assert.deepEqual(await refused("gateway.yaml", "upstreams: {}"), [
      "F: is YAML, which takes the package yaml: npm install yaml, or write the file as JSON with comments",
    ]);
  });

  it("is read by the package beside it, with the places of what is wrong", async () => {
    // The part of the package that is used, for documents that are JSON: each value's range is where its text stands.
    folder.write("sub/node_modules/yaml/package.json", { name: "yaml", version: "2.0.0", main: "index.js" });
    folder.write(
      "sub/node_modules/yaml/index.js",
      `exports.parseDocument = (text, options) => {
  if (text.includes("@")) return { errors: [...text.matchAll(/@/g)].map(({ index }) => ({ message: "no @ here", pos: [index, 0] })) };
  const nodeOf = (value) => ({ range: [text.indexOf(JSON.stringify(value)), 0, 0] });
  const value = JSON.parse(text);
  return {
    errors: [], contents: nodeOf(value), toJS: ({ maxAliasCount }) => ({ ...value, drainMs: maxAliasCount, upstreams: { a: { ...value.upstreams.a, args: [options.version, options.schema, String(options.uniqueKeys)] } } }),
    getIn(path, keep) { let at = value; for (const step of path) at = at?.[step]; return keep && at !== undefined ? nodeOf(at) : undefined; },
  };
};`,
    );
    const file = folder.write("sub/gateway.yml", '{"upstreams":{"a":{"command":"${A:-x}"}}}');
    assert.deepEqual((await loadConfig(file, { env: {} })).config, { upstreams: { a: { command: "x", args: ["1.2", "core", "true"] } }, drainMs: 100 });
    assert.deepEqual(await refused("sub/wrong.yaml", '{"upstreams":{"a":{"command":"x"}},\n"stdio":7,"drainMs":1}'), ["F:2:9: /stdio must be a string"]);
    assert.deepEqual(await refused("sub/broken.yaml", "upstreams:\n  @"), ["F:2:3: is no YAML here: no @ here"]);
    assert.deepEqual(await refused("sub/more.yaml", "a: @\nb: @"), ["F:1:4: is no YAML here: no @ here", "F:2:4: is no YAML here: no @ here"]);
    assert.match((await refused("sub/thrown.yaml", "{")).join(), /^F: cannot be read as YAML: .+/);
  });
});
