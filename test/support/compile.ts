import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The strictest options that there are, for a project that knows ECMAScript and nothing else. Without an output folder. */
export const STRICTEST = {
  target: "ES2023",
  lib: ["ES2023"],
  types: [] as string[],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  moduleDetection: "force",
  strict: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  forceConsistentCasingInFileNames: true,
  isolatedModules: true,
  noEmitOnError: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: false,
  verbatimModuleSyntax: true,
} as const;

/** Runs this project's TypeScript compiler; what it says, which is nothing where all is well. */
export function runCompiler(cwd: string, ...args: readonly string[]): string {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [compiler, ...args], { cwd, encoding: "utf8", timeout: 60_000 });
  if (error !== undefined) throw error;
  const said = `${stdout}${stderr}`.trim();
  return status === 0 || said !== "" ? said : `the compiler ended with ${status}`;
}

/** A new folder outside of any project, and its removal. */
export function temporaryFolder(name: string): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `mcp-interceptors-${name}-`)));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
