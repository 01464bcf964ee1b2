import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openAudit } from "../../src/gateway/audit.ts";
import { createHasher, FIRST, nextLine } from "../../src/gateway/audit-line.ts";
import { createAuditDigest } from "../../src/gateway/audit-record.ts";
import { auditHead, formatAnchor, parseAnchor, verifyAudit } from "../../src/gateway/audit-verify.ts";
import { fakeHost } from "../support/fake-host.ts";
import { seededRandom } from "../support/random.ts";
import { decision } from "./decision-kit.ts";

describe("verifying", () => {
  let folder: string;
  let lines: string[];
  const file = (text: string | Uint8Array): string => {
    const path = join(folder, "log");
    writeFileSync(path, text);
    return path;
  };
  const joined = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    const log = await openAudit({ path: join(folder, "made"), host: fakeHost(), sync: "never" });
    for (let id = 1; id <= 6; id++) await log.record(decision({ id, tool: id === 3 ? "a\ufffdb \u2028 ü" : "echo" }), "files");
    await log.close();
    lines = readFileSync(join(folder, "made"), "utf8").split("\n").slice(0, -1);
  });
  after(() => rmSync(folder, { recursive: true }));

  test("a log that nobody has touched holds", async () => {
    const { problem, lines: count, writers, partial, missing } = await verifyAudit([file(joined(lines))]);
    assert.deepEqual([problem, count, writers.length, writers[0]?.firstSeq, writers[0]?.head.seq, partial, missing], [undefined, 7, 1, 1, 7, [], []]);
  });

  describe("the first broken line is named where one was", () => {
    const swap = (all: readonly string[]) => [...all.slice(0, 2), all[3]!, all[2]!, ...all.slice(4)];
    const cases: readonly (readonly [name: string, edit: (all: readonly string[]) => readonly string[], line: number, why: RegExp])[] = [
      ["changed", (all) => all.map((line, index) => (index === 3 ? line.replace('"passed"', '"blocked"') : line)), 4, /hash does not fit/],
      ["changed in white space alone", (all) => all.map((line, index) => (index === 3 ? line.replace(",", ", ") : line)), 4, /hash does not fit/],
      ["given another hash", (all) => all.map((line, index) => (index === 2 ? line.replace(/"hash":"./, '"hash":"g') : line)), 3, /no line of an audit log/],
      ["taken out", (all) => all.filter((_, index) => index !== 2), 3, /number 4 of its writer, after number 2/],
      ["moved", swap, 3, /number 4 of its writer, after number 2/],
      ["repeated", (all) => [...all.slice(0, 3), all[2]!, ...all.slice(3)], 4, /number 3 of its writer, after number 3/],
      ["put in", (all) => [...all.slice(0, 3), "{}", ...all.slice(3)], 4, /no line of an audit log/],
      ["emptied", (all) => all.map((line, index) => (index === 1 ? "" : line)), 2, /no line of an audit log/],
    ];
    for (const [name, edit, line, why] of cases) {
      test(name, async () => {
        const { problem } = await verifyAudit([file(joined(edit(lines)))]);
        assert.equal(problem?.line, line);
        assert.match(problem.why, why);
      });
    }

    test("made anew with a hash of its own, where the next line shows it", async () => {
      const { link } = nextLine(createHasher(undefined), { writer: JSON.parse(lines[0]!).writer as string, seq: 1, hash: JSON.parse(lines[0]!).hash as string }, { kind: "decision" });
      const forged = nextLine(createHasher(undefined), { ...link, seq: 1, hash: JSON.parse(lines[0]!).hash as string }, { kind: "forged" }).text.trimEnd();
      const { problem } = await verifyAudit([file(joined([lines[0]!, forged, ...lines.slice(2)]))]);
      assert.deepEqual([problem?.line, problem?.why], [3, "it does not go on from the line before it"]);
    });

    test("and a first one that cannot be the first", async () => {
      const { text } = nextLine(createHasher(undefined), { writer: "w", seq: 0, hash: "1".repeat(64) }, {});
      assert.match((await verifyAudit([file(text)])).problem?.why ?? "", /says that it is the first/);
    });
  });

  test("no change of a single byte goes unseen", async () => {
    const random = seededRandom(7);
    const whole = Buffer.from(joined(lines));
    for (let count = 0; count < 300; count++) {
      const changed = Buffer.from(whole);
      const at = random.below(whole.length - 1);
      changed[at] = (changed[at]! + 1 + random.below(255)) % 256;
      const outcome = await verifyAudit([file(changed)]).then(({ problem }) => problem !== undefined);
      assert.ok(outcome, `seed 7, byte ${at}: ${whole[at]} became ${changed[at]}`);
    }
    const replacement = whole.indexOf(Buffer.from("\ufffd"));
    const malformed = Buffer.concat([whole.subarray(0, replacement), Buffer.from([0xff]), whole.subarray(replacement + 3)]);
    assert.match((await verifyAudit([file(malformed)])).problem?.why ?? "", /no UTF-8/);
  });

  test("a cut-off end is seen with an anchor alone", async () => {
    const anchor = await auditHead(file(joined(lines)));
    const path = file(joined(lines.slice(0, 5)));
    assert.equal((await verifyAudit([path])).problem, undefined);
    assert.deepEqual((await verifyAudit([path], { anchors: [anchor] })).missing, [anchor]);
    assert.deepEqual((await verifyAudit([file(joined(lines))], { anchors: [anchor] })).missing, []);
    assert.deepEqual(parseAnchor(formatAnchor(anchor)), anchor);
    for (const text of ["", "a:1", `a:0:${"0".repeat(64)}`, `a:1:${"0".repeat(63)}`]) assert.equal(parseAnchor(text), undefined, text);
  });

  test("an unfinished last line is told of, and is no fault", async () => {
    const { problem, partial, lines: count } = await verifyAudit([file(`${joined(lines.slice(0, 3))}{"v":1,"wri`)]);
    assert.deepEqual([problem, count, partial.map(({ bytes }) => bytes)], [undefined, 3, [11]]);
  });

  test("writers that share a file are told apart", async () => {
    const hasher = createHasher(undefined);
    let [a, b] = ["a", "b"].map((writer) => ({ writer, seq: 0, hash: FIRST }));
    let text = "";
    for (const turn of "abbaab") {
      const next = nextLine(hasher, (turn === "a" ? a : b)!, { kind: "decision" });
      text += next.text;
      if (turn === "a") a = next.link;
      else b = next.link;
    }
    const { problem, writers } = await verifyAudit([file(text)]);
    assert.deepEqual([problem, writers.map(({ writer, head }) => [writer, head.seq])], [undefined, [["a", 3], ["b", 3]]]);
  });

  test("a log with a key holds with that key alone", async () => {
    const { text } = nextLine(createHasher("one"), { writer: "w", seq: 0, hash: FIRST }, { kind: "decision" });
    const path = file(text);
    assert.equal((await verifyAudit([path], { key: "one" })).problem, undefined);
    for (const options of [{}, { key: "two" }]) assert.match((await verifyAudit([path], options)).problem?.why ?? "", /hash does not fit/);
    await assert.rejects(auditHead(path), { code: "invalid_message" });
    assert.equal((await auditHead(path, "one")).seq, 1);
    await assert.rejects(auditHead(file("x")), { code: "invalid_message" });
  });

  test("digests are equal for equal payloads, under one key or in one process", () => {
    const [one, same, other] = [createAuditDigest("key"), createAuditDigest("key"), createAuditDigest("other")];
    assert.equal(one({ a: 1, b: [2, { c: 3, d: 4 }] }), same({ b: [2, { d: 4, c: 3 }], a: 1 }));
    assert.notEqual(one({ a: 1 }), one({ a: 2 }));
    assert.notEqual(one({ a: 1 }), other({ a: 1 }));
    assert.match(one(null), /^hmac-sha256:[0-9a-f]{64}$/);
    const [random, elsewhere] = [createAuditDigest(), createAuditDigest()];
    assert.equal(random("x"), random("x"));
    assert.notEqual(random("x"), elsewhere("x"));
    assert.throws(() => createAuditDigest(""), { code: "invalid_argument" });
  });
});
