import { base64Encode, utf8Encode } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { DEFAULT_MAX_DEPTH, isObject, setMember, type JsonObject } from "../core/base/json.ts";
import { textInBase64 } from "./decodings.ts";
import { type Exchange, type Place, zoneOf } from "./redact-structure.ts";

/** What becomes of the texts and numbers of a payload. Each gives back what it got where nothing changes. */
export interface PayloadEdit {
  /**
   * In data `member` holds the text, or the list that it is an entry of, or names what it is a value of; nothing where the payload itself holds it. Member names are
   * texts without one.
   */
  text(text: string, member: string | undefined, stands: Stands): string;
  /** A number in arguments, structured content and other data. */
  number(value: number, member: string | undefined): number | string;
  /** The number that takes the place of a text in data which is no member's name; `text` is asked where there is none. */
  numberOf?(text: string): number | undefined;
  /** The texts of blocks that follow each other in one list, before `text` is asked for each. */
  blocks?(texts: readonly string[]): readonly string[];
  /** Whether texts that a resource holds as Base64, and says so by its media type, are edited, too. */
  readonly inBlobs?: boolean;
  /** A URI or a media type that belongs to the protocol; left alone unless given. */
  address?(text: string): string;
  /** Characters of all texts in a payload; `limit_exceeded` above. */
  readonly maxTextChars: number;
}

/** How a text belongs to its name: as the value of a member, as one of a list, or as the second of two texts of which the first is its name, in a list of such (`[["Authorization", "…"]]`). */
export type Stands = "held" | "listed" | "paired";

/** Characters of text that an interceptor reads in one payload, unless its config says otherwise. */
export const DEFAULT_MAX_TEXT_CHARS = 4 * 1024 * 1024;

/**
 * The payload with every string edited: values and member names, wherever they are, except what `redact-structure.ts` names. Where nothing changes
 * it is the same object as before; the argument is never changed. Depth past the message limit, and text past `maxTextChars`, throws `limit_exceeded`,
 * which blocks the message.
 */
export function editPayload(payload: unknown, exchange: Exchange, edit: PayloadEdit): unknown {
  let charsLeft = edit.maxTextChars;
  const count = (text: string) => {
    charsLeft -= text.length;
    if (charsLeft < 0) {
      throw new LocalError("limit_exceeded", `a payload with more than ${edit.maxTextChars} characters of text cannot be read (maxTextChars)`);
    }
  };
  const editText = (text: string, member?: string, stands: Stands = "held"): string => {
    count(text);
    return edit.text(text, member, stands);
  };
  const editBlob = (blob: string, object: JsonObject): string => {
    const text = edit.inBlobs === true && isTextual(object["mimeType"]) ? textInBase64(blob) : undefined;
    if (text === undefined) return blob;
    const edited = editText(text);
    return edited === text ? blob : base64Encode(utf8Encode(edited));
  };
  const editScalar = (value: unknown, member: string, object: JsonObject): unknown => {
    if (typeof value !== "string") return value;
    if (member === "blob") return editBlob(value, object);
    if (edit.address === undefined || !ADDRESSES.has(member)) return value;
    count(value);
    return edit.address(value);
  };

  // Recursion is bounded by the depth that a message may have.
  const walk = (value: unknown, place: Place, depth: number, stands: Stands = "held"): unknown => {
    if (typeof value === "string") return (place.zone === "data" ? edit.numberOf?.(value) : undefined) ?? editText(value, place.zone === "data" ? place.holder : undefined, stands);
    if (typeof value === "number") return place.zone === "data" ? edit.number(value, place.holder) : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth === 0) throw new LocalError("limit_exceeded", `a payload nested deeper than ${DEFAULT_MAX_DEPTH} levels cannot be read`);
    if (Array.isArray(value)) return walkList(value, place, depth, stands);
    return isObject(value) ? walkObject(value, place, depth) : value;
  };

  const walkList = (original: readonly unknown[], place: Place, depth: number, stands: Stands): readonly unknown[] => {
    const list = edit.blocks === undefined ? original : editBlocks(original, edit.blocks);
    let copy: unknown[] | undefined;
    // By itself, a list of two is one of values as often.
    const isPair = place.zone === "data" && stands === "listed" && list.length === 2 && list.every((item) => typeof item === "string");
    for (const [index, item] of list.entries()) {
      const edited = isPair && index === 1 ? walk(item, { ...place, holder: String(list[0]) }, depth - 1, "paired") : walk(item, place, depth - 1, "listed");
      if (edited !== item) (copy ??= [...list])[index] = edited;
    }
    return copy ?? list;
  };

  const walkObject = (object: JsonObject, place: Place, depth: number): JsonObject => {
    const members = Object.keys(object);
    const values: unknown[] = [];
    let names: Map<string, string> | undefined;
    let changed = false;
    for (const member of members) {
      const value = object[member];
      const zone = zoneOf(member, object, place, exchange);
      const edited = zone === undefined ? editScalar(value, member, object) : walk(value, { zone, holder: (zone === "data" && nameOfValue(member, object, place)) || member }, depth - 1);
      values.push(edited);
      changed ||= edited !== value;
      const name = editText(member);
      if (name !== member) (names ??= new Map()).set(member, name);
    }
    if (!changed && names === undefined) return object;
    const newName = names === undefined ? (member: string) => member : renaming(members, names);
    const copy: JsonObject = {};
    for (const [index, member] of members.entries()) setMember(copy, newName(member), values[index]);
    return copy;
  };

  return walk(payload, { zone: "protocol", holder: undefined }, DEFAULT_MAX_DEPTH);
}

const ADDRESSES: ReadonlySet<string> = new Set(["uri", "uriTemplate", "mimeType"]);
const TEXTUAL = /^text\/|[/+](?:x-)?(?:json|jsonl|ndjson|xml|ya?ml|toml|csv|javascript|typescript|sh|shellscript|python|perl|ruby|php|httpd-php|www-form-urlencoded|pem-file|sql|graphql)\b/i;

function isTextual(mimeType: unknown): boolean {
  return typeof mimeType === "string" && TEXTUAL.test(mimeType);
}

/** What `{ "name": "Authorization", "value": "…" }` says of its value, or the name that such an object is under: `{ "password": { "value": "…" } }`. */
function nameOfValue(member: string, object: JsonObject, place: Place): string | undefined {
  if (member !== "value") return undefined;
  for (const other of ["name", "key", "header"]) {
    const name = object[other];
    if (typeof name === "string") return name;
  }
  return place.zone === "data" ? place.holder : undefined;
}

/** Edits the text blocks of a list that stand next to each other, together. */
function editBlocks(list: readonly unknown[], edit: (texts: readonly string[]) => readonly string[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let start = 0; start < list.length; start++) {
    let end = start;
    const texts: string[] = [];
    for (let text = blockText(list[end]); text !== undefined; text = blockText(list[++end])) texts.push(text);
    const edited = texts.length < 2 ? texts : edit(texts);
    for (const [index, text] of texts.entries()) {
      if (edited[index] === text) continue;
      // It has a text, so it is an object.
      (copy ??= [...list])[start + index] = { ...(list[start + index] as JsonObject), text: edited[index] };
    }
    start = end;
  }
  return copy ?? list;
}

function blockText(block: unknown): string | undefined {
  return isObject(block) && block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : undefined;
}

/** Gives each edited member a name that no other has: the second of one mask becomes `…#2`, counted in member order. */
function renaming(members: readonly string[], names: ReadonlyMap<string, string>): (member: string) => string {
  const taken = new Set(members.filter((member) => !names.has(member)));
  const counts = new Map<string, number>();
  return (member) => {
    const name = names.get(member);
    if (name === undefined) return member;
    let count = counts.get(name) ?? 0;
    let free: string;
    do {
      count++;
      free = count === 1 ? name : `${name}#${count}`;
    } while (taken.has(free));
    counts.set(name, count);
    taken.add(free);
    return free;
  };
}
