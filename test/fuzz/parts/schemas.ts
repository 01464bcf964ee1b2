// The schema validator against itself: the same said in other words is judged alike.
import { LocalError } from "../../../src/core/base/errors.ts";
import { compileSchema, type CompiledSchema } from "../../../src/core/schema/schema.ts";
import { randomSchema, randomValue } from "../../support/random-schema.ts";
import type { Random } from "../../support/random.ts";
import { mangle } from "./mangle.ts";
import type { Part } from "./part.ts";

type Json = Readonly<Record<string, unknown>>;

const LIMITS = { maxCheckSteps: 50_000 };

// Each says of a value what the schema itself does, or the contrary. `#` in a schema would mean another one there.
const WORDS: Readonly<Record<string, (schema: unknown, random: Random) => unknown>> = {
  allOf: (schema) => ({ allOf: [true, schema] }),
  anyOf: (schema) => ({ anyOf: [schema, false, schema] }),
  oneOf: (schema) => ({ oneOf: [false, schema] }),
  ref: (schema) => ({ $ref: "#/$defs/itself", $defs: { itself: schema } }),
  "if then": (schema) => ({ if: true, then: schema, else: false }),
  "if else": (schema) => ({ if: { not: schema }, then: false }),
  "twice not": (schema) => ({ not: { not: schema } }),
  not: (schema) => ({ not: schema }),
  annotated: (schema) => ({ allOf: [schema], title: "t", description: "d", default: 1, examples: [], format: "email", unknown: { type: "wrong" } }),
  reordered: (schema, random) => reordered(schema, random),
  unevaluated: (schema) => ({ allOf: [schema], unevaluatedProperties: true, unevaluatedItems: true }),
};

/** Members in another order, all the way down: no keyword may hang on the place of another. */
function reordered(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reordered(item, random));
  const members = Object.entries(value).map(([name, member]) => ({ name, member: reordered(member, random), key: random.next() }));
  return Object.fromEntries(members.sort((left, right) => left.key - right.key).map(({ name, member }) => [name, member]));
}

/** The keyword is wrong, or a pattern, a reference or a name is damaged. */
function damaged(schema: unknown, random: Random): unknown {
  const text = mangle(random, JSON.stringify(schema), ['"', "{}", "[]", "-1", "null", '"#"', '"#/%"', '"$ref":"#/$defs/none",', '"$id":"x",', '"$anchor":"-",', '"$schema":"x",', "\\\\", "(", "[", "+", "{1000}"]);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function compile(schema: unknown): CompiledSchema | undefined {
  try {
    return compileSchema(schema, { limits: LIMITS });
  } catch (thrown) {
    if (thrown instanceof LocalError && thrown.code === "invalid_argument" && typeof thrown.details?.["pointer"] === "string") return undefined;
    throw thrown;
  }
}

const unjudged = (reason: string | undefined) => reason !== undefined && /is too |is nested too/.test(reason);

export const schemasPart: Part = {
  name: "schemas",
  cases: 600,
  least: { refused: 6, fits: 400, "does not fit": 300, damaged: 50 },
  run(random, count) {
    const inner = randomSchema(random, 3);
    if (random.below(6) === 0) {
      const broken = compile(damaged(inner, random));
      count("damaged");
      for (let turn = 0; turn < 3; turn++) broken?.checkAll(randomValue(random, 3));
      return undefined;
    }
    // What is referred to stands beside the schema, whatever is put around it.
    const $defs = { x: randomSchema(random, 1), y: randomSchema(random, 1), leaf: { $dynamicAnchor: "leaf" }, node: { $dynamicAnchor: "node" } };
    const whole = (schema: unknown): Json => (typeof schema === "object" && schema !== null ? { ...schema, $defs: { ...$defs, ...(schema as { $defs?: Json }).$defs } } : { allOf: [schema], $defs });
    if (JSON.stringify(inner).includes('"#"')) return undefined;
    const plain = compile(whole(inner));
    if (plain === undefined) return void count("refused");
    const name = random.pick(Object.keys(WORDS));
    const other = compile(whole(WORDS[name]!(inner, random)));
    const told = `${name}: ${JSON.stringify(whole(inner))}`;
    if (other === undefined) return `in other words it is refused, ${told}`;
    for (let turn = 0; turn < 4; turn++) {
      const value = randomValue(random, 3);
      const [one, two] = [plain.check(value), other.check(value)];
      if (unjudged(one?.reason) || unjudged(two?.reason)) continue;
      count(one === undefined ? "fits" : "does not fit");
      if ((one === undefined) !== (two === undefined) !== (name === "not")) return `${JSON.stringify(value)} is judged otherwise, ${told} ${JSON.stringify([one, two])}`;
      if ((other.checkAll(value).length === 0) !== (two === undefined)) return `check and checkAll differ about ${JSON.stringify(value)}, ${told}`;
      if ((other.check(reordered(value, random)) === undefined) !== (two === undefined)) return `in another order ${JSON.stringify(value)} is judged otherwise, ${told}`;
    }
    return undefined;
  },
};
