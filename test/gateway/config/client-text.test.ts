import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { replaceEntries } from "../../../src/gateway/config/client-text.ts";

const NEW = new Map<string, JsonObject>([["a", { command: "g", args: ["x"] }]]);

describe("a client's file with other entries", () => {
  it("keeps all else to the character: the mark at its begin, comments, commas, line ends and tabs", () => {
    const text = '\ufeff// mine\r\n{\r\n\t"n": 1.10, /* c */\r\n\t"servers": {\r\n\t\t"a": { "command": "s" }, // first\r\n\t\t"b": {"command":"t",},\r\n\t},\r\n}';
    const entry = '{\r\n\t\t\t"command": "g",\r\n\t\t\t"args": [\r\n\t\t\t\t"x"\r\n\t\t\t]\r\n\t\t}';
    assert.deepEqual(replaceEntries(text, "servers", NEW), { text: text.replace('{ "command": "s" }', entry), uncommented: [] });
  });

  it("stays in one line where it is in one, and takes any order and any names", () => {
    const text = '{"servers":{"x/y~":{"command":"s"},"a":{"command":"t"}}}';
    const { text: edited } = replaceEntries(text, "servers", new Map([["a", { command: "2" }], ["x/y~", { command: "1" }]]));
    assert.equal(edited, '{"servers":{"x/y~":{"command":"1"},"a":{"command":"2"}}}');
  });

  it("names the servers whose comments are gone", () => {
    const entries = new Map<string, JsonObject>([...NEW, ["b", { command: "g" }], ["c", { command: "g" }]]);
    const { uncommented } = replaceEntries('{"servers":{"a":{"command":"//s",},"b":{/* why */"command":"s"},"c":{"command":"s"// why\n}}}', "servers", entries);
    assert.deepEqual(uncommented, ["b", "c"]);
  });
});
