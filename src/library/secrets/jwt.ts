import { base64Decode, utf8Decode } from "../../core/base/bytes.ts";
import { isObject } from "../../core/base/json.ts";
import type { Report } from "./kinds.ts";

// Signed ones have three parts, encrypted ones five; an unsigned one ends in a dot. In Base64, a brace and what may come behind it is `ey` or `ew`.
const JWT = /(?<![A-Za-z0-9])(e[wy][A-Za-z0-9_-]{9,2000})\.[A-Za-z0-9_-]{2,16000}(?:\.[A-Za-z0-9_-]{0,16000}){1,3}/g;

/** Finds JSON Web Tokens in `piece`, which stands at `offset`: three parts or more, the first of which is a header that names an algorithm. */
export function findJwts(piece: string, offset: number, report: Report): void {
  if (!piece.includes(".")) return;
  JWT.lastIndex = 0;
  for (let match = JWT.exec(piece); match !== null; match = JWT.exec(piece)) {
    const { 0: token, 1: header = "", index } = match;
    if (namesAlgorithm(header)) report("jwt", offset + index, offset + index + token.length);
  }
}

function namesAlgorithm(header: string): boolean {
  const bytes = base64Decode(header, "url");
  if (bytes === undefined) return false;
  try {
    const value: unknown = JSON.parse(utf8Decode(bytes));
    return isObject(value) && typeof value["alg"] === "string";
  } catch {
    return false;
  }
}
