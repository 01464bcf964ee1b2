import { createRequire } from "node:module";
import { describeError } from "../../core/base/errors.ts";
import { parsePointer } from "../../core/base/json.ts";
import type { Fault, ReadText } from "./jsonc.ts";
import { createPlaces } from "./places.ts";

// What is used of the package `yaml` 2.x, which whoever writes YAML has installed.
interface YamlPackage {
  parseDocument(text: string, options: object): YamlDocument;
}
interface YamlDocument {
  readonly errors: readonly { readonly message: string; readonly pos: readonly [number, number] }[];
  getIn(path: readonly (string | number)[], keepScalar: true): unknown;
  readonly contents: unknown;
  toJS(options: object): unknown;
}

/** Reads YAML 1.2 by the package `yaml`, looked for beside the file and where the user is. Never throws. */
export function readYaml(text: string, path: string): ReadText {
  const yaml = findYaml(path);
  if (yaml === undefined) {
    return { fault: { place: undefined, pointer: "", message: "is YAML, which takes the package yaml: npm install yaml, or write the file as JSON with comments" } };
  }
  const placeOf = createPlaces(text);
  try {
    const document = yaml.parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: true, prettyErrors: false, merge: false });
    const [fault, ...more] = document.errors.map(({ message, pos }): Fault => ({ place: placeOf(pos[0]), pointer: "", message: `is no YAML here: ${message}` }));
    if (fault !== undefined) return { fault, more };
    const value = document.toJS({ maxAliasCount: 100 });
    return {
      value,
      locate(pointer) {
        const steps = parsePointer(pointer);
        const node = steps === undefined ? undefined : steps.length === 0 ? document.contents : document.getIn(steps, true);
        const offset = startOf(node);
        return offset === undefined ? undefined : placeOf(offset);
      },
    };
  } catch (thrown) {
    return { fault: { place: undefined, pointer: "", message: `cannot be read as YAML: ${describeError(thrown)}` } };
  }
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) return undefined;
  const start: unknown = node.range[0];
  return typeof start === "number" ? start : undefined;
}

function findYaml(path: string): YamlPackage | undefined {
  for (const base of [path, `${process.cwd()}/package.json`]) {
    try {
      const found: unknown = createRequire(base)("yaml");
      // Its own signature; what lacks it is another package.
      if (typeof found === "object" && found !== null && "parseDocument" in found) return found as YamlPackage;
    } catch {
      // Not there.
    }
  }
  return undefined;
}
