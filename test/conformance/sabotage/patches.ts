// Patches that make one rule of the engine wrong. They are data, and must fit the sources that they patch.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Edit {
  /** From the root of the project: `src/core/…`. */
  readonly file: string;
  /** Found exactly once in that file, as the edits before this one have left it. */
  readonly find: string;
  readonly replace: string;
}

export interface Patch {
  /** Unique, in kebab-case. */
  readonly id: string;
  /** The requirement that the mutant does not keep. */
  readonly breaks: string;
  /** What the mutant does, as a sentence without its subject: "takes …". */
  readonly says: string;
  readonly edits: readonly Edit[];
}

const ROOT = new URL("../../../", import.meta.url);
const FOLDER = new URL("patches/", import.meta.url);

export function readSource(file: string): string {
  return readFileSync(fileURLToPath(new URL(file, ROOT)), "utf8");
}

/** Every patch of every file of `patches/`. Throws for a file that is none, or holds none. */
export function readPatches(): readonly Patch[] {
  return readdirSync(fileURLToPath(FOLDER))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const content: unknown = JSON.parse(readFileSync(fileURLToPath(new URL(file, FOLDER)), "utf8"));
      const patches = isRecord(content) ? content["patches"] : undefined;
      if (!Array.isArray(patches) || patches.length === 0) throw new Error(`${file} must be { "patches": [ … ] }`);
      return patches.map((patch) => checked(patch, file));
    });
}

/** The files that a patch changes, by path, as it leaves them. Throws where it does not fit. */
export function applyPatch({ id, edits }: Patch, read: (file: string) => string = readSource): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const before = changed.get(file) ?? read(file);
    const times = before.split(find).length - 1;
    if (times !== 1) throw new Error(`${id}: found ${times} times in ${file}, not once: ${find}`);
    const at = before.indexOf(find);
    changed.set(file, before.slice(0, at) + replace + before.slice(at + find.length));
  }
  return changed;
}

function checked(patch: unknown, file: string): Patch {
  const fail = (what: string) => new Error(`a patch of ${file} (${isRecord(patch) ? String(patch["id"]) : "no object"}) ${what}`);
  if (!isRecord(patch)) throw fail("must be an object");
  for (const member of ["id", "breaks", "says"]) if (!isText(patch[member])) throw fail(`needs ${member}`);
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(String(patch["id"]))) throw fail("needs an id in kebab-case");
  const { edits } = patch;
  if (!Array.isArray(edits) || edits.length === 0 || !edits.every(isEdit)) throw fail("needs edits, each with a file below src/core, find, and replace that differs");
  // Looked at, member by member.
  return patch as unknown as Patch;
}

function isEdit(edit: unknown): edit is Edit {
  if (!isRecord(edit)) return false;
  const { file, find, replace } = edit;
  return isText(file) && /^src\/core\/.+\.ts$/.test(file) && !file.includes("/gen/") && isText(find) && typeof replace === "string" && replace !== find;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
