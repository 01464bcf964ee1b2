// Loads a compiled program and all that it imports into an empty context, as an engine without any platform would, and prints what it finds.
//   node --experimental-vm-modules --import tsx bare-engine.ts PROGRAM.js [with-globals]
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createContext, runInContext, SourceTextModule } from "node:vm";

const [, , program, withGlobals] = process.argv;
const context = createContext({});
runInContext("for (const name of ['console', 'WebAssembly', 'Intl', 'escape', 'unescape']) delete globalThis[name];", context);

const modules = new Map<string, SourceTextModule>();
function load(url: string): SourceTextModule {
  const known = modules.get(url);
  if (known !== undefined) return known;
  const module = new SourceTextModule(readFileSync(fileURLToPath(url), "utf8"), { identifier: url, context });
  modules.set(url, module);
  return module;
}

const entry = load(pathToFileURL(program!).href);
await entry.link((specifier, from) => {
  if (!specifier.startsWith(".")) throw new Error(`${from.identifier} imports ${specifier}`);
  return load(new URL(specifier, from.identifier).href);
});
await entry.evaluate();

const outside = {
  parse: (text: string): unknown => JSON.parse(text),
  later: (value: unknown) => Promise.resolve(value),
  fail: (message: string): never => {
    throw new Error(message);
  },
  ...(withGlobals === undefined ? {} : { globals: globalThis }),
};
const { run } = entry.namespace as { run(given: typeof outside): Promise<string> };
const findings = await run(outside);
const globals = runInContext("JSON.stringify(Object.getOwnPropertyNames(globalThis).filter((name) => name !== 'globalThis'))", context) as string;
console.log(JSON.stringify({ modules: modules.size, globals: JSON.parse(globals), findings: JSON.parse(findings) }));
