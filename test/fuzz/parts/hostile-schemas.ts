// Schemas and values that are made to cost as much as they can, each at a size.

type Json = Readonly<Record<string, unknown>>;
type Hostile = readonly [schema: unknown, value: unknown];

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: Math.max(1, Math.round(count)) }, (_none, index) => make(index));
const members = (count: number, make: (index: number) => unknown, name = "k"): Json => Object.fromEntries(times(count, (index) => [`${name}${index}`, make(index)]));
const nest = (depth: number, wrap: (inner: unknown) => unknown, innermost: unknown) => times(depth, () => 0).reduce<unknown>(wrap, innermost);

/** As many as a schema may hold, at most. */
const some = <T>(count: number, make: (index: number) => T): T[] => times(Math.min(count, 9_900), make);

const doublings = (size: number) => Math.round(30 + 10 * size);

/** Each definition refers to the next one twice, so that the last is reached 2^depth times. */
const doubling = (size: number, twice: (ref: Json) => Json): Json => ({
  ...twice({ $ref: "#/$defs/1" }),
  $defs: Object.fromEntries(times(doublings(size), (index) => [index + 1, index + 1 < doublings(size) ? twice({ $ref: `#/$defs/${index + 2}` }) : { type: "object" }])),
});

/** The size is 1 for what fits some 100 kB, and may be a tenth, or ten. */
export const HOSTILE: Readonly<Record<string, (size: number) => Hostile>> = {
  "nested beyond the limit": (size) => [nest(5_000 * size, (inner) => ({ not: inner }), {}), 1],
  "nested up to the limit": () => [nest(127, (inner) => ({ allOf: [inner], unevaluatedProperties: true }), {}), { a: 1 }],
  "a value nested as deep as messages may be": () => [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ type: "null" }, { items: { $ref: "#/$defs/a" }, uniqueItems: true }] } } }, nest(127, (inner) => [inner, 1], null)],
  "a reference to itself": () => [{ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } }, 1],
  "a chain of references": (size) => [{ $ref: "#/$defs/k0", $defs: members(3_000 * size, (index) => ({ $ref: `#/$defs/k${index + 1}` })) }, 1],
  "references doubled by allOf": (size) => [doubling(size, (ref) => ({ allOf: [ref, ref] })), {}],
  "references doubled by anyOf": (size) => [doubling(size, (ref) => ({ anyOf: [{ not: ref }, ref] })), {}],
  "references doubled by oneOf": (size) => [doubling(size, (ref) => ({ oneOf: [ref, { not: ref }] })), {}],
  "references doubled by if": (size) => [doubling(size, (ref) => ({ if: ref, then: ref })), {}],
  "references doubled by members": (size) => [doubling(size, (ref) => ({ properties: { a: ref }, additionalProperties: ref, allOf: [ref] })), { a: { a: {}, b: {} }, b: { a: {} } }],
  "many in allOf": (size) => [{ allOf: some(9_000 * size, () => ({ minProperties: 1 })) }, members(100, () => 1)],
  "many in anyOf": (size) => [{ items: { anyOf: some(5_000 * size, () => ({ type: "string" })) } }, times(2_000 * size, () => 1)],
  "many in oneOf, with notes": (size) => [{ oneOf: some(3_000 * size, () => ({ properties: { k1: false } })), unevaluatedProperties: false }, members(1_000 * size, () => 1)],
  "notes that are handed up": (size) => [nest(60, (inner) => ({ allOf: [inner, { patternProperties: { "": true } }], unevaluatedProperties: false }), {}), members(2_000 * size, () => 1)],
  "notes of items": (size) => [{ allOf: some(200 * size, () => ({ contains: { type: "number" } })), unevaluatedItems: false }, times(10_000 * size, () => 1)],
  "a long enum": (size) => [{ items: { enum: times(10_000 * size, (index) => `name ${index}`) } }, times(10_000 * size, (index) => `other ${index}`)],
  "an enum of objects": (size) => [{ items: { enum: times(3_000 * size, (index) => ({ a: [index] })) } }, times(3_000 * size, () => ({ a: [-1] }))],
  "a long constant": (size) => [{ items: { not: { const: times(10_000 * size, () => "x") } } }, times(1_000, () => times(10, () => "x"))],
  "an enum of one long text": (size) => [{ allOf: some(4_000 * size, () => ({ $ref: "#/$defs/a" })), $defs: { a: { enum: ["x".repeat(100_000 * size)] } } }, "x".repeat(100_000 * size)],
  "many required": (size) => [{ items: { not: { required: times(10_000 * size, (index) => `name${index}`) } } }, times(5_000 * size, () => ({}))],
  "many dependencies": (size) => [{ items: { dependentRequired: members(3_000 * size, () => ["a", "b"]), dependentSchemas: members(2_000 * size, () => false, "s") } }, times(2_000 * size, () => ({ k1: 1, a: 1, b: 1 }))],
  "many properties of many members": (size) => [{ items: { properties: members(3_000 * size, () => ({ type: "number" })), additionalProperties: false } }, times(100 * size, () => members(1_000, () => 1))],
  "many patterns for many names": (size) => [{ patternProperties: members(500 * size, () => ({ type: "number" }), "^(?:[a-z]+-?)*"), additionalProperties: false }, members(3_000 * size, () => 1)],
  "many compiled patterns": (size) => [{ allOf: some(2_000 * size, (index) => ({ pattern: `^${"(?:a|b|c)".repeat(6)}${index}$` })) }, "abcabc1"],
  "long names above many schemas": (size) => [{ properties: { ["n".repeat(20_000 * size)]: { properties: members(5_000 * size, () => ({})) } } }, {}],
  "long identifiers above many schemas": (size) => [{ $id: `https://a.example/${"i".repeat(20_000 * size)}/`, $defs: members(2_000 * size, (index) => ({ $id: `x${index}` })) }, 1],
  "identifiers that grow": (size) => [nest(100, (inner) => ({ $id: `${"y".repeat(300 * size)}/`, $defs: { a: inner } }), {}), 1],
  "long references": (size) => [{ allOf: some(2_000 * size, () => ({ $ref: `#/$defs${"/a".repeat(100)}` })), $defs: nest(99, (inner) => ({ a: inner }), { a: {} }) }, 1],
  "references that go up and down": (size) => [{ $id: "https://a.example/b/", $defs: members(300 * size, () => ({ $ref: `${"x/../".repeat(100)}#/$defs/k0/title`, title: true })) }, 1],
  "a deep dynamic scope": (size) => [
    { $ref: "r0", $defs: { ...members(900, (index) => ({ $id: `r${index}`, $ref: index < 899 ? `r${index + 1}` : "end" }), "d"), end: { $id: "end", items: { $dynamicRef: "#x" }, $defs: { leaf: { $dynamicAnchor: "x" } } } } },
    times(50_000 * size, () => 1),
  ],
  "many dynamic anchors": (size) => [{ $dynamicRef: "#a0", $defs: members(2_000 * size, (index) => ({ $id: `r${index}`, $dynamicAnchor: `a${index}`, items: { $dynamicRef: `#a${index}` } })) }, [[1]]],
  "unique items, each a list": (size) => [{ uniqueItems: true }, times(20_000 * size, (index) => [index, { a: index }])],
  "unique items over and over": (size) => [{ allOf: some(5_000 * size, () => ({ uniqueItems: true })) }, [["x".repeat(100_000 * size)], 1]],
  "unique texts that differ late": (size) => [{ allOf: some(200 * size, () => ({ uniqueItems: true })) }, times(20 * size, (index) => `${"x".repeat(20_000)}${index}`)],
  "unique texts that are alike": (size) => [{ allOf: some(4_000 * size, () => ({ not: { uniqueItems: true } })) }, times(2, () => ["x".repeat(50_000 * size), ""].join("y"))],
  "multiples of next to nothing": (size) => [{ items: { multipleOf: 1e-308 } }, times(20_000 * size, () => 1.7e308)],
  "lengths of long texts": (size) => [{ allOf: some(3_000 * size, () => ({ maxLength: 50_000, minLength: 40_000 })) }, "😀".repeat(45_000)],
  "contains, counted": (size) => [{ allOf: some(100 * size, () => ({ contains: { contains: { type: "string" } }, minContains: 0 })) }, times(1_000 * size, () => times(10, () => 1))],
  "names that are patterns": (size) => [{ propertyNames: { pattern: "^(?:[^x]*,?)*$" } }, members(1_000 * size, () => 1, "a,b,c,")],
  ...Object.fromEntries(
    ["^(a+)+$", "^(a|aa)+$", "(.*)*x", "^(a*)\\1\\1b$", "(?=(a+))\\1*b", "\\s+$", "^(?:a?){40}a{40}$", "((a{0,30}){0,30}){0,30}b", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:.*,){20}P", "[^]*[^]*[^]*[^]*q", "(?<=(a+)+)b", "^((?:a|b)*c?)*$", "(?=(?:.?,?){99}x)(?!(?:a?){99}b)", "(?:[\\p{L}\\d]?\\p{N}?){300}!!"].map((pattern) => [
      `the pattern ${pattern}`,
      (size: number): Hostile => [{ items: { not: { pattern } } }, [...times(30, (index) => `${"a".repeat(index * size)}!`), " ".repeat(20_000 * size), "x,".repeat(5_000 * size), "a".repeat(100_000 * size)]],
    ]),
  ),
  "many patterns of many states": (size) => [{ allOf: some(100 * size, (index) => ({ pattern: `(?:a?b?|${index}){1500}x` })) }, "ab".repeat(100)],
  "a pattern of long copies": (size) => [{ items: { not: { pattern: "[ab]{30000}c" } } }, times(60 * size, () => "a".repeat(100_000))],
  "a pattern of long copies that refers back": (size) => [{ items: { not: { pattern: "()\\1[ab]{30000}c" } } }, times(60 * size, () => "a".repeat(100_000))],
  "a pattern of long copies of nothing": (size) => [{ items: { not: { pattern: "(?:\\b){2000000000}c" } } }, times(60 * size, () => "a b")],
  "a pattern of many states for many texts": (size) => [{ items: { not: { pattern: "(?:a?b?){9000}x" } } }, times(1_000 * size, () => "ab")],
  "a pattern of many choices": (size) => [{ pattern: `^(?:${times(8_000 * size, (index) => `w${index}`).join("|")})$` }, "w"],
  "a pattern of Unicode properties": (size) => [{ pattern: "(?:a|\\p{L})".repeat(480 * Math.min(size, 1)) }, "\u4e16abc"],
  "many patterns of Unicode properties": (size) => [{ allOf: some(300 * size, (index) => ({ pattern: `${"[^\\p{L}]".repeat(10)}|${index}` })) }, "a1b2c3".repeat(100)],
  "a pattern of many groups": (size) => [{ pattern: "(?:a|b)".repeat(9_000 * Math.min(size, 1)) }, "abc"],
  "a pattern nested deep": (size) => [{ pattern: `${"(".repeat(20_000 * size)}a${")".repeat(20_000 * size)}` }, "a"],
  "a pattern of counts of counts": () => [{ pattern: "(?:(?:(?:(?:ab?){9}){99}){999}){9999}" }, "ab".repeat(10_000)],
  "a pattern of many classes": (size) => [{ pattern: times(900 * size, () => "[\\w-\\u{10000}]?").join("") }, "b".repeat(2_000)],
};
