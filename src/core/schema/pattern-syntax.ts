/** Code points as ranges, both ends included. */
export type CodePoints = readonly (readonly [number, number])[];

/** `^`, `$`, `\b`, `\B`. */
export type Assertion = "start" | "end" | "boundary" | "no boundary";

/** A regular expression, as far as what it matches depends on it. */
export type Term =
  /** One character out of a set; with `property`, of which the set is only an upper bound, one that this part of the pattern takes. */
  | { readonly kind: "set"; readonly set: CodePoints; readonly property?: string }
  /** Consumes nothing: an assertion, or nothing at all. */
  | { readonly kind: "empty"; readonly assertion?: Assertion }
  | { readonly kind: "sequence"; readonly terms: readonly Term[] }
  | { readonly kind: "choice"; readonly terms: readonly Term[] }
  | { readonly kind: "loop"; readonly body: Term; readonly min: number; readonly max: number }
  /** Lookahead or lookbehind. */
  | { readonly kind: "look"; readonly body: Term; readonly behind: boolean; readonly negated: boolean }
  /** A backreference, or what is not understood: any text. */
  | { readonly kind: "back" };

export const ANY: CodePoints = [[0, 0x10ffff]];

const DIGIT: CodePoints = [[48, 57]];
const WORD: CodePoints = [[48, 57], [65, 90], [95, 95], [97, 122]];
const SPACE: CodePoints = [
  [9, 13], [32, 32], [160, 160], [5760, 5760], [8192, 8202], [8232, 8233], [8239, 8239], [8287, 8287], [12288, 12288], [65279, 65279],
];
const LINE_ENDS: CodePoints = [[10, 10], [13, 13], [8232, 8233]];
const CONTROLS = new Map([["t", 9], ["n", 10], ["v", 11], ["f", 12], ["r", 13], ["0", 0]]);

/** The other characters, in order. */
export function invert(set: CodePoints): CodePoints {
  const inverted: (readonly [number, number])[] = [];
  let next = 0;
  for (const [low, high] of [...set].sort(([a], [b]) => a - b)) {
    if (low > next) inverted.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= 0x10ffff) inverted.push([next, 0x10ffff]);
  return inverted;
}

const CLASSES = new Map<string, CodePoints>([
  ["d", DIGIT], ["w", WORD], ["s", SPACE], ["D", invert(DIGIT)], ["W", invert(WORD)], ["S", invert(SPACE)],
]);

const HEX = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/;
// Only read as Unicode: by number, and two halves of a pair.
const CODE_POINT = /^u(?:\{0*([\da-fA-F]{1,6})\}|([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2}))/;

const DOT = invert(LINE_ENDS);

/** The parser is recursive, as is what reads its terms. */
const MAX_NESTING = 100;

/**
 * Parses a regular expression that the engine has accepted with the flag `u`, or without. Undefined for what is nested too deeply or not
 * understood. What only the engine knows, the characters of a Unicode property, is read as any character, with its source beside it.
 */
export function parsePattern(source: string, unicode = true): Term | undefined {
  const characters = unicode ? Array.from(source) : source.split("");
  let at = 0;
  let depth = 0;
  let lost = false;

  const rest = (length: number) => characters.slice(at, at + length).join("");
  const take = (text: string) => {
    for (let index = 0; index < text.length; index++) if (characters[at + index] !== text[index]) return false;
    at += text.length;
    return true;
  };

  function choice(): Term {
    if (++depth > MAX_NESTING) lost = true;
    const terms = [sequence()];
    while (!lost && take("|")) terms.push(sequence());
    depth--;
    return terms.length === 1 ? (terms[0] as Term) : { kind: "choice", terms };
  }

  function sequence(): Term {
    const terms: Term[] = [];
    while (!lost && at < characters.length && characters[at] !== "|" && characters[at] !== ")") terms.push(quantified(atom()));
    return { kind: "sequence", terms };
  }

  function quantified(body: Term): Term {
    const [min, max] = quantifier();
    take("?"); // lazy ones backtrack as much
    return min === 1 && max === 1 ? body : { kind: "loop", body, min, max };
  }

  function quantifier(): readonly [number, number] {
    if (take("*")) return [0, Infinity];
    if (take("+")) return [1, Infinity];
    if (take("?")) return [0, 1];
    // Cut: counts beyond any sane text need no exact reading, and the older syntax has "{" as a character.
    if (characters[at] !== "{") return [1, 1];
    if (/^\{[\d,]{40}/.test(rest(48))) lost = true;
    const [counts, least = "1", comma, most = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(rest(48)) ?? [];
    if (counts === undefined) return [1, 1];
    at += counts.length;
    return [Number(least), comma === "" ? Number(least) : most === "" ? Infinity : Number(most)];
  }

  function atom(): Term {
    const character = characters[at++] ?? "";
    switch (character) {
      case "^":
        return { kind: "empty", assertion: "start" };
      case "$":
        return { kind: "empty", assertion: "end" };
      case ".":
        return { kind: "set", set: DOT };
      case "(":
        return group();
      case "[":
        return setFrom(bracket);
      case "\\":
        return escape();
      default:
        return { kind: "set", set: single(character) };
    }
  }

  function group(): Term {
    const begin = at;
    const look = take("?=") || take("?!") || take("?<=") || take("?<!");
    const sign = characters.slice(begin, at);
    if (!look && !take("?:") && take("?<")) while (at < characters.length && characters[at++] !== ">");
    // Modifiers such as (?i:…) change what sets mean.
    else if (!look && characters[at] === "?") lost = true;
    const body = choice();
    if (!take(")")) lost = true;
    return look ? { kind: "look", body, behind: sign.includes("<"), negated: sign.includes("!") } : body;
  }

  function escape(): Term {
    const next = characters[at] ?? "";
    if (next === "b" || next === "B") {
      at++;
      return { kind: "empty", assertion: next === "b" ? "boundary" : "no boundary" };
    }
    if (next >= "1" && next <= "9") {
      while (/^\d$/.test(characters[at] ?? "")) at++;
      return { kind: "back" };
    }
    if (next === "k") {
      at++;
      if (take("<")) while (at < characters.length && characters[at++] !== ">");
      return { kind: "back" };
    }
    // In the older syntax it is a backslash where no letter follows.
    if (next === "c" && !/[a-zA-Z]/.test(characters[at + 1] ?? "")) return { kind: "back" };
    return setFrom(escapedSet);
  }

  /** A set that begins at the last character read. */
  function setFrom(read: () => CodePoints): Term {
    const begin = at - 1;
    const set = read();
    if (set !== ANY) return { kind: "set", set };
    return unicode ? { kind: "set", set, property: characters.slice(begin, at).join("") } : { kind: "back" };
  }

  // After the backslash, in or out of brackets.
  function escapedSet(): CodePoints {
    const character = characters[at++] ?? "";
    const known = CLASSES.get(character);
    if (known !== undefined) return known;
    const pair = unicode && character === "u" && CODE_POINT.exec(character + rest(48));
    if (pair) {
      at += pair[0].length - 1;
      const half = (digits = "") => String.fromCharCode(Number.parseInt(digits, 16));
      return pair[1] === undefined ? single(half(pair[2]) + half(pair[3])) : point(Number.parseInt(pair[1], 16));
    }
    const hex = HEX.exec(character + rest(4));
    if (hex) {
      at += hex[0].length - 1;
      return point(Number.parseInt(hex[1] ?? hex[2] ?? "", 16));
    }
    if (unicode && character === "u") lost = true; // a number with very many zeros
    if (unicode && (character === "p" || character === "P")) {
      while (at < characters.length && characters[at++] !== "}");
      return ANY;
    }
    if (character === "c" && /[a-zA-Z]/.test(characters[at] ?? "")) return point((characters[at++]?.charCodeAt(0) ?? 0) % 32);
    // Octal numbers, and a backslash before "c", of the older syntax.
    if (character === "c" || (/^\d$/.test(character) && (character !== "0" || /^\d$/.test(characters[at] ?? "")))) return ANY;
    const control = CONTROLS.get(character);
    if (control !== undefined) return point(control);
    return single(character);
  }

  function bracket(): CodePoints {
    const negated = take("^");
    const set: (readonly [number, number])[] = [];
    let vague = false;
    while (at < characters.length && !take("]")) {
      const low = bracketItem();
      if (low === ANY) vague = true;
      const dash = characters[at] === "-" && characters[at + 1] !== "]" && at + 1 < characters.length;
      if (!dash) {
        set.push(...low);
        continue;
      }
      at++;
      const high = bracketItem();
      const from = low[0];
      const to = high[0];
      if (low.length === 1 && high.length === 1 && from !== undefined && to !== undefined && from[0] === from[1] && to[0] === to[1]) {
        set.push([from[0], to[0]]);
      } else {
        set.push(...low, ...high, [45, 45]);
      }
      if (high === ANY) vague = true;
    }
    // The inverse of what is only an upper bound would be too small.
    return vague ? ANY : negated ? invert(set) : set;
  }

  function bracketItem(): CodePoints {
    if (!take("\\")) return single(characters[at++] ?? "");
    if (take("b")) return [[8, 8]];
    return take("-") ? [[45, 45]] : escapedSet();
  }

  const term = choice();
  return lost || at < characters.length ? undefined : term;
}

function single(character: string): CodePoints {
  const code = character.codePointAt(0);
  return code === undefined ? [] : point(code);
}

function point(code: number): CodePoints {
  return [[code, code]];
}
