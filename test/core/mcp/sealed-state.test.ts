import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { utf8Encode } from "../../../src/core/base/bytes.ts";
import type { Host } from "../../../src/core/base/host.ts";
import { createSealedStates, hmacSha256, type SealOptions } from "../../../src/core/mcp/sealed-state.ts";
import { fakeHost } from "../../support/fake-host.ts";
import { seededRandom } from "../../support/random.ts";

const BINDING = { principal: "p", method: "m", params: "d" };
const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);

function withoutSubtle(): Host & ReturnType<typeof fakeHost> {
  const { subtle: _left, ...host } = fakeHost();
  return host;
}

for (const [kind, hostOf] of [["WebCrypto", fakeHost], ["no WebCrypto", withoutSubtle]] as const) {
  describe(`a sealed state with ${kind}`, () => {
    const states = (options: Partial<SealOptions> = {}) => createSealedStates({ host: hostOf(), ...options });

    test("opens with its content, and looks sealed", async () => {
      const own = states();
      const text = await own.seal({ a: [1, "é"] }, BINDING);
      assert.ok(own.looksSealed(text));
      assert.match(text, /^[\w.-]+$/);
      assert.deepEqual(await own.open(text, BINDING), { a: [1, "é"] });
    });

    test("is refused once a letter of it has changed, wherever", async () => {
      const own = states();
      const text = await own.seal({ a: 1 }, BINDING);
      for (let at = 0; at < text.length; at += 3) {
        const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
        await assert.rejects(own.open(changed, BINDING), { code: -32602, message: /requestState is not what this server gave out/ }, changed);
      }
      for (const broken of ["", "x", text.slice(0, -1), `${text}A`, `${text}.x`, text.replace(".", ""), `${text.split(".").slice(0, 2).join(".")}.`]) {
        await assert.rejects(own.open(broken, BINDING), { code: -32602 }, broken);
      }
    });

    test("is refused for another principal, method or content, by name", async () => {
      const own = states();
      const text = await own.seal({}, BINDING);
      await assert.rejects(own.open(text, { ...BINDING, principal: "q" }), { code: -32602, message: /another principal/ });
      await assert.rejects(own.open(text, { ...BINDING, method: "q" }), { code: -32602, message: /another method/ });
      await assert.rejects(own.open(text, { ...BINDING, params: "q" }), { code: -32602, message: /another content/ });
    });

    test("expires", async () => {
      const host = hostOf();
      const own = states({ host, ttlMs: 100 });
      const text = await own.seal({}, BINDING);
      await host.advance(99);
      await own.open(text, BINDING);
      await host.advance(1);
      await assert.rejects(own.open(text, BINDING), { code: -32602, message: /expired/ });
    });

    test("opens elsewhere by the same key, with keys that are rotated, and not by another", async () => {
      const text = await states({ keys: KEY }).seal({ a: 1 }, BINDING);
      assert.deepEqual(await states({ keys: KEY }).open(text, BINDING), { a: 1 });
      assert.deepEqual(await states({ keys: [OTHER_KEY, KEY] }).open(text, BINDING), { a: 1 });
      for (const strange of [states({ keys: OTHER_KEY }), states()]) await assert.rejects(strange.open(text, BINDING), { code: -32602 });
    });

    test("digests a value whatever the order of its members", async () => {
      const { digest } = states();
      assert.equal(await digest({ a: 1, b: [{ c: 2, d: null }], gone: undefined }), await digest({ b: [{ d: null, c: 2 }], a: 1 }));
      assert.notEqual(await digest({ a: [1, 2] }), await digest({ a: [2, 1] }));
      assert.notEqual(await digest({ a: "1" }), await digest({ a: 1 }));
      assert.equal(await digest("x"), createHash("sha256").update('"x"').digest("base64url"));
    });
  });
}

test("both kinds of host open what the other one sealed", async () => {
  const [left, right] = [createSealedStates({ host: fakeHost(), keys: KEY }), createSealedStates({ host: withoutSubtle(), keys: KEY })];
  assert.deepEqual(await right.open(await left.seal({ a: 1 }, BINDING), BINDING), { a: 1 });
  assert.deepEqual(await left.open(await right.seal({ a: 1 }, BINDING), BINDING), { a: 1 });
});

test("our HMAC is the platform's, for short keys and long ones", () => {
  const random = seededRandom(20260802);
  for (let round = 0; round < 50; round++) {
    const bytes = (length: number) => Uint8Array.from({ length }, () => random.below(256));
    const [key, message] = [bytes(random.below(150)), bytes(random.below(300))];
    assert.deepEqual(Buffer.from(hmacSha256(key, message)), createHmac("sha256", key).update(message).digest());
  }
});

test("a key that is too short, an empty list, and a time that is none are refused", () => {
  for (const keys of [new Uint8Array(31), [], [KEY, new Uint8Array(1)], ["x".repeat(32)]]) {
    assert.throws(() => createSealedStates({ host: fakeHost(), keys: keys as never }), { code: "invalid_argument" });
  }
  assert.throws(() => createSealedStates({ host: fakeHost(), ttlMs: 0 }), { code: "invalid_argument" });
});

test("a key is copied, and a state whose text is none of ours is refused in spite of its tag", async () => {
  const key = Uint8Array.from(KEY);
  const states = createSealedStates({ host: fakeHost(), keys: key });
  key.fill(0);
  assert.deepEqual(await states.open(await createSealedStates({ host: fakeHost(), keys: KEY }).seal({}, BINDING), BINDING), {});
  const body = Buffer.from("nonsense").toString("base64url");
  const tag = createHmac("sha256", KEY).update(utf8Encode(`sealed1.${body}`)).digest("base64url");
  await assert.rejects(states.open(`sealed1.${body}.${tag}`, BINDING), { code: -32602 });
});
