import assert from "node:assert/strict";
import { test } from "node:test";
import { countStates, matchPattern } from "../../../src/core/schema/pattern-match.ts";
import { compileSchema } from "../../../src/core/schema/schema.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 4_112;
const FREE = () => {};

const CHARACTERS = [
  "a", "b", "c", "[ab]", "[^a]", ".", "\\w", "\\d", "\\s", "[a-c]", "\\W", "\\S", "\\D", "😀", "[😀b]", "\\u{1F600}", "\\u{01f600}", "\\ud83d\\ude00", "\\ud83d", "[^\\ud83d]",
  "[\\ud83d\\ude00a]", "\\p{L}", "[\\p{L}1]", "\\P{L}", "[^\\p{L}]", "\\x61", "\\u0062", "[\\s\\S]", "[]", "[^]", "\\cJ", "[\\cJa]", "\\0", "\\n", "[\\b]", "-", "\\-", "[\\w-]", "[\\w-a]",
  "[a\\-c]", "]", "}", "{", "{,3}", "\\c", "\\01", "[\\01]", "[\\c]", "\\u{2}", "\\p{2}", "[\\d-x]", "é", "\\u00e9", "[\\0-\\x09]", "\\/", "[\\]a]", "[^\\]]", "\\_",
];
const TEXTS = ["a", "b", "c", "a", "1", " ", "\n", "😀", "\ud83d", "\ude00", "é", "_", "-", "ab", "{", "}", "]", "\\", "p", "u", "\u0001", "\0", "世", "/"];

function randomPattern(random: Random, depth: number): string {
  const below = (opening: readonly string[]) => `${random.pick(opening)}${randomPattern(random, depth - 1)})`;
  const part = () => {
    const kind = random.next();
    if (kind < 0.12) return random.pick(["^", "$", "\\b", "\\B", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)"]);
    if (kind < 0.2 && depth > 0) return below(["(?=", "(?!", "(?<=", "(?<!"]);
    const atom = depth > 0 && random.next() < 0.4 ? below(["(?:", "(", `(?<n${random.below(1_000_000)}>`]) : random.pick(CHARACTERS);
    return atom + random.pick(["", "", "", "*", "+", "?", "{2}", "{2,4}", "{0,3}", "*?", "{1,}", "{0}", "+?", "{3,}"]);
  };
  const sequence = () => Array.from({ length: 1 + random.below(3) }, part).join("");
  let pattern = sequence();
  while (random.next() < 0.3) pattern += `|${random.next() < 0.1 ? "" : sequence()}`;
  return pattern;
}

function read(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

test("finds what the engine finds, in both syntaxes", () => {
  const random = seededRandom(SEED);
  const counts = { patterns: 0, left: 0, found: 0, not: 0 };
  for (let round = 0; round < 4_000; round++) {
    const source = random.pick(["", "", "^"]) + random.pick([randomPattern(random, 3), `(?:${randomPattern(random, 3)})`]) + random.pick(["", "", "$"]);
    for (const flags of ["u", ""]) {
      const regexp = read(source, flags);
      if (regexp === undefined) continue;
      counts.patterns++;
      if (countStates(source, flags === "u") === undefined) {
        counts.left++;
        continue;
      }
      const match = matchPattern(source, flags === "u");
      for (let turn = 0; turn < 6; turn++) {
        const text = Array.from({ length: random.below(9) }, () => random.pick(TEXTS)).join("");
        const expected: boolean = regexp.test(text);
        counts[expected ? "found" : "not"]++;
        assert.equal(match(text, FREE), expected, `seed ${SEED}: ${JSON.stringify(source)} ${flags} on ${JSON.stringify(text)}`);
      }
    }
  }
  assert.ok(counts.patterns > 4_000 && counts.left < counts.patterns / 4 && counts.found > 5_000 && counts.not > 5_000, JSON.stringify(counts));
});

test("takes steps by the length of the text times the states, and says how many states there are", () => {
  const random = seededRandom(SEED + 1);
  let tried = 0;
  for (let round = 0; round < 2_000; round++) {
    const source = randomPattern(random, 3);
    const unicode = read(source, "u") !== undefined;
    const states = read(source, "") === undefined && !unicode ? undefined : countStates(source, unicode);
    if (states === undefined) continue;
    const text = random.pick(["a", "ab", "aab", "1a "]).repeat(50);
    let steps = 0;
    matchPattern(source, unicode)(text, (more) => (steps += more));
    // A look takes a pass of its own; the engine is asked for characters by their property.
    const bound = (text.length + 2) * (states * 20 + 64 * (1 + source.split("(?").length));
    assert.ok(steps <= bound, `seed ${SEED + 1}: ${source} on ${text} took ${steps} steps of ${bound}`);
    tried++;
  }
  assert.ok(tried > 1_000, String(tried));
});

test("leaves to the engine what refers back, what is not understood, and what has too many states", () => {
  for (const source of ["(a)\\1", "(?<x>a)\\k<x>", "(?:(?:(?:ab?){99}){99}){99}", "a{100001}", "(?:){1000000000}", `a{${"0".repeat(50)}3}`, `${"(".repeat(150)}${")".repeat(150)}`]) {
    assert.equal(countStates(source, true), undefined, source.slice(0, 30));
  }
  assert.equal(countStates("\\01", false), undefined);
});

const IPV4 = "(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])";
const DATE = "(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))";
const SHORT = "[0-9a-fA-F]{1,4}";
const IPV6 =
  `((${SHORT}:){7}${SHORT}|(${SHORT}:){1,7}:|(${SHORT}:){1,6}:${SHORT}|(${SHORT}:){1,5}(:${SHORT}){1,2}|(${SHORT}:){1,4}(:${SHORT}){1,3}|(${SHORT}:){1,3}(:${SHORT}){1,4}` +
  `|(${SHORT}:){1,2}(:${SHORT}){1,5}|${SHORT}:((:${SHORT}){1,6})|:((:${SHORT}){1,7}|:))`;
const LONG = "x".repeat(20_000);

/** Patterns as generators of schemas write them: the name, the pattern, texts that fit, texts that do not. */
const ORDINARY: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ["mail address", "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$", ["first.last.name@example.com", `${LONG}@a-b.example`], ["first..last@example.com", `${LONG}@`, "@b.co"]],
  ["mail address, looking ahead", "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$", ["first.last.name@example.com"], [".a@b.co", "a..b@c.co", "a@b"]],
  ["mail address of RFC 5322, older syntax", "^(([^<>()\\[\\]\\\\.,;:\\s@\"]+(\\.[^<>()\\[\\]\\\\.,;:\\s@\"]+)*)|(\".+\"))@((\\[[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}])|(([a-zA-Z\\-0-9]+\\.)+[a-zA-Z]{2,}))$", ["first.last.name@example.com", "\"a b\"@[127.0.0.1]"], ["a@b", "a b@example.com", `${LONG}@b`]],
  ["mail address of HTML", "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$", ["first.last@example.com", "a@b"], ["a@-b", "a@b-", `a@${LONG}`]],
  ["mail address in any script", "^[^\\s@\"]{1,64}@[^\\s@]{1,255}$", ["世界@例え.jp"], ["a b@c", `${LONG}@c`]],
  ["IPv4", `^${IPV4}$`, ["192.168.0.1", "255.255.255.255"], ["256.1.1.1", "1.2.3", "01.2.3.4"]],
  ["IPv4 range", `^${IPV4}\\/([0-9]|[1-2][0-9]|3[0-2])$`, ["10.0.0.0/8"], ["10.0.0.0/33", "10.0.0.0"]],
  ["IPv6", `^${IPV6}$`, ["2001:0db8:85a3:0000:0000:8a2e:0370:7334", "::1", "::", "fe80::1:2"], ["1::2::3", "12345::", ":"]],
  ["IPv6 range", `^${IPV6}\\/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$`, ["2001:db8::/32"], ["2001:db8::/129"]],
  ["date", `^${DATE}$`, ["2024-02-29", "2023-12-31"], ["2023-02-29", "2024-13-01", "2024-1-1"]],
  ["date and time", `^${DATE}T(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z))$`, ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.123456Z"], ["2024-01-01T24:00:00Z", "2024-01-01 00:00:00Z"]],
  ["duration", "^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$", ["P3Y6M4DT12H30M5S", "P2W", "PT0.5S"], ["P", "PT", "P1Y2W", "P1M1Y"]],
  ["host name", "^(?=.{1,253}\\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$", ["sub.example.com.", "localhost", "a.".repeat(126) + "a"], ["-a.com", "a..b", "a.".repeat(127) + "a", LONG]],
  ["domain", "^(?=.{1,253}$)([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]{2,63}$", ["sub.example.com"], ["localhost", "a-.com"]],
  ["Base64", "^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$", ["", "aGVsbG8=", "abcd".repeat(75_000)], ["aGVsbG8", "abcd".repeat(5_000) + "a"]],
  ["emoji", "^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$", ["😀", "🇫🇷", "👩‍💻"], ["1", "a😀", ""]],
  ["an end", ".*z$", [`${LONG}z`], [LONG, "z\na"]],
  ["words apart", "^\\w+(?:[ -]?\\w+)*$", ["one two-three", LONG], [`${LONG}!`, " one"]],
  ["a path of names", "^(?:/[^/\\0]+)+/?$", ["/usr/lib/", `/${LONG}`], ["usr", "/a//b"]],
  ["a semantic version", "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$", ["1.2.3-alpha.1+build.5", "0.0.0"], ["1.2", "01.2.3", "1.2.3-"]],
  ["a password", "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w\\s]).{8,}$", ["aB3$efgh"], ["ab3$efgh", "aB3$efg"]],
  ["after and before", "(?<=\\$)\\d+(?:,\\d{3})*(?!\\d|,)", ["costs $1,234 now"], ["costs 1,234", "$,"]],
  ["a colour", "^#(?:[0-9a-fA-F]{3}){1,2}$", ["#fff", "#a1b2c3"], ["#ffff"]],
  ["hardware address, referring back", "^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\\1){4}[0-9a-f]{2}$", ["00:1a:2b:3c:4d:5e"], ["00:1a-2b:3c:4d:5e"]],
];

test("judges ordinary patterns on texts of any length as the engine does, and gives none of them up", () => {
  for (const [name, pattern, fitting, others] of ORDINARY) {
    const compiled = compileSchema({ pattern });
    const regexp = read(pattern, "u") ?? new RegExp(pattern);
    for (const text of [...fitting, ...others]) {
      const told = `${name}: ${text.slice(0, 60)}`;
      // The engine itself is only asked where that ends.
      if (text.length < 1_000) assert.equal(regexp.test(text), fitting.includes(text), told);
      const problem = compiled.check(text);
      assert.equal(problem === undefined, fitting.includes(text), `${told}: ${problem?.reason}`);
      assert.doesNotMatch(problem?.reason ?? "", /^is too/, told);
    }
  }
});
