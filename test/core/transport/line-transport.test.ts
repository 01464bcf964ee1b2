import assert from "node:assert/strict";
import { test } from "node:test";
import { lineTransport, type LineTransportOptions, type Noise } from "../../../src/core/transport/line-transport.ts";
import { bytePipes } from "../../support/byte-pipe.ts";
import { settle } from "../../support/fake-host.ts";

const encoder = new TextEncoder();
const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;
const pingLine = (id: number) => JSON.stringify(ping(id)) + "\n";

/** A line transport, and the bare bytes at its other end. */
function lineEnd(options: Partial<LineTransportOptions> & Pick<LineTransportOptions, "invalid">) {
  const [ours, theirs] = bytePipes({ chunkBytes: 1000 });
  const noise: Noise[] = [];
  const transport = lineTransport(ours, { onNoise: (heard) => noise.push(heard), ...options });
  return {
    transport,
    noise,
    say: (text: string) => theirs.write(encoder.encode(text)),
    hangUp: () => theirs.close(Promise.resolve()),
    /** What has been written so far, as JSON per line. */
    async heard(): Promise<unknown[]> {
      let text = "";
      await transport.close();
      for (let chunk = await theirs.read(); chunk !== undefined; chunk = await theirs.read()) text += new TextDecoder().decode(chunk);
      return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    },
  };
}

test("as a server, garbage is answered with id null and a broken request with its id, and the connection goes on", async () => {
  const end = lineEnd({ invalid: "answer" });
  await end.say(`garbage\n[1]\n{"jsonrpc":"2.0","id":5,"method":7}\n{"jsonrpc":"2.0","id":6,"method":"a",}\n${pingLine(1)}`);
  assert.deepEqual((await end.transport.receive())?.frame.message, ping(1));
  const codes = (await end.heard()).map((answer) => [(answer as { id: unknown }).id, (answer as { error: { code: number } }).error.code]);
  assert.deepEqual(codes, [[null, -32700], [null, -32600], [5, -32600], [6, -32700]]);
  assert.equal(end.noise.length, 4);
});

test("as a client, noise is dropped and reported and never answered, and the connection goes on", async () => {
  const end = lineEnd({ invalid: "drop" });
  const lines = ["Server v1.2 running on stdio", "[db] Connected…", '{"level":"info","id":5}', '[db] up{"jsonrpc":"2.0","id":1,"result":{}}', "[]", '{"open'];
  await end.say(lines.join("\n") + "\n" + pingLine(1));
  assert.deepEqual((await end.transport.receive())?.frame.message, ping(1));
  assert.deepEqual(end.noise.map(({ text }) => text), lines);
  assert.ok(end.noise.every(({ why }) => why !== ""));
  assert.deepEqual(await end.heard(), []);
});

test("as a client, a broken request with an id is owed its error", async () => {
  const end = lineEnd({ invalid: "drop" });
  await end.say(`{"jsonrpc":"2.0","id":5,"method":"a","params":{]}\n${pingLine(1)}`);
  await end.transport.receive();
  const [answer, ...rest] = (await end.heard()) as { id: unknown; error: { code: number } }[];
  assert.deepEqual([answer?.id, answer?.error.code, rest], [5, -32700, []]);
});

for (const invalid of ["answer", "drop"] as const) {
  test(`a broken response becomes a synthetic error for its request (${invalid})`, async () => {
    const end = lineEnd({ invalid });
    await end.say(`{"jsonrpc":"2.0","id":"a","result":{]}\n{"jsonrpc":"1.0","id":2,"result":{}}\n`);
    for (const [id, code] of [["a", -32700], [2, -32600]] as const) {
      const arrival = await end.transport.receive();
      assert.equal(arrival?.synthetic, true);
      const message = arrival.frame.message as { id: unknown; error: { code: number; data: { delivery: string } } };
      assert.deepEqual([message.id, message.error.code, message.error.data.delivery], [id, code, "unknown"]);
    }
    assert.equal(end.noise.length, 2);
    assert.deepEqual(await end.heard(), []);
  });

  test(`an over-long response fails its request alone, wherever its id stands (${invalid})`, async () => {
    const end = lineEnd({ invalid, limits: { maxMessageBytes: 100 } });
    const filler = "x".repeat(9000);
    await end.say(`{"jsonrpc":"2.0","id":1,"result":{"t":"${filler}"}}\n{"result":{"t":"${filler}"},"jsonrpc":"2.0","id":2}\n${pingLine(3)}`);
    for (const id of [1, 2]) {
      const arrival = await end.transport.receive();
      assert.ok(arrival?.synthetic && "id" in arrival.frame.message && arrival.frame.message.id === id);
    }
    assert.deepEqual((await end.transport.receive())?.frame.message, ping(3));
    assert.ok(end.noise.every(({ text }) => text.length <= 4096));
    await end.transport.close();
  });

  test(`an over-long response without a readable id ends the connection, as its request would wait for ever (${invalid})`, async () => {
    const end = lineEnd({ invalid, limits: { maxMessageBytes: 100 } });
    await end.say(`{"result":{"t":"${"x".repeat(9000)}"},"later":{},"id":{}}\n${pingLine(3)}`);
    await assert.rejects(end.transport.receive(), { code: "limit_exceeded" });
    await assert.rejects(end.transport.receive(), { code: "limit_exceeded" });
    await assert.rejects(end.transport.send({ message: ping(1) }), { code: "closed" });
    await end.transport.close();
    assert.equal(await end.transport.receive(), undefined);
  });
}

test("an over-long line of log is noise to a client", async () => {
  const end = lineEnd({ invalid: "drop", limits: { maxMessageBytes: 100 } });
  await end.say("log ".repeat(100) + "\n" + pingLine(1));
  assert.deepEqual((await end.transport.receive())?.frame.message, ping(1));
  await end.transport.close();
});

test("an over-long request is refused with its id, an over-long anything with id null, by a server", async () => {
  const end = lineEnd({ invalid: "answer", limits: { maxMessageBytes: 100 } });
  await end.say(`{"method":"a","params":{"t":"${"x".repeat(200)}"},"jsonrpc":"2.0","id":8}\n${"y".repeat(101)}\n${pingLine(1)}`);
  assert.deepEqual((await end.transport.receive())?.frame.message, ping(1));
  const answers = (await end.heard()) as { id: unknown; error: { code: number; message: string } }[];
  assert.deepEqual(answers.map(({ id, error }) => [id, error.code]), [[8, -32600], [null, -32600]]);
  assert.match(answers[1]!.error.message, /101 bytes, at most 100/);
});

test("of a long line of noise the start is reported", async () => {
  const end = lineEnd({ invalid: "drop" });
  await end.say("log ".repeat(5000) + "\n" + pingLine(1));
  await end.transport.receive();
  assert.equal(end.noise[0]?.text, "log ".repeat(1024));
  await end.transport.close();
});

test("a line that the end of the stream cuts off is reported, not read; one that lacks its line feed alone is whole", async () => {
  const end = lineEnd({ invalid: "drop" });
  const cut = pingLine(2).trimEnd().slice(0, -1);
  await end.say(pingLine(1) + cut);
  await end.hangUp();
  assert.deepEqual((await end.transport.receive())?.frame.message, ping(1));
  assert.equal(await end.transport.receive(), undefined);
  assert.deepEqual(end.noise.map(({ text }) => text), [cut]);
  await end.transport.close();

  const other = lineEnd({ invalid: "drop" });
  await other.say(pingLine(1).trimEnd());
  await other.hangUp();
  assert.deepEqual((await other.transport.receive())?.frame.message, ping(1));
  assert.equal(await other.transport.receive(), undefined);
  assert.deepEqual(other.noise, []);
  await other.transport.close();
});

test("an onNoise that throws costs nothing", async () => {
  const end = lineEnd({
    invalid: "drop",
    onNoise: () => {
      throw new TypeError("log is full");
    },
  });
  await end.say("noise\n" + pingLine(1));
  assert.deepEqual((await end.transport.receive())?.frame.message, ping(1));
  await end.transport.close();
});

test("a message above the cap is not sent, and the connection stays", async () => {
  const end = lineEnd({ invalid: "drop", limits: { maxMessageBytes: 60 } });
  const fits = { jsonrpc: "2.0", method: "a", params: { t: "é".repeat(6) } } as const;
  assert.equal(encoder.encode(JSON.stringify(fits)).length, 60);
  await end.transport.send({ message: fits });
  const tooLong = { ...fits, params: { t: "é".repeat(6) + "x" } };
  await assert.rejects(end.transport.send({ message: tooLong }), { code: "limit_exceeded", details: { bytes: 61, maxMessageBytes: 60 } });
  await end.transport.send({ message: ping(1) });
  assert.deepEqual(await end.heard(), [fits, ping(1)]);
});

test("a write that fails ends sending with closed, and leaves receiving to its own end", async () => {
  const cause = new TypeError("EPIPE");
  let deliver: ((chunk: Uint8Array | undefined) => void) | undefined;
  const transport = lineTransport(
    { read: () => new Promise((resolve) => (deliver = resolve)), write: () => Promise.reject(cause), close: async () => deliver?.(undefined) },
    { invalid: "drop" },
  );
  await transport.send({ message: ping(1) });
  await settle();
  await assert.rejects(transport.send({ message: ping(2) }), { code: "closed", cause });
  const pending = transport.receive();
  deliver?.(encoder.encode(pingLine(3)));
  assert.deepEqual((await pending)?.frame.message, ping(3));
  await transport.close();
});

test("a read that fails rejects with closed, after what was read before", async () => {
  const chunks = [encoder.encode(pingLine(1) + pingLine(2))];
  const read = async () => {
    const chunk = chunks.shift();
    if (chunk === undefined) throw new TypeError("EIO");
    return chunk;
  };
  const transport = lineTransport({ read, write: async () => {}, close: async () => {} }, { invalid: "drop" });
  assert.deepEqual((await transport.receive())?.frame.message, ping(1));
  assert.deepEqual((await transport.receive())?.frame.message, ping(2));
  await assert.rejects(transport.receive(), { code: "closed" });
});

test("a client that sends garbage and reads nothing cannot make a server hoard answers", async () => {
  let reads = 0;
  let free: (() => void) | undefined;
  const transport = lineTransport(
    {
      read: async () => (++reads > 1000 ? undefined : encoder.encode("garbage\n".repeat(10))),
      write: () => new Promise((resolve) => (free = resolve)),
      close: async () => free?.(),
    },
    { invalid: "answer", limits: { maxQueuedBytes: 500 } },
  );
  const pending = transport.receive();
  await settle();
  assert.ok(reads < 5, `${reads} reads`);
  await transport.close();
  assert.equal(await pending, undefined);
});
