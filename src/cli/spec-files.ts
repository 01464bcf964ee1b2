import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeError, LocalError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import type { FixtureDeclaration, Requirement, Vector } from "../conformance/vector.ts";

// Two folders up, from the sources as from the build.
const SPEC = fileURLToPath(new URL("../../spec/", import.meta.url));

/** The interceptors that a server under test hosts. */
export function readFixtures(): readonly FixtureDeclaration[] {
  return listIn<FixtureDeclaration>("vectors/fixtures.json", "interceptors");
}

export function readRequirements(): readonly Requirement[] {
  return listIn<Requirement>("requirements.json", "requirements");
}

/** The vectors of these kinds, in the order of their files. */
export function readVectors(kinds: readonly Vector["kind"][]): readonly Vector[] {
  return kinds.flatMap((kind) => filesOf(kind).flatMap((file) => listIn<Vector>(`vectors/${kind}/${file}`, "vectors")));
}

function filesOf(kind: string): string[] {
  try {
    return readdirSync(join(SPEC, "vectors", kind)).filter((file) => file.endsWith(".json")).sort();
  } catch (thrown) {
    throw missing(thrown);
  }
}

// The files are the package's own, and its tests hold them to their schema.
function listIn<T>(file: string, member: string): readonly T[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(SPEC, file), "utf8"));
  } catch (thrown) {
    throw missing(thrown);
  }
  const list = isObject(content) ? content[member] : undefined;
  if (!Array.isArray(list)) throw missing(`${file} has no ${member}`);
  return list as T[];
}

function missing(cause: unknown): LocalError {
  return new LocalError("not_found", `the vectors of this package cannot be read: ${describeError(cause)}`, { cause });
}
