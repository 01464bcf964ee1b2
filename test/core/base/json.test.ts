import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { LocalError } from "../../../src/core/base/errors.ts";
import { DEFAULT_MAX_DEPTH, cloneJson, equalJson, formatPointer, isObject, ownMember, parsePointer, setMember, withMember } from "../../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { seededRandom } from "../../support/random.ts";
import { randomJson } from "../../support/random-json.ts";

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let left = depth; left > 0; left--) value = left % 2 === 0 ? [value] : { a: value };
  return value;
}

function refusedAt(value: unknown, maxDepth?: number): unknown {
  try {
    cloneJson(value, maxDepth);
  } catch (error) {
    assert.ok(error instanceof LocalError);
    assert.equal(error.code, "not_json");
    return error.details?.["pointer"];
  }
  return assert.fail("was cloned");
}

describe("cloneJson", () => {
  it("equals a round trip through text, for random plain JSON", () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const value = randomJson(seededRandom(seed), 5);
      const before = JSON.stringify(value);
      const copy = cloneJson(value);
      assert.deepStrictEqual(copy, JSON.parse(before), `seed ${seed}: ${before}`);
      assert.equal(JSON.stringify(copy), before, `seed ${seed}: member order`);
      assert.equal(JSON.stringify(value), before, `seed ${seed}: the source is as it was`);
    }
  });

  it("shares nothing with its source", () => {
    const source = { a: [{ b: 1 }], c: { d: {} } };
    const copy = cloneJson(source);
    source.a[0]!.b = 2;
    source.a.push({ b: 3 });
    Object.assign(source.c.d, { e: 1 });
    assert.deepEqual(copy, { a: [{ b: 1 }], c: { d: {} } });
  });

  it("leaves out undefined members and symbol keys, as text does", () => {
    const copy = cloneJson({ a: undefined, b: { c: undefined, d: 1 }, [Symbol("s")]: { secret: 1 } });
    assert.deepStrictEqual(copy, { b: { d: 1 } } as unknown);
    assert.deepEqual(Reflect.ownKeys(copy), ["b"]);
  });

  it("turns -0 into 0", () => {
    assert.deepStrictEqual(cloneJson([-0, { a: -0 }]), [0, { a: 0 }]);
    assert.ok(Object.is(cloneJson(-0), 0));
  });

  it("copies __proto__ as an ordinary member", () => {
    const copy = cloneJson(JSON.parse('{"__proto__":{"polluted":1}}') as object);
    assert.deepEqual(Object.keys(copy), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
    assert.equal(JSON.stringify(copy), '{"__proto__":{"polluted":1}}');
  });

  it("copies lists of any length, without holes", () => {
    for (const length of [0, 1, 2, 17, 1_000, 1_001, 5_000]) {
      const list = Array.from({ length }, (_, at) => (at % 2 === 0 ? at : [String(at)]));
      const copy = cloneJson(list);
      assert.deepEqual(copy, list);
      assert.equal(Object.keys(copy).length, length);
    }
  });

  it("takes own members alone, also where a prototype lends others that can be listed", () => {
    const prototype = Object.prototype as Record<string, unknown>;
    prototype["lent"] = { not: "ours" };
    try {
      const bare: unknown = Object.assign(Object.create(null) as object, { b: [{ c: 1 }] });
      assert.equal(JSON.stringify(cloneJson({ a: {}, bare })), '{"a":{},"bare":{"b":[{"c":1}]}}');
      assert.ok(equalJson({ a: {} }, { a: {} }));
      assert.ok(!equalJson({ lent: prototype["lent"] }, {}));
    } finally {
      delete prototype["lent"];
    }
  });

  it("copies a member that is gone by the time it is read as the text would have it", () => {
    const source: { first: unknown; second?: number } = { get first() { return delete this.second; }, second: 2 };
    assert.deepEqual(cloneJson(source), { first: true });
  });

  it("refuses what JSON cannot carry, and points at it", () => {
    class Point {
      x = 1;
    }
    // What `class extends null` makes: a prototype without a prototype, as Object.prototype is, but it is another.
    const bare: object = Object.create(Object.create(null) as object);
    const refused = [
      NaN, Infinity, -Infinity, () => 1, Symbol("s"), 1n, new Point(), new Date(0), new Map(), new Set(), /x/, new Error("x"),
      Object(1), new Uint8Array(1), Promise.resolve(), Object.create({ a: 1 }), bare, class {},
    ];
    for (const value of refused) {
      assert.equal(refusedAt(value), "");
      assert.equal(refusedAt({ a: [0, { "x/y": value }] }), "/a/1/x~1y");
      assert.equal(refusedAt(["s", 1, value]), "/2");
    }
    assert.equal(refusedAt(undefined), "");
    assert.equal(refusedAt({ a: [1, undefined] }), "/a/1");
    assert.equal(refusedAt({ a: [1, , 3] }), "/a/1");
    assert.equal(refusedAt(JSON.parse('{"__proto__":{"a":0}}', (key, value: unknown) => (key === "a" ? 1n : value))), "/__proto__/a");
  });

  it("says in words what it refuses and where", () => {
    assert.throws(() => cloneJson({ a: NaN }), { message: "JSON cannot carry the number NaN, found at /a" });
    assert.throws(() => cloneJson(() => 1), { message: "JSON cannot carry a function, found at the root" });
  });

  it("refuses cycles", () => {
    const loop: { list: unknown[] } = { list: [] };
    loop.list.push(loop);
    assert.equal(refusedAt(loop), "/list/0".repeat(DEFAULT_MAX_DEPTH / 2));
  });

  it("takes the allowed depth and not one more, by default that of the limits", () => {
    assert.equal(DEFAULT_MAX_DEPTH, DEFAULT_LIMITS.maxDepth);
    assert.deepEqual(cloneJson(nested(DEFAULT_MAX_DEPTH)), nested(DEFAULT_MAX_DEPTH));
    assert.match(String(refusedAt(nested(DEFAULT_MAX_DEPTH + 1))), /^(\/[a0]){128}$/);
    assert.deepEqual(cloneJson([[]], 2), [[]]);
    assert.equal(refusedAt([[[]]], 2), "/0/0");
    assert.equal(cloneJson("x", 0), "x");
    assert.equal(refusedAt([], 0), "");
  });

  it("takes objects without a prototype and of another realm, and gives ones of this realm", () => {
    const foreign: unknown = runInContext('({ a: [1, { b: null }], c: Object.create(null) })', createContext());
    const copy = cloneJson(foreign);
    assert.deepStrictEqual(copy, { a: [1, { b: null }], c: {} });
    assert.equal(refusedAt(runInContext("({ when: new Date(0) })", createContext())), "/when");
    assert.deepStrictEqual(cloneJson(Object.assign(Object.create(null) as object, { a: 1 })), { a: 1 });
  });

  it("reads getters and proxies once", () => {
    let reads = 0;
    const getter = {
      get a() {
        return ++reads;
      },
    };
    assert.deepEqual(cloneJson(getter), { a: 1 });
    assert.equal(reads, 1);
    const got: PropertyKey[] = [];
    const watch = <T extends object>(target: T) => new Proxy(target, { get: (inside, name) => (got.push(name), Reflect.get(inside, name)) });
    assert.deepStrictEqual(cloneJson(watch({ a: 1, b: watch(["x"]) })), { a: 1, b: ["x"] });
    assert.deepEqual(got, ["a", "b", "length", "0"]);
  });

  it("refuses a value of few objects that refer to each other many times, before it fills the memory", () => {
    let shared: object = { a: 1 };
    for (let doublings = 0; doublings < 40; doublings++) shared = { l: shared, r: [shared] };
    assert.throws(() => cloneJson(shared, undefined, 100_000), { code: "limit_exceeded", message: /more than 100000 bytes/ });
    let flat: unknown[] = [];
    for (let level = 0; level < 40; level++) flat = [flat, flat];
    assert.throws(() => cloneJson({ flat }, undefined, 100_000), { code: "limit_exceeded" });
    let reads = 0;
    const endless = new Proxy([], { get: (_, member) => (member === "length" ? 2 ** 40 : ++reads) });
    assert.throws(() => cloneJson({ endless }, undefined, 100_000), { code: "limit_exceeded" });
    assert.equal(reads, 0);
  });

  it("takes any value whose text is within the bound, and of plain ASCII exactly those", () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const value = randomJson(seededRandom(seed), 5);
      const text = JSON.stringify(value);
      assert.equal(JSON.stringify(cloneJson(value, undefined, Buffer.byteLength(text))), text, `seed ${seed}`);
    }
    const plain = { a: "text", list: ["x", { b: [] }, {}, 1, "y"], c: { d: 5, e: undefined }, "": "" };
    const bytes = JSON.stringify(plain).length;
    assert.equal(JSON.stringify(cloneJson(plain, undefined, bytes)).length, bytes);
    assert.throws(() => cloneJson(plain, undefined, bytes - 1), { code: "limit_exceeded" });
    assert.throws(() => cloneJson("four", undefined, 5), { code: "limit_exceeded" });
  });

  it("keeps its count where a getter copies something else in mid-copy", () => {
    const nosy = { get a() { return cloneJson(["x".repeat(50)]); }, b: "y".repeat(50) };
    assert.throws(() => cloneJson(nosy, undefined, 116), { code: "limit_exceeded" });
    assert.equal(JSON.stringify(cloneJson(nosy, undefined, 117)).length, 117);
  });

  it("lets the error of a getter through", () => {
    const thrown = new RangeError("mine");
    assert.throws(() => cloneJson({ a: [{ get b() { throw thrown; } }] }), thrown);
  });
});

describe("JSON pointers", () => {
  it("come back as the path that they were made of", () => {
    const steps = ["", "a", "a/b", "m~n", "~1", "~0", "/", "0", "é", "__proto__"];
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed);
      const path = Array.from({ length: random.below(5) }, () => random.pick(steps));
      assert.deepEqual(parsePointer(formatPointer(path)), path, `seed ${seed}`);
    }
  });

  it("are written as RFC 6901 says", () => {
    assert.equal(formatPointer([]), "");
    assert.equal(formatPointer([""]), "/");
    assert.equal(formatPointer(["a/b", "m~n", 0]), "/a~1b/m~0n/0");
    assert.deepEqual(parsePointer("/~01"), ["~1"]);
  });

  it("are refused where they are none", () => {
    for (const text of ["a", "a/b", "/~", "/~2", "/a~", "#/a", " /a"]) assert.equal(parsePointer(text), undefined, text);
  });
});

describe("equalJson", () => {
  it("agrees with the order-free comparison of texts, for random values", () => {
    const sorted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(sorted);
      return isObject(value) ? Object.entries(value).map(([name, item]) => [name, sorted(item)]).sort() : value;
    };
    let equal = 0;
    for (let seed = 1; seed <= 3000; seed++) {
      const random = seededRandom(seed);
      const [left, right] = [cloneJson(randomJson(random, 2)), cloneJson(randomJson(random, 2))];
      const expected = JSON.stringify([sorted(left), isObject(left)]) === JSON.stringify([sorted(right), isObject(right)]);
      assert.equal(equalJson(left, right), expected, `seed ${seed}`);
      assert.equal(equalJson(right, left), expected, `seed ${seed}`);
      assert.ok(equalJson(left, cloneJson(left)), `seed ${seed}`);
      if (expected) equal++;
    }
    assert.ok(equal > 30, String(equal));
  });

  it("takes undefined members for absent, in both", () => {
    assert.ok(equalJson({ a: undefined, b: 1 }, { b: 1 }));
    assert.ok(equalJson({ b: 1 }, { a: undefined, b: 1 }));
    assert.ok(!equalJson({ a: undefined }, { b: 1 }));
    assert.ok(!equalJson({ a: 1 }, { b: 1 }));
  });

  it("tells a member more from the same number of members, some of them undefined", () => {
    const deep = { a: { b: [1, { c: 2 }] } };
    for (const [left, right, same] of [
      [{ ...deep, z: 1 }, deep, false],
      [{ ...deep, z: undefined }, deep, true],
      [{ ...deep, y: undefined, z: undefined }, { ...deep, x: 1 }, false],
      [{ ...deep, z: undefined }, { ...deep, z: null }, false],
    ] as const) {
      assert.equal(equalJson(left, right), same);
      assert.equal(equalJson(right, left), same);
    }
  });

  it("tells lists from objects, null from objects, and own members from lent ones", () => {
    const pairs = [
      [[], {}], [["a"], { 0: "a", length: 1 }], [null, {}], [0, false], ["", 0], [[1], [1, 2]], [{ constructor: 1 }, {}],
      [JSON.parse('{"__proto__":{}}'), {}],
    ];
    for (const [left, right] of pairs) {
      assert.ok(!equalJson(left, right));
      assert.ok(!equalJson(right, left));
    }
  });
});

describe("members", () => {
  it("are read only if the object owns them", () => {
    assert.equal(ownMember({ a: 1 }, "a"), 1);
    for (const lent of ["constructor", "__proto__", "toString"]) assert.equal(ownMember({}, lent), undefined);
  });

  it("are set with define semantics", () => {
    const object = {};
    setMember(object, "__proto__", { polluted: 1 });
    setMember(object, "a", 1);
    assert.equal(JSON.stringify(object), '{"__proto__":{"polluted":1},"a":1}');
    assert.equal(Object.getPrototypeOf(object), Object.prototype);
  });

  it("adds or replaces one member on a copy, in place, as a spread would", () => {
    const object = JSON.parse('{"a":1,"__proto__":{"x":1},"b":{"c":2}}');
    assert.equal(JSON.stringify(withMember(object, "a", 2)), '{"a":2,"__proto__":{"x":1},"b":{"c":2}}');
    const more = withMember(object, "__proto__", 3);
    assert.equal(JSON.stringify(withMember(more, "d", undefined)), '{"a":1,"__proto__":3,"b":{"c":2}}');
    assert.equal(Object.getPrototypeOf(more), Object.prototype);
    assert.equal(JSON.stringify(object), '{"a":1,"__proto__":{"x":1},"b":{"c":2}}');
  });
});
