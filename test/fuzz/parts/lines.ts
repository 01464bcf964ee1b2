// Lines of JSON, cut into chunks anywhere, against a reading of all bytes at once.
import { resolveLimits } from "../../../src/core/base/limits.ts";
import { createFrameReader } from "../../../src/core/transport/ndjson.ts";
import type { Random } from "../../support/random.ts";
import { MAX_BYTES } from "../breakage.ts";
import { readLine } from "../reader.ts";
import { chunksOf, differ } from "./mangle.ts";
import type { Count, Part } from "./part.ts";

const LIMITS = resolveLimits({ maxMessageBytes: MAX_BYTES });

const WHOLE = ['{"jsonrpc":"2.0","id":1,"method":"a"}', '{"jsonrpc":"2.0","method":"é😀\u2028\u0085"}', '{"id":"x","result":{"b":"\\u00e9"},"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":"\ufffd"}', ' {"jsonrpc" : "2.0",\t"method":"a"} '];
const BATCH = '[{"jsonrpc":"2.0","method":"one"},{"jsonrpc":"2.0","method":"two"}]';
const ODD = ["", " ", "\t\r", "\r", "\ufeff", "\u00a0", "\u2028", "log: started", "{", '{"jsonrpc":"2.0","id":1,"method":"a"', "[]", "null", "\0", '\ufeff{"jsonrpc":"2.0","method":"a"}', '{"jsonrpc":"2.0","method":"a"}\r'];
const BROKEN = [[0xff], [0xc3], [0xe2, 0x80], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80], [0xf0, 0x9f, 0xef, 0xbf, 0xbd]];

function drawBytes(random: Random, batches: boolean): Buffer {
  const pieces: Buffer[] = [];
  for (let lines = 1 + random.below(7); lines > 0; lines--) {
    let line = Buffer.from(random.pick([() => random.pick(WHOLE), () => random.pick(ODD), () => (batches ? BATCH : random.pick(WHOLE)), () => long(random)])());
    if (random.below(4) === 0) {
      // Within a text, where it might pass for a character.
      const at = line.indexOf('"a"') >= 0 ? line.indexOf('"a"') + 1 : line.indexOf('"one"') >= 0 ? line.indexOf('"one"') + 1 : random.below(line.length + 1);
      line = Buffer.concat([line.subarray(0, at), Buffer.from(random.pick(BROKEN)), line.subarray(at)]);
    }
    pieces.push(line, Buffer.from(lines === 1 ? random.pick(["\n", "\r\n", "", "\r"]) : random.pick(["\n", "\r\n", "\n\n"])));
  }
  return Buffer.concat(pieces);
}

// Around the limit, by one byte or by many, in characters of one byte or of three.
function long(random: Random): string {
  const frame = '{"jsonrpc":"2.0","method":""}';
  const room = MAX_BYTES - frame.length + random.pick([-1, 0, 1, 2, 5_000]);
  const text = random.below(2) === 0 ? "x".repeat(room) : "\u4e16".repeat(Math.floor(room / 3)) + "x".repeat(room % 3);
  return frame.replace('""', `"${text}"`);
}

// Each message by its text, all else by why it is none.
function expectedOf(bytes: Buffer, batches: boolean, count: Count): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const found: string[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const feed = rest.indexOf(10);
    let line = feed < 0 ? rest : rest.subarray(0, feed);
    rest = feed < 0 ? Buffer.alloc(0) : rest.subarray(feed + 1);
    if (line.at(-1) === 13) line = line.subarray(0, -1);
    const tell = (what: string, kind = what) => {
      found.push(what);
      count(kind);
    };
    if (line.length > MAX_BYTES) {
      tell("too-long");
      continue;
    }
    let text: string;
    try {
      text = decoder.decode(line);
    } catch {
      tell(feed < 0 ? "unfinished" : "invalid", "no UTF-8");
      continue;
    }
    if (text.trim() === "") continue;
    const { said, items } = readLine(text);
    if (said !== undefined) tell(text, feed < 0 ? "unfinished message" : "message");
    else if (batches && items !== undefined && items.length > 0 && feed >= 0) for (const item of items) tell(readLine(item).said === undefined ? "invalid" : item, "of a batch");
    else tell(feed < 0 ? "unfinished" : "invalid");
  }
  return found;
}

const PLATFORM = {
  utf8: { encode: (text: string) => new TextEncoder().encode(text), decode: (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) },
};

export const linesPart: Part = {
  name: "lines",
  cases: 160,
  least: { message: 120, "unfinished message": 15, "too-long": 50, invalid: 25, "no UTF-8": 60, unfinished: 6, "of a batch": 50 },
  run(random, count) {
    const batches = random.below(2) === 0;
    const bytes = drawBytes(random, batches);
    const expected = expectedOf(bytes, batches, count);
    const split = (text: string) => {
      const items = batches ? readLine(text).items : undefined;
      return items === undefined || items.length === 0 ? undefined : [...items];
    };
    for (const host of [{}, PLATFORM]) {
      const reader = createFrameReader({ limits: LIMITS, host, split });
      const found: string[] = [];
      const take = () => {
        for (let event = reader.next(); event !== undefined; event = reader.next()) found.push(event.frame?.text ?? event.broken?.why ?? "a frame without a text");
      };
      for (const chunk of chunksOf(random, bytes)) {
        reader.push(chunk);
        if (random.below(3) > 0) take();
      }
      reader.end();
      take();
      const problem = differ("messages", found, expected);
      if (problem !== undefined) return `${problem} of ${JSON.stringify(bytes.toString("latin1")).slice(0, 2_000)}`;
    }
    return undefined;
  },
};
