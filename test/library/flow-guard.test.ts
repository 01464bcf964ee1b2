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

  it("knows what a server has said encoded, once it is sent plain", () => {
    const { at } = rig();
    at("crm").read(Buffer.from(REPORT).toString("base64"));
    assert.equal(at("mail").send({ body: REPORT }).passes, false);
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

  it("knows the text of a resource that is given as bytes, and leaves other bytes alone", () => {
    const { guard, at } = rig();
    const read = (bytes: Buffer, server = "crm") => invoke(guard, { event: "resources/read", phase: "response", payload: { contents: [{ uri: "crm://report", blob: bytes.toString("base64") }] }, config: { server }, context: ada });
    const binary = Buffer.concat([Buffer.from(Array.from({ length: 200 }, (_, index) => (index * 37) % 256)), Buffer.from("x")]);
    read(binary);
    assert.ok(at("mail").send({ body: binary.toString("base64") }).passes);
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

  it("leaves media alone", () => {
    const { guard, at } = rig();
    const data = Buffer.from(REPORT).toString("base64");
    invoke(guard, { event: "tools/call", phase: "response", payload: { content: [{ type: "image", data, mimeType: "image/png" }] }, config: { server: "crm" }, context: ada });
    assert.ok(at("mail").send({ body: REPORT }).passes);
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

  it("is known by its scope, and refuses configs that do not fit", () => {
    assert.equal(flowGuardScope({}), "principal");
    const wrong: [object, string][] = [[{ scope: "session" }, "scope"], [{ sharedChars: 10 }, "sharedChars"], [{ allow: {} }, "allow"], [{ allow: [{ form: [] }] }, "allow\\[0\\].form"], [{ allow: [{ to: ["*a"] }] }, "to\\[0\\]"], [{ server: 5 }, "server"]];
    for (const [config, place] of wrong) assert.throws(() => flowGuard(config), { code: "invalid_argument", message: new RegExp(`^config of flow-guard: ${place} `) });
  });
});
