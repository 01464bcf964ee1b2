import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotate, type AnnotateConfig } from "../../src/library/annotate.ts";
import { invoke } from "./invoke.ts";

function run(config: AnnotateConfig, phase: "request" | "response", payload: unknown, event = "tools/call"): unknown {
  const result = invoke(annotate(config), { event, phase, payload }) as unknown as { modified: boolean; payload: unknown };
  return result.modified ? result.payload : "unchanged";
}

describe("annotate", () => {
  it("adds members to the _meta of requests, or of results, and takes the place of what is there", () => {
    const config = { request: { "com.example/team": "a" }, response: { "com.example/policy": 7 } };
    assert.deepEqual(run(config, "request", { name: "t", _meta: { progressToken: 1, "com.example/team": "forged" } }), { name: "t", _meta: { progressToken: 1, "com.example/team": "a" } });
    assert.deepEqual(run(config, "response", { content: [] }), { content: [], _meta: { "com.example/policy": 7 } });
  });

  it("adds hints to the tools that fit, of several rules all", () => {
    const tools = [{ name: "delete_x", annotations: { title: "X", readOnlyHint: true } }, { name: "get" }, { name: 5 }];
    const config = { tools: { "delete_*": { destructiveHint: true, readOnlyHint: false }, "*": { openWorldHint: false } } };
    assert.deepEqual(run(config, "response", { tools }, "tools/list"), {
      tools: [{ name: "delete_x", annotations: { title: "X", readOnlyHint: false, destructiveHint: true, openWorldHint: false } }, { name: "get", annotations: { openWorldHint: false } }, { name: 5 }],
    });
  });

  it("changes nothing without a rule, and nothing that is not of the shape that MCP gives it", () => {
    assert.equal(run({}, "request", { name: "t" }), "unchanged");
    assert.equal(run({ request: { "com.example/a": 1 } }, "response", { content: [] }), "unchanged");
    assert.equal(run({ request: { "com.example/a": 1 } }, "request", { _meta: 5 }), "unchanged");
    assert.equal(run({ request: { "com.example/a": 1 } }, "request", [1], "x/y"), "unchanged");
    assert.equal(run({ tools: { a: {} } }, "response", { tools: "none" }, "tools/list"), "unchanged");
  });

  it("refuses the protocol's own members, and hints that MCP does not have", () => {
    const wrong: [object, string][] = [
      [{ request: { progressToken: 1 } }, "request.progressToken"], [{ response: { "io.modelcontextprotocol/x": 1 } }, "response.io.modelcontextprotocol/x"], [{ request: [] }, "request"],
      [{ tools: { a: { readOnly: true } } }, "tools.a.readOnly"], [{ tools: { a: { readOnlyHint: 1 } } }, "tools.a.readOnlyHint"], [{ tools: { "a*b": {} } }, "tools.a\\*b"], [{ tools: { a: 1 } }, "tools.a"],
    ];
    for (const [config, place] of wrong) assert.throws(() => annotate(config), { code: "invalid_argument", message: new RegExp(`^config of annotate: ${place} `) });
  });
});
