// The vectors of spec/, read and checked by their schema, for the tests here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FixtureDeclaration, Requirement, Vector } from "../../src/conformance/vector.ts";

const SPEC = fileURLToPath(new URL("../../spec/", import.meta.url));

const read = (path: string): unknown => JSON.parse(readFileSync(join(SPEC, path), "utf8"));

export const files: ReadonlyMap<string, unknown> = new Map(
  readdirSync(join(SPEC, "vectors"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json") && file !== "fixtures.json")
    .sort()
    .map((file) => [file, read(`vectors/${file}`)]),
);
// Checked by vectors.test.ts.
export const vectors: readonly Vector[] = [...files.values()].flatMap((file) => (file as { vectors: Vector[] }).vectors);
export const fixtures = (read("vectors/fixtures.json") as { interceptors: FixtureDeclaration[] }).interceptors;
export const { requirements, open } = read("requirements.json") as { requirements: Requirement[]; open: string[] };
export const vectorSchema = read("vector.schema.json") as Record<string, unknown>;
