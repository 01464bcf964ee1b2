// The pages of examples/guides, run in empty folders with the packed package.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPacked } from "../pack/consumer.ts";
import { temporaryFolder } from "../support/compile.ts";
import { runPage } from "../support/pages.ts";

export const GUIDES = fileURLToPath(new URL("../../examples/guides", import.meta.url));
/** The page that installs the package, before all others. */
export const FIRST = "README.md";

/** Pages by name, the one that installs first. */
export function readGuides(): Map<string, string> {
  const names = readdirSync(GUIDES).filter((name) => name.endsWith(".md") && name !== FIRST);
  return new Map([FIRST, ...names.sort()].map((name) => [name, readFileSync(join(GUIDES, name), "utf8")]));
}

export interface Readers {
  /** Runs a page in a folder of its own, and gives what each of its commands prints. The first page comes before the others. */
  follow(page: string, text: string): Promise<readonly string[]>;
  /** The folder of a page that was run. */
  folderOf(page: string): string;
  remove(): void;
}

export function createReaders(): Readers {
  const { tarball, env } = installPacked();
  const folder = temporaryFolder("guides");
  const programs = join(folder.path, "programs");
  const folderOf = (page: string) => join(folder.path, basename(page, ".md"));
  mkdirSync(programs);
  // npx takes half a second to find what is here; test/pack runs the true one.
  const npx = join(programs, "npx");
  writeFileSync(npx, '#!/bin/sh\nprogram="$1"\nshift\nexec "./node_modules/.bin/$program" "$@"\n');
  chmodSync(npx, 0o755);
  return {
    folderOf,
    remove: folder.remove,
    async follow(page, text) {
      const own = folderOf(page);
      mkdirSync(own);
      if (page === FIRST) copyFileSync(tarball, join(own, basename(tarball)));
      else {
        copyFileSync(join(folderOf(FIRST), "package.json"), join(own, "package.json"));
        symlinkSync(join(folderOf(FIRST), "node_modules"), join(own, "node_modules"), "junction");
      }
      const path = [programs, dirname(process.execPath), env["PATH"]].join(delimiter);
      const offline = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
      return runPage(text, own, { ...env, ...offline, PATH: path });
    },
  };
}
