import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// No npm package carries the tests of draft 2020-12. This Go module does, with the suite's remote documents, and the Go client checks it.
const MODULE = "github.com/google/jsonschema-go@v0.4.3";
const MODULE_SUM = "h1:/DBOLZTfDow7pe2GmaJNhltueGTtDKICi8V8p+DQPd0=";

export interface SuiteGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

export interface Suite {
  readonly origin: string;
  /** Required tests of a draft ("draft2020-12"), by file name. */
  load(draft: string): Map<string, SuiteGroup[]>;
  /** The documents that the suite expects a server on localhost to have, and the meta-schemas, by URI. */
  readonly resources: ReadonlyMap<string, unknown>;
}

/**
 * The official JSON-Schema-Test-Suite: a checkout that the environment variable JSON_SCHEMA_TEST_SUITE names, else the copy in a Go
 * module, which needs `go` on the path. Throws where neither is there: a suite that did not run must not look like one that passed.
 */
export function findSuite(): Suite {
  const checkout = process.env["JSON_SCHEMA_TEST_SUITE"];
  const { tests, remotes, origin } =
    checkout === undefined
      ? { ...moduleFolders(), origin: MODULE }
      : { tests: join(checkout, "tests"), remotes: join(checkout, "remotes"), origin: "the checkout in JSON_SCHEMA_TEST_SUITE" };
  return {
    origin,
    load: (draft) => {
      const folder = join(tests, draft);
      // The cast states the suite's own format.
      return new Map(jsonFiles(folder).map((file) => [file, readJson(join(folder, file)) as SuiteGroup[]]));
    },
    resources: new Map([
      ...metaSchemas(),
      ...jsonFiles(remotes, true).map((file) => [`http://localhost:1234/${file}`, readJson(join(remotes, file))] as const),
    ]),
  };
}

function moduleFolders(): { tests: string; remotes: string } {
  let output: string;
  try {
    output = execFileSync("go", ["mod", "download", "-json", MODULE], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  } catch (cause) {
    throw new Error(`set JSON_SCHEMA_TEST_SUITE to a checkout of the suite, or have "go" download ${MODULE}`, { cause });
  }
  const { Dir, Sum } = JSON.parse(output) as { Dir: string; Sum: string }; // go help mod download
  if (Sum !== MODULE_SUM) throw new Error(`${MODULE} has the checksum ${Sum}, not ${MODULE_SUM}`);
  const folder = join(Dir, "jsonschema", "testdata");
  return { tests: folder, remotes: join(folder, "remotes") };
}

/** The meta-schemas of both drafts, from ajv's package. */
export function metaSchemas(): Map<string, unknown> {
  const folder = join(createRequire(import.meta.url).resolve("ajv"), "..", "refs");
  const drafts = jsonFiles(join(folder, "json-schema-2020-12"), true).map((file) => join("json-schema-2020-12", file));
  const files = [...drafts, "json-schema-draft-07.json"];
  return new Map(
    files.map((file) => {
      const document = readJson(join(folder, file)) as { $id: string }; // every meta-schema has one
      return [document.$id.replace(/#$/, ""), document];
    }),
  );
}

function jsonFiles(folder: string, recursive = false): string[] {
  const files = readdirSync(folder, { recursive, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  return files.filter((file) => file.endsWith(".json")).sort();
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
