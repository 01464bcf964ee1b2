// The classifier and the frame decoder, against the oracle's own reading of a line.
import { resolveLimits } from "../../../src/core/base/limits.ts";
import { decodeFrame } from "../../../src/core/wire/frame.ts";
import { classify } from "../../../src/core/wire/message.ts";
import { randomJson, randomText } from "../../support/random-json.ts";
import type { Random } from "../../support/random.ts";
import { MAX_BYTES } from "../breakage.ts";
import { topLevel } from "../model.ts";
import { readLine } from "../reader.ts";
import { mangle } from "./mangle.ts";
import type { Part } from "./part.ts";

const LIMITS = resolveLimits({ maxMessageBytes: MAX_BYTES });

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  jsonrpc: ['"2.0"', '"2.0"', '"2.0"', '"2.0"', '"2.0"', '"2.\\u0030"', '"1.0"', "2.0", "null"],
  id: ["1", "0", '""', '"a"', '"null"', "-1", "1.0", "1.5", "null", "9007199254740991", "9007199254740993", "true", "[]", '"\\ud800"'],
  method: ['"tools/call"', '"ping"', '"notifications/x"', '""', '"initialize"', '"toString"', '"__proto__"', "5", "null"],
  params: ["{}", "[]", "null", '"x"', '{"name":"a"}', '{"Name":"a"}', '{"_meta":{"a":1,"A":2}}', '{"__proto__":{}}', '{"arguments":{"Name":1,"name":2}}'],
  result: ["{}", "null", "[]", "0", '{"tools":[]}'],
  error: ['{"code":1,"message":""}', '{"code":1.0,"message":"m","data":null}', '{"code":"1","message":"m"}', '{"code":1}', '{"message":"m"}', "null", "[]", '{"code":1.5,"message":""}', '{"code":1,"message":"m","more":1}'],
};
const STRANGE = ["Method", "ID", "extra", "__proto__", "constructor", "Result", "\\u0069d", "ıd", ""];

function drawMessage(random: Random): string {
  const kinds: readonly (readonly string[])[] = [["id", "method", "params"], ["id", "method"], ["method", "params"], ["method"], ["id", "result"], ["id", "error"], ["error"], Object.keys(MEMBERS)];
  const names = ["jsonrpc", ...random.pick(kinds)].filter(() => random.below(25) > 0);
  if (random.below(8) === 0) names.push(random.pick(Object.keys(MEMBERS)));
  // The first of each list is the usual one.
  const members = [...new Set(names)].map((name) => `"${name}":${random.below(3) > 0 ? MEMBERS[name]![0] : random.pick(MEMBERS[name]!)}`);
  if (random.below(10) === 0) members.push(`"${random.pick(STRANGE)}":${randomText(random, randomJson(random, 2))}`);
  for (let at = members.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [members[at], members[other]] = [members[other]!, members[at]!];
  }
  return `{${members.join(random.pick([",", " , ", ",\n"]))}}`;
}

export const messagesPart: Part = {
  name: "messages",
  cases: 2_000,
  least: { request: 120, notification: 100, result: 80, error: 80, batch: 80, invalid: 500, answers: 100, "invalid with an id": 150 },
  run(random, count) {
    let text = drawMessage(random);
    if (random.below(12) === 0) text = `[${text},${drawMessage(random)}]`;
    if (random.below(6) === 0) text = mangle(random, text, ['"', "{", "}", ",", ":", "\\", '"id":1,', "null", "1e400", "[".repeat(130)]);
    const { said, items } = readLine(text);
    const { frame, invalid } = decodeFrame(text, LIMITS);
    count(said?.kind ?? (items === undefined ? "invalid" : "batch"));
    if ((frame === undefined) === (said !== undefined)) return `${frame === undefined ? "refused" : "read"}, and is ${said?.kind ?? "no message"}: ${text} ${invalid?.error.message}`;
    if (frame !== undefined && said !== undefined) {
      const { kind } = classify(frame.message);
      if (kind !== said.kind) return `taken for a ${kind}, and is a ${said.kind}: ${text}`;
      if (frame.text !== text || JSON.stringify(frame.message) !== JSON.stringify(said.message)) return `is read as another: ${text}`;
      return undefined;
    }
    // It is owed an answer by the one id that it has, or by none.
    if (invalid?.id !== undefined) count("invalid with an id");
    if (invalid?.answers === true) count("answers");
    const code = invalid?.error.code;
    if (code !== -32700 && code !== -32600) return `refused by ${code}: ${text}`;
    const top = topLevel(text);
    // What is no JSON further on may have been refused before that.
    if (top === undefined) return invalid?.id === undefined || !/^\s*\[/.test(text) ? undefined : `an id is read from a list: ${text}`;
    // The model looks at names of any depth.
    if ((text.match(/"(?:i|ı|\\u0069)d"/gi) ?? []).length > 1) return undefined;
    if (code === -32700) return invalid?.id === undefined ? `JSON is called none: ${text}` : undefined;
    if (invalid?.id !== undefined && invalid.id !== top.id) return `the id ${JSON.stringify(invalid.id)} is read: ${text}`;
    if (top.id !== undefined && invalid?.id === undefined) return `the id is not read: ${text}`;
    // Where a member differs in case alone a reader of each kind is right.
    if (!/"(?:method|result|error)"/i.test(text) || /[A-Z]+(?:ethod|esult|rror)"/.test(text)) return undefined;
    return invalid?.answers === top.answers ? undefined : `answers is ${invalid?.answers}: ${text}`;
  },
};
