import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// No npm package carries the tests of draft 2020-12. The source distribution of Python's `jsonschema` does, whole, with the remote documents.
const PACKAGE = "jsonschema==4.26.0";
const PACKAGE_SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326";
const CACHE = join(import.meta.dirname, "node_modules", ".cache", PACKAGE);

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
 * The official JSON-Schema-Test-Suite: a checkout that the environment variable JSON_SCHEMA_TEST_SUITE names, else the copy in a
 * Python package, which `pip` fetches once. Throws where neither is there: a suite that did not run must not look like one that passed.
 */
export function findSuite(): Suite {
  const checkout = process.env["JSON_SCHEMA_TEST_SUITE"];
  const { tests, remotes, origin } =
    checkout === undefined
      ? { ...packageFolders(), origin: PACKAGE }
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

function packageFolders(): { tests: string; remotes: string } {
  if (!existsSync(CACHE)) unpackInto(CACHE);
  const folder = join(CACHE, PACKAGE.replace("==", "-"), "json");
  return { tests: join(folder, "tests"), remotes: join(folder, "remotes") };
}

function unpackInto(folder: string): void {
  const download = `${folder}.part`;
  rmSync(download, { recursive: true, force: true });
  mkdirSync(download, { recursive: true });
  const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", "jsonschema", "--dest", download, PACKAGE];
  try {
    execFileSync("python3", pip, { stdio: ["ignore", "ignore", "inherit"] });
  } catch (cause) {
    throw new Error(`set JSON_SCHEMA_TEST_SUITE to a checkout of the suite, or have "python3 -m pip" download ${PACKAGE}`, { cause });
  }
  const archive = join(download, `${PACKAGE.replace("==", "-")}.tar.gz`);
  const digest = createHash("sha256").update(readFileSync(archive)).digest("hex");
  if (digest !== PACKAGE_SHA256) throw new Error(`${PACKAGE} has the digest ${digest}, not ${PACKAGE_SHA256}`);
  execFileSync("tar", ["-xzf", archive, "-C", download]);
  renameSync(download, folder);
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
