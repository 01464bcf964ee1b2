// Server-sent events, against the rules of WHATWG (HTML, section 9.2.6) read off once more, and against themselves in other chunks.
import { createSseParser, type SseItem } from "../../../src/core/http/sse-parser.ts";
import type { Random } from "../../support/random.ts";
import { chunksOf, differ } from "./mangle.ts";
import type { Part } from "./part.ts";

const MAX_EVENT_BYTES = 9_000;

const FIELDS = ["data", "data", "data", "event", "id", "retry", "Data", "foo", "", " data", "dat\u00e1", "\ufeffdata"];
const VALUES = ["", "a", " a", "  a", "a:b", ":", "{\"jsonrpc\":\"2.0\"}", "é😀\u2028", "\ufeff", "1\0", "12", "007", "-1", "1.5", "१२", "99999999999999999999", "\t", "\u0085", "\ufffd"];
const BROKEN = [[0xff], [0xc3], [0xe2, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]];

function drawStream(random: Random): Buffer {
  const ending = () => random.pick(["\n", "\n", "\r\n", "\r"]);
  const always = ending();
  const end = () => (random.below(8) === 0 ? ending() : always);
  const pieces: (string | readonly number[])[] = [random.pick(["", "", "\ufeff", "\ufeff\ufeff"])];
  for (let lines = random.below(24); lines > 0; lines--) {
    const kind = random.below(12);
    if (kind < 4) pieces.push(end());
    else if (kind === 4) pieces.push(`:${random.pick(VALUES)}${end()}`);
    else if (kind === 5) pieces.push(`${random.pick(FIELDS)}${end()}`);
    else if (kind === 6 && random.below(3) === 0) pieces.push(`${random.pick(["data: ", "id: ", ":", "event: ", "x"])}${"y".repeat(random.pick([4_090, 4_100, 8_990, 8_999, 9_100, 20_000]))}${end()}`);
    else if (kind === 7 && random.below(2) === 0) pieces.push(`${random.pick(["data: ", "id: ", ":"])}a`, random.pick(BROKEN), end());
    else pieces.push(`${random.pick(FIELDS)}:${random.pick(["", " "])}${random.pick(VALUES)}${end()}`);
  }
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
}

/** What a stream of whole and small events says. */
export function interpret(bytes: Buffer, lastEventId: string): { items: SseItem[]; lastEventId: string } {
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  const lines = text.split(/\r\n|\r|\n/).slice(0, -1);
  const items: SseItem[] = [];
  let [data, type, id] = ["", "", lastEventId];
  for (const line of lines) {
    if (line === "") {
      lastEventId = id;
      if (data !== "") items.push({ kind: "event", type: type || "message", data: data.slice(0, -1), id });
      [data, type] = ["", ""];
      continue;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
    if (field === "data") data += `${value}\n`;
    else if (field === "event") type = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^[0-9]+$/.test(value)) items.push({ kind: "retry", ms: Number(value) });
  }
  return { items, lastEventId };
}

function parse(pieces: readonly (Uint8Array | string)[], lastEventId: string) {
  const parser = createSseParser({ maxEventBytes: MAX_EVENT_BYTES, lastEventId });
  const items = pieces.flatMap((piece) => parser.push(piece));
  return { items, lastEventId: parser.lastEventId };
}

export const eventsPart: Part = {
  name: "events",
  cases: 400,
  least: { whole: 150, event: 150, retry: 15, size: 30, utf8: 40, text: 150 },
  run(random, count) {
    const bytes = drawStream(random);
    const resumed = random.pick(["", "", "7"]);
    const found = parse([bytes], resumed);
    for (const item of found.items) count(item.kind === "broken" ? item.why : item.kind);
    const told = `of ${JSON.stringify(bytes.toString("latin1")).slice(0, 3_000)}`;
    for (let turn = 0; turn < 2; turn++) {
      const problem = differ("in other chunks", parse(chunksOf(random, bytes), resumed), found);
      if (problem !== undefined) return `${problem.slice(0, 2_000)} ${told}`;
    }
    const isUtf8 = Buffer.from(bytes.toString("utf8")).equals(bytes);
    if (isUtf8) {
      // Texts are cut within surrogate pairs, too.
      const text = bytes.toString("utf8");
      const cut = random.below(text.length + 1);
      const problem = differ("as text", parse([text.slice(0, cut), "", text.slice(cut)], resumed), found);
      if (problem !== undefined) return `${problem.slice(0, 2_000)} ${told}`;
      count("text");
    }
    if (!isUtf8 || /[^\r\n]{4000}/.test(bytes.toString("latin1"))) return undefined;
    count("whole");
    const problem = differ("by the rules", found, interpret(bytes, resumed));
    return problem === undefined ? undefined : `${problem} ${told}`;
  },
};
