import assert from "node:assert/strict";
import { test } from "node:test";
import { readSources } from "../../spec/generate.ts";
import { compileSchema } from "../../src/core/schema/schema.ts";
import type { Problem } from "../../src/core/wire/check.ts";
import * as completion from "../../src/core/wire/gen/completion.ts";
import * as interceptors from "../../src/core/wire/gen/interceptors.ts";
import * as jsonRpc from "../../src/core/wire/gen/json-rpc.ts";
import * as mcp from "../../src/core/wire/gen/mcp.ts";
import { seededRandom, type Random } from "../support/random.ts";

const SEED = 20260728;
const BASE = "https://schemas.invalid/";

type Json = { readonly [member: string]: unknown };
const documents = new Map(readSources().map(({ file, text }) => [file, JSON.parse(text) as { readonly $defs: Json }]));
const resources = new Map([...documents].map(([file, document]) => [BASE + file, { ...document, $id: BASE + file }]));

// Every exported name that starts with `check` takes any value and gives the first problem.
const checks = { ...completion, ...interceptors, ...jsonRpc, ...mcp } as unknown as Record<string, (value: unknown) => Problem | undefined>;

/** A value that tends to fit the schema, and is wrong now and then. */
function sample(schema: unknown, file: string, random: Random, depth: number): unknown {
  const odd = [null, true, 0, -1, 1.5, 2 ** 53, "", "request", "text", [], {}, { type: "text" }, [1]];
  if (depth <= 0 || random.next() < 0.04 || typeof schema !== "object" || schema === null) return random.pick(odd);
  const source = schema as Json;
  if (typeof source.$ref === "string") {
    const [name, pointer] = source.$ref.split("#") as [string, string];
    const target = name === "" ? file : name;
    return sample(documents.get(target)!.$defs[pointer.split("/")[2]!], target, random, depth);
  }
  if (source.const !== undefined) return source.const;
  if (Array.isArray(source.enum)) return random.pick(source.enum as unknown[]);
  if (Array.isArray(source.oneOf)) return sample(random.pick(source.oneOf as unknown[]), file, random, depth);
  if (Array.isArray(source.anyOf) && source.type === undefined) return sample(random.pick(source.anyOf as unknown[]), file, random, depth);
  const length = random.next() < 0.03 && typeof source.maxItems === "number" ? source.maxItems + random.below(2) : random.below(3);
  if (source.type === "array") return Array.from({ length }, () => sample(source.items, file, random, depth - 1));
  if (source.type === "object") {
    const value: Record<string, unknown> = {};
    for (const base of (source.allOf ?? []) as unknown[]) Object.assign(value, sample(base, file, random, depth));
    const required = (source.required ?? []) as string[];
    for (const [member, shape] of Object.entries((source.properties ?? {}) as Json)) {
      const chance = shape === false ? 0.03 : required.includes(member) ? 0.97 : 0.4;
      if (random.next() < chance) value[member] = sample(shape, file, random, depth - 1);
    }
    if (typeof source.additionalProperties === "object") {
      for (const key of ["a", "b"]) if (random.next() < 0.5) value[key] = sample(source.additionalProperties, file, random, depth - 1);
    }
    if (random.next() < 0.2) value[random.pick(["more", "__proto", "constructor", "type", "id"])] = random.pick(odd);
    return value;
  }
  const type = Array.isArray(source.type) ? random.pick(source.type as string[]) : source.type;
  if (type === "string") return random.pick(["", "a", "2.0"]);
  return type === "boolean" ? random.next() < 0.5 : type === "null" ? null : random.pick([0, 1, -5, 0.5]);
}

test("generated validators and our JSON Schema validator agree on every definition", () => {
  const random = seededRandom(SEED);
  for (const [file, { $defs }] of documents) {
    for (const name of Object.keys($defs)) {
      const compiled = compileSchema({ $ref: `${BASE}${file}#/$defs/${name}` }, { resources });
      const check = checks[`check${name}`];
      assert.equal(typeof check, "function", name);
      let fits = 0;
      for (let round = 0; round < 200; round++) {
        const value = sample($defs[name], file, random, 6);
        const expected = compiled.check(value) === undefined;
        assert.equal(check!(value) === undefined, expected, `seed ${SEED}, ${name}, round ${round}: ${JSON.stringify(value)}`);
        if (expected) fits++;
      }
      assert.ok(fits > 5 && fits < 200, `${name}: ${fits} of 200 fit`);
    }
  }
});
