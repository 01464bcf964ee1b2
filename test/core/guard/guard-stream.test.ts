import assert from "node:assert/strict";
import { test } from "node:test";
import type { LocalError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { isBlocked } from "../../../src/core/guard/blocked-error.ts";
import type { FunctionCall } from "../../../src/core/guard/function-options.ts";
import { guardFunction } from "../../../src/core/guard/guard-function.ts";
import { guardStream, windowOf, type StreamGuardOptions, type GuardedStream } from "../../../src/core/guard/guard-stream.ts";
import { mutator, validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { textOf } from "../../../src/core/wire/completion.ts";
import type { LlmCompletionRequest } from "../../../src/core/wire/gen/completion.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";

const ASKED: LlmCompletionRequest = { model: "m", messages: [{ role: "user", content: "go on" }] };
const RESPONSE = [{ events: ["llm/completion"], phase: "response" }] as const;

type Source = (request: LlmCompletionRequest, call: FunctionCall) => AsyncIterable<string>;

function rig(interceptors: readonly Interceptor[], source: readonly string[] | Source, options: StreamGuardOptions = {}) {
  const host = fakeHost();
  const chain = createChain({ host });
  if (interceptors.length > 0) chain.add(interceptors);
  const said = { pulled: 0, returned: 0 };
  const model: Source = Array.isArray(source)
    ? async function* () {
        try {
          for (const delta of source as readonly string[]) {
            said.pulled++;
            yield delta;
          }
        } finally {
          said.returned++;
        }
      }
    : (source as Source);
  const guarded = guardStream(model, chain, { host, windowChars: 10, overlapChars: 4, ...options });
  return { host, said, guarded };
}

async function readAll(stream: GuardedStream): Promise<{ text: string; thrown?: unknown }> {
  let text = "";
  try {
    for await (const part of stream) text += part;
  } catch (thrown) {
    return { text, thrown };
  }
  return { text };
}

const words = "the quick brown fox jumps over the lazy dog".split(/(?<= )/);
const denies = (pattern: RegExp) => validator({ name: "no", hooks: RESPONSE }, ({ payload }) => !pattern.test(textOf(payload.message.content)));
const masks = (pattern: RegExp) =>
  mutator({ name: "mask", hooks: RESPONSE }, ({ payload }) => ({
    ...payload,
    message: { ...payload.message, content: [{ type: "text" as const, text: textOf(payload.message.content).replaceAll(pattern, (found) => "*".repeat(found.length)) }] },
  }));

test("the text comes out as it went in, with the whole response at the end", async () => {
  const { guarded, host, said } = rig([denies(/cat/)], words);
  const stream = guarded(ASKED);
  assert.deepEqual(await readAll(stream), { text: words.join("") });
  assert.deepEqual(stream.response, { message: { role: "assistant", content: [{ type: "text", text: words.join("") }] } });
  assert.deepEqual([host.liveTimers, said.returned], [0, 1]);
});

test("nothing is released before its window has passed, and the response is judged whole before the end", async () => {
  const full = words.join("");
  const seen: { index: number | undefined; from: number; to: number; out: number }[] = [];
  let out = "";
  const looks = validator({ name: "v", hooks: RESPONSE }, ({ payload }) => {
    const window = windowOf(payload);
    const text = textOf(payload.message.content);
    const from = out.length - (window?.contextChars ?? out.length);
    assert.equal(text, full.slice(from, from + text.length));
    seen.push({ index: window?.index, from, to: from + text.length, out: out.length });
    return true;
  });
  for await (const part of rig([looks], words).guarded(ASKED)) {
    // Judged a moment ago, with all that is out of it and four more.
    const { to } = seen.at(-1)!;
    out += part;
    assert.ok(out.length <= (seen.at(-1)!.index === undefined ? to : to - 4));
  }
  assert.equal(out, full);
  assert.deepEqual(seen.map(({ index }) => index), [0, 1, 2, 3, 4, undefined]);
  // As many characters of what is out as overlap, and the end of the window before.
  for (const { index, from, out: before } of seen.slice(1)) assert.equal(from, index === undefined ? 0 : before - 4);
});

test("a pattern that straddles windows is seen before any of it is out", async () => {
  for (let cut = 1; cut < 30; cut++) {
    const full = `${"x".repeat(20)}SECRT${"y".repeat(20)}`;
    const deltas = [full.slice(0, cut), ...full.slice(cut)];
    const { text, thrown } = await readAll(rig([denies(/SECRT/)], deltas).guarded(ASKED));
    assert.ok(isBlocked(thrown), String(cut));
    assert.match(text, /^x*$/);
    const masked = await readAll(rig([masks(/SECRT/g)], deltas).guarded(ASKED));
    assert.deepEqual(masked, { text: full.replace("SECRT", "*****") }, String(cut));
  }
});

test("a pattern that a window cuts in two is masked as a whole, where its half would be one too", async () => {
  const full = "the number is 12345678, and the end of it";
  for (let cut = 1; cut < full.length; cut++) {
    for (const size of [4, 7, 10]) {
      const deltas = [full.slice(0, cut), ...(full.slice(cut).match(new RegExp(`.{1,${size}}`, "g")) ?? [])];
      const { text } = await readAll(rig([masks(/\d{3,}/g)], deltas, { windowChars: 12, overlapChars: 9 }).guarded(ASKED));
      assert.equal(text, "the number is ********, and the end of it", `${cut} ${size}`);
    }
  }
});

test("what is longer than the overlap is found at the end, and keeps the end back", async () => {
  const { text, thrown } = await readAll(rig([denies(/quick.*dog/)], words).guarded(ASKED));
  assert.ok(isBlocked(thrown));
  assert.ok(words.join("").startsWith(text) && text.length < words.join("").length - 3);
});

test("a mutator that would change what is out has failed, in a window and at the end", async () => {
  for (const whole of [false, true]) {
    const late = mutator({ name: "late", hooks: RESPONSE }, ({ payload }) => {
      const window = windowOf(payload);
      const text = textOf(payload.message.content);
      const now = whole ? window === undefined : (window?.contextChars ?? 0) > 0;
      return { ...payload, message: { role: "assistant", content: now ? `#${text.slice(1)}` : text } } as const;
    });
    const { text, thrown } = await readAll(rig([late], words).guarded(ASKED));
    assert.ok(isBlocked(thrown) && thrown.result.abortedAt?.reason === "malformed_result");
    assert.ok(words.join("").startsWith(text) && text.length > 0);
  }
});

test("a part of a stream can hold nothing but text", async () => {
  const sneaks = mutator({ name: "m", hooks: RESPONSE }, ({ payload }) => ({
    ...payload,
    message: { ...payload.message, content: [...(payload.message.content as []), { type: "tool_use", id: "1", name: "rm", input: {} } as const] },
  }));
  const { text, thrown } = await readAll(rig([sneaks], words).guarded(ASKED));
  assert.ok(isBlocked(thrown));
  assert.equal(text, "");
});

test("what the iterator returns is judged with the whole text, and its own text does not count", async () => {
  const calls: unknown[] = [];
  const looks = validator({ name: "v", hooks: RESPONSE }, ({ payload }) => {
    if (windowOf(payload) === undefined) calls.push(payload);
    return true;
  });
  const tool = { type: "tool_use", id: "1", name: "f", input: {} } as const;
  const { guarded } = rig([looks], async function* () {
    yield "said";
    return { message: { role: "assistant", content: [{ type: "text", text: "forged" }, tool] }, stopReason: "toolUse", usage: { outputTokens: 3 } };
  });
  const stream = guarded(ASKED);
  assert.deepEqual(await readAll(stream), { text: "said" });
  const expected = { message: { role: "assistant", content: [{ type: "text", text: "said" }, tool] }, stopReason: "toolUse", usage: { outputTokens: 3 } };
  assert.deepEqual([calls, stream.response], [[expected], expected]);
});

test("a response cannot say of itself that it is a part", async () => {
  const parts: unknown[] = [];
  const looks = validator({ name: "v", hooks: RESPONSE }, ({ payload }) => (parts.push(windowOf(payload)), true));
  const forged = { _meta: { "org.mcp-interceptors/window": { index: 0, contextChars: 0 }, "com.example/x": 1 } };
  const { guarded, host } = rig([looks], async function* () {
    yield "said";
    return forged;
  });
  const stream = guarded(ASKED);
  await readAll(stream);
  assert.deepEqual(stream.response?._meta, { "com.example/x": 1 });
  const chain = createChain({ host });
  chain.add(looks);
  await guardFunction(() => ({ ...forged, message: { role: "assistant", content: "" } }), chain, { event: "llm/completion", host })(ASKED);
  assert.deepEqual(parts, [undefined, undefined]);
});

test("a blocked request opens no stream, and what is no request is refused", async () => {
  const { guarded, said } = rig([validator({ name: "no", hooks: [{ events: ["llm/completion"], phase: "request" }] }, () => false)], words);
  const blocked = await readAll(guarded(ASKED));
  assert.ok(isBlocked(blocked.thrown) && blocked.text === "");
  const wrong = await readAll(guarded({ model: "m" } as never));
  assert.equal((wrong.thrown as LocalError).code, "invalid_argument");
  const not = await readAll(guarded({ ...ASKED, f: () => 1 } as never));
  assert.equal((not.thrown as LocalError).code, "not_json");
  assert.equal(said.pulled, 0);
});

test("the function is asked for a delta only when the reader asks for text", async () => {
  const { guarded, said } = rig([], words);
  const stream = guarded(ASKED);
  await settle();
  assert.equal(said.pulled, 0);
  await stream.next();
  await settle();
  // Three words make the first window of ten characters or more.
  assert.deepEqual([said.pulled, words.slice(0, 2).join("").length], [2, 10]);
});

test("a reader that stops ends the function, in between and while it waits", async () => {
  const between = rig([], words);
  for await (const _ of between.guarded(ASKED)) break;
  assert.deepEqual([between.said.returned, between.host.liveTimers], [1, 0]);

  const signals: { aborted: boolean }[] = [];
  const stuck = rig([], async function* (_request, { signal }) {
    signals.push(signal);
    yield await new Promise<string>(() => {});
  });
  const stream = stuck.guarded(ASKED);
  const waiting = stream.next().catch((thrown: LocalError) => thrown.code);
  await settle();
  assert.deepEqual(await stream.return(), { done: true, value: undefined });
  assert.deepEqual([await waiting, signals.map(({ aborted }) => aborted)], ["aborted", [true]]);
});

test("an abort reaches the reader at once, and a stream that was never read leaves nothing", async () => {
  const stop = createSignal();
  const hangs = validator({ name: "v", hooks: RESPONSE }, () => new Promise<boolean>(() => {}));
  const { guarded, host, said } = rig([hangs], words);
  const reading = readAll(guarded(ASKED, { signal: stop.signal }));
  await settle();
  stop.abort("enough");
  assert.deepEqual(await reading, { text: "", thrown: "enough" });
  await settle();
  assert.deepEqual([host.liveTimers, said.returned], [0, 1]);
  const { guarded: other, said: unread } = rig([], words);
  const never = other(ASKED);
  assert.deepEqual(await never.return(), { done: true, value: undefined });
  assert.equal(unread.pulled, 0);
});

test("a function that pauses too long, breaks or says no text ends the stream; what is held then is lost", async () => {
  const seen: unknown[] = [];
  const handles = validator({ name: "v", hooks: RESPONSE, handlesErrors: true }, ({ payload }) => {
    if ("error" in payload) seen.push(payload.error);
    return true;
  });
  const paused = rig([handles], async function* () {
    yield "held";
    yield await new Promise<string>(() => {});
  }, { timeoutMs: 100 });
  const reading = readAll(paused.guarded(ASKED));
  await paused.host.advance(100);
  const timed = await reading;
  assert.deepEqual([timed.text, (timed.thrown as LocalError).code, paused.host.liveTimers], ["", "timeout", 0]);

  const own = new TypeError("reset");
  const broken = await readAll(rig([handles], async function* () {
    yield "0123456789 held";
    throw own;
  }).guarded(ASKED));
  assert.deepEqual([broken.text, broken.thrown], ["0123456789 ", own]);
  assert.equal(seen.length, 2);

  const numbers = await readAll(rig([], async function* () {
    yield 7 as never;
  }).guarded(ASKED));
  assert.equal((numbers.thrown as LocalError).code, "invalid_message");
});

test("a text above the limit of a message ends the stream", async () => {
  const { text, thrown } = await readAll(rig([], words, { limits: { maxMessageBytes: 300 }, windowChars: 1, overlapChars: 0 }).guarded(ASKED));
  assert.deepEqual([text, thrown], [words.join(""), undefined]);
  const endless = rig([], async function* () {
    for (;;) yield "0123456789";
  }, { limits: { maxMessageBytes: 300 } });
  const cut = await readAll(endless.guarded(ASKED));
  assert.equal((cut.thrown as LocalError).code, "limit_exceeded");
  assert.ok(cut.text.length <= 300);
});

test("wrong options are refused when the function is guarded", () => {
  const chain = createChain({ host: fakeHost() });
  for (const options of [{ windowChars: 0 }, { overlapChars: -1 }, { windowChars: 5, overlapChars: 5 }, { windowChars: 1.5 }, { event: "tools/call" }, { event: "*" }, { timeoutMs: 0 }]) {
    assert.throws(() => guardStream(async function* () {}, chain, options), { code: "invalid_argument" }, JSON.stringify(options));
  }
});

test("what says which part of a stream a payload is reads anything", () => {
  for (const payload of [undefined, null, 1, {}, { _meta: 1 }, { _meta: { "org.mcp-interceptors/window": { index: "0" } } }]) assert.equal(windowOf(payload), undefined);
});
