import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { INTERCEPTOR_SPELLINGS } from "../../../src/core/wire/dialects.ts";
import { misspeltParam, strangeMember } from "../../../src/core/wire/members.ts";
import { METHODS } from "../../../src/core/wire/methods.ts";

const spec = new URL("../../../spec/", import.meta.url);
type Schema = { $defs: Record<string, { properties?: Record<string, unknown> }> };

test("every request of MCP and of SEP-2624 is known, with every param that a schema names", () => {
  const requests = [...METHODS].filter(([, { kind }]) => kind === "request").map(([name]) => name);
  for (const method of [...requests, ...INTERCEPTOR_SPELLINGS.list, ...INTERCEPTOR_SPELLINGS.invoke]) {
    assert.equal(misspeltParam(method, { NAME: 1 }), "NAME", method);
  }
  const notParams = /^(?:Progress|Cancelled|LogMessage|ResourceUpdated|ElicitationComplete|SubscriptionAcknowledged|TaskStatus)Params$/;
  for (const file of readdirSync(spec).filter((name) => name.endsWith(".schema.json"))) {
    const { $defs } = JSON.parse(readFileSync(new URL(file, spec), "utf8")) as Schema;
    for (const [name, { properties = {} }] of Object.entries($defs)) {
      if (!name.endsWith("Params") || notParams.test(name)) continue;
      for (const member of Object.keys(properties)) {
        const other = member.toUpperCase() === member ? member.toLowerCase() : member.toUpperCase();
        assert.equal(misspeltParam("tools/call", { [other]: 1 }), other, `${name}/${member}`);
        assert.equal(misspeltParam("tools/call", { [member]: 1 }), undefined, `${name}/${member}`);
      }
    }
  }
});

test("the members of JSON-RPC are no strangers", () => {
  assert.equal(strangeMember({ jsonrpc: 1, id: 1, method: 1, params: 1, result: 1, error: 1 }), undefined);
  assert.equal(strangeMember({ jsonrpc: 1, ID: 1 }), "ID");
});
