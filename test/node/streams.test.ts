import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { byteSink, byteSource } from "../../src/node/streams.ts";
import { fakeHost, settle } from "../support/fake-host.ts";

test("a source gives what comes, one chunk a read, and undefined at the end and after it", async () => {
  const stream = new PassThrough();
  const source = byteSource(stream);
  const first = source.read();
  stream.write("one");
  assert.equal(String(await first), "one");
  stream.end("two");
  assert.equal(String(await source.read()), "two");
  assert.equal(await source.read(), undefined);
  assert.equal(await source.read(), undefined);
});

test("a source takes a broken stream for an ended one", async () => {
  const stream = new PassThrough();
  const source = byteSource(stream);
  const pending = source.read();
  stream.destroy(new TypeError("ECONNRESET"));
  assert.equal(await pending, undefined);
  assert.equal(await source.read(), undefined);
});

test("a source reads no further ahead than the stream's high-water mark", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  byteSource(stream);
  let written = 0;
  while (written < 100 && stream.write("x".repeat(5))) written++;
  await settle();
  assert.ok(stream.readableLength + stream.writableLength <= 30, "unread bytes stay with the writer");
});

test("a limited wait ends the source when nothing comes in time, and costs a quick reader nothing", async () => {
  const host = fakeHost();
  const stream = new PassThrough();
  const source = byteSource(stream);
  const waiting = source.read();
  source.limitWaits((expired) => host.setTimer(expired, 500));
  await host.advance(499);
  stream.write("just in time");
  assert.equal(String(await waiting), "just in time");
  assert.equal(host.liveTimers, 0);
  const idle = source.read();
  await host.advance(500);
  assert.equal(await idle, undefined);
  stream.write("late");
  assert.equal(await source.read(), undefined);
  assert.equal(host.liveTimers, 0);
});

test("a released source gives undefined, to a pending read too, and leaves the stream to its owner", async () => {
  const stream = new PassThrough();
  const source = byteSource(stream);
  const pending = source.read();
  source.release();
  assert.equal(await pending, undefined);
  stream.write("late");
  assert.equal(await source.read(), undefined);
  assert.equal(stream.destroyed, false);
});

test("a sink settles each write when it is handed on, in order", async () => {
  const held: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, done) => void held.push(done) });
  const write = byteSink(stream, () => assert.fail("nothing is gone"));
  const log: number[] = [];
  for (const turn of [1, 2]) void write(new Uint8Array(turn)).then(() => log.push(turn));
  await settle();
  assert.deepEqual(log, []);
  held.shift()!();
  await settle();
  assert.deepEqual(log, [1]);
  held.shift()!();
  await settle();
  assert.deepEqual(log, [1, 2]);
});

test("a sink whose stream breaks rejects what is under way and all that follows, and says so once", async () => {
  let gone = 0;
  const stream = new Writable({ write() {} });
  const write = byteSink(stream, () => gone++);
  const under = [write(new Uint8Array(1)), write(new Uint8Array(2))];
  stream.destroy(new TypeError("EPIPE"));
  for (const pending of under) await assert.rejects(pending, { code: "closed" });
  await assert.rejects(write(new Uint8Array(3)), { code: "closed" });
  await settle();
  assert.equal(gone, 1);
});

test("a sink whose stream was ended rejects instead of writing after the end", async () => {
  const stream = new PassThrough();
  const write = byteSink(stream, () => {});
  stream.end();
  await assert.rejects(write(new Uint8Array(1)), { code: "closed" });
});
