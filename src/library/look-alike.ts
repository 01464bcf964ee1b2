import { withoutHidden } from "./hidden-characters.ts";

// What looks like a letter of ASCII, by that letter: Cyrillic, Greek, Armenian, and small forms of Latin. Capitals stand with the capital.
const CONFUSABLES: readonly (readonly [ascii: string, others: string])[] = [
  ["A", "АΑᎪ"], ["B", "ВΒᏴ"], ["C", "СϹᏟ"], ["E", "ЕΕᎬ"], ["F", "Ϝ"], ["G", "Ԍ"], ["H", "НΗᎻ"], ["J", "ЈͿᎫ"], ["K", "КΚᏦ"], ["M", "МΜᎷ"],
  ["N", "Ν"], ["O", "ОΟՕ"], ["P", "РΡᏢ"], ["Q", "Ԛ"], ["S", "ЅՏᏚ"], ["T", "ТΤᎢ"], ["U", "Սᑌ"], ["V", "ѴᏙ"], ["W", "ԜᎳ"], ["X", "ХΧ"], ["Y", "УΥҮ"], ["Z", "ΖᏃ"],
  ["a", "аαɑ"], ["b", "Ьᖯ"], ["c", "сϲᴄ"], ["d", "ԁᏧ"], ["e", "еҽ℮"], ["g", "ɡցƍ"], ["h", "һհᏂ"], ["i", "іιıɩ"], ["j", "јϳ"], ["k", "κĸ"], ["l", "ӏІΙǀ|1IᏞ"],
  ["n", "ոռ"], ["o", "оοօσᴏ0"], ["p", "рρ"], ["q", "ԛզ"], ["r", "гᴦ"], ["s", "ѕꜱ"], ["t", "τ"], ["u", "υսʋᴜ"], ["v", "νѵᴠ"], ["w", "ԝѡɯᴡ"], ["x", "хχ"], ["y", "уγүʏ"], ["z", "ᴢ"],
];
const LETTER_OF: ReadonlyMap<string, string> = new Map(CONFUSABLES.flatMap(([ascii, others]) => [...others].map((other) => [other, ascii] as const)));

/**
 * What two names have in common that a reader takes for one: a form without what cannot be seen, accents and case, and one with the letters that
 * others look like. Names are look-alikes if they share a form.
 */
export function formsOf(name: string): readonly [plain: string, drawn: string] {
  const [plain, drawn] = folded(name);
  return [`plain ${plain}`, `drawn ${drawn}`];
}

function folded(name: string): readonly [plain: string, drawn: string] {
  const bare = withoutHidden(name.normalize("NFKD")).replace(/\p{M}/gu, "");
  let drawn = "";
  for (const character of bare) drawn += LETTER_OF.get(character) ?? character;
  return [bare.toLowerCase(), drawn.toLowerCase()];
}

/** The same two without what parts the words of a name: `listFiles`, `list_files` and `LIST-FILES` have them in common. */
export function joinedForms(name: string): readonly [plain: string, drawn: string] {
  return folded(name.replace(/[\s\p{P}]+/gu, ""));
}

// In words digits and ASCII stand for themselves, and the capitals that names may have for a small L are what they are in their script.
const LETTER_IN_WORDS: ReadonlyMap<string, string> = new Map([...[...LETTER_OF].filter(([other]) => other > "\u007f"), ["\u0406", "I"], ["\u0399", "I"], ["\u04c0", "I"]]);

/**
 * A text as words are looked for in it: compatibility forms made plain, what cannot be seen left out, and, in words that have a letter of Latin or nothing but letters that look like
 * one, those letters by their ASCII, without accents. Words of other scripts stay as they are. Linear.
 */
export function plainWords(text: string): string {
  if (/^[\t\n\r -~]*$/.test(text)) return text;
  const seen = text.normalize("NFKD").replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(/[\u2018\u2019]/g, "'");
  const plain = seen.replace(/[\p{L}\p{M}]+/gu, (word) => {
    if (/^[A-Za-z]+$/.test(word)) return word;
    const bare = word.replace(/\p{M}+/gu, "");
    let drawn = "";
    let others = 0;
    for (const character of bare) {
      const letter = LETTER_IN_WORDS.get(character);
      if (letter === undefined && !/[A-Za-z]/.test(character)) others++;
      drawn += letter ?? character;
    }
    return others === 0 || /[A-Za-z]/.test(bare) ? drawn : word;
  });
  return plain.normalize("NFC");
}

// Digits and signs that are drawn for letters, by either letter that a 1 is drawn for.
const LEET: ReadonlyMap<string, string> = new Map([["0", "o"], ["3", "e"], ["4", "a"], ["5", "s"], ["7", "t"], ["8", "b"], ["@", "a"], ["$", "s"], ["!", "i"]]);
const LEET_WORD = /[A-Za-z]{0,20}[0134578@$!][A-Za-z0134578@$!]{0,20}/g;
// What such texts are about; other words with digits are names, versions and hex.
const OF_ORDERS =
  /^(?:ignor|disregard|forget|overrid|bypass|supersed|instruct|prompt|rules?$|guideline|directive|polic|restrict|previous|prior$|earlier|system|assistant|users?$|human|tell|inform|mention|notify|reveal|secret|silent|password|credential|token|important|always|never|must$|send|forward|upload)/;

/**
 * A text with letters in place of the digits that stand for them (`1gn0re`), once for each letter that a `1` stands for; none where no word is one that orders are made of.
 * Linear.
 */
export function withoutLeet(text: string): readonly string[] {
  LEET_WORD.lastIndex = 0;
  if (!LEET_WORD.test(text)) return [];
  return ["i", "l"].flatMap((one) => {
    let isOrder = false;
    const plain = text.replace(LEET_WORD, (word) => {
      if (!/[A-Za-z]/.test(word)) return word;
      let letters = "";
      for (const character of word) letters += character === "1" ? one : (LEET.get(character) ?? character);
      isOrder ||= OF_ORDERS.test(letters.toLowerCase());
      return letters;
    });
    return isOrder ? [plain] : [];
  });
}

const SHORTEST = 5;

/** Whether one name is the other with one character changed, left out or too many, or two swapped. Short names and numbers at the same place differ so often that they do not count. */
export function isOneEditAway(left: string, right: string): boolean {
  if (left === right || Math.min(left.length, right.length) < SHORTEST || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd--;
    rightEnd--;
  }
  const [mine, theirs] = [left.slice(start, leftEnd), right.slice(start, rightEnd)];
  if (mine.length <= 1 && theirs.length <= 1) return !/^\d?$/.test(mine) || !/^\d?$/.test(theirs);
  return mine.length === 2 && theirs.length === 2 && mine[0] === theirs[1] && mine[1] === theirs[0];
}

/** Whether one word of a name mixes letters of Latin with those of Cyrillic, Greek, Armenian or Cherokee. */
export function mixesScripts(name: string): boolean {
  return name.split(/[^\p{L}\p{M}]+/u).some((word) => /[A-Za-z]/.test(word) && /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uab70-\uabbf]/.test(word));
}

/** Whether a name is of another script, and all its letters look like those of ASCII. */
export function passesForLatin(name: string): boolean {
  return /\p{L}/u.test(name) && !/\p{Script=Latin}/u.test(name) && /^[ -~]+$/.test(plainWords(name));
}

const LATIN_LOOK_ALIKE = new RegExp(`[${[...LETTER_OF.keys()].filter((letter) => letter > "\u007f" && /\p{Script=Latin}/u.test(letter)).join("")}]`, "u");

/** Whether a name has a letter of Latin that is drawn like one of ASCII without an accent, as `ı`, `ɡ` and small capitals are. */
export function hasLatinLookAlike(name: string): boolean {
  return LATIN_LOOK_ALIKE.test(name);
}
