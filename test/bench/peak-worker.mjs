// How much memory a large message takes at most on its way through a guard with 8 validators: says `{ copies }`, the bytes held beside what was there before, by
// those of the message as `JSON.parse` makes it. With the word `atOnce` they answer at once; with `together` all of them wait for each other. Needs --expose-gc:
// it looks at what is held after a full collection, in every validator, so nothing depends on when the engine collects.
import assert from "node:assert/strict";
import { createChain, guardTransport, memoryPair, validator } from "mcp-interceptors";
import { METHOD, paramsOf } from "./curve-message.mjs";

const BYTES = 4 * 1024 * 1024;
const VALIDATORS = 8;

function held() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function copySize(text) {
  const before = held();
  const copy = JSON.parse(text);
  const size = held() - before;
  assert.equal(copy.params.name, "import_rows");
  return size;
}

// Of the kind that lines are read as: one flat string, which is there all the time and does not count. These functions stand by themselves, as one that waits
// keeps what it has made on the way.
function messageText() {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHOD, params: paramsOf(BYTES) })).toString();
}

function sendParsed(client, text) {
  void client.send({ message: JSON.parse(text) });
}

async function peak(text, handler) {
  const [client, inner] = memoryPair();
  let most = 0;
  const hooks = [{ events: [METHOD], phase: "request" }];
  const chain = createChain();
  const base = held();
  const look = () => (most = Math.max(most, held() - base));
  chain.add(Array.from({ length: VALIDATORS }, (_, at) => validator({ name: `v${at}`, hooks }, ({ payload }) => handler(payload, look))));
  const server = guardTransport(inner, { role: "server", chain: { current: () => chain } });
  sendParsed(client, text);
  const { frame } = await server.receive();
  look();
  assert.equal(frame.message.params.name, "import_rows");
  return most;
}

let waiting = 0;
let open = () => {};
const all = new Promise((resolve) => (open = resolve));

const HANDLERS = {
  atOnce: (payload, look) => look() > 0 && payload.name !== "shell",
  async together(payload, look) {
    if (++waiting === VALIDATORS) open();
    await all;
    return look() > 0 && payload.name !== "shell";
  },
};

process.on("message", async () => {
  const text = messageText();
  const unit = copySize(text);
  process.send({ copies: (await peak(text, HANDLERS[process.argv[2]])) / unit });
});
process.send({ ready: true });
