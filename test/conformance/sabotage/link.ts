// Compiled modules put together, any number of times: each time new instances, with the code of a mutant in the place of some.
import { posix } from "node:path";

type Body = (require: (specifier: string) => unknown, module: { exports: unknown }, exports: unknown) => void;

/** The exports of a module, by path. */
export type Program = (file: string) => unknown;

export function createLinker(modules: ReadonlyMap<string, string>): (changed: ReadonlyMap<string, string>) => Program {
  const bodies = new Map([...modules].map(([file, code]) => [file, bodyOf(code)]));
  return (changed) => {
    const changedBodies = new Map([...changed].map(([file, code]) => [file, bodyOf(code)]));
    const loaded = new Map<string, { exports: unknown }>();
    const load: Program = (file) => {
      let module = loaded.get(file);
      if (module !== undefined) return module.exports;
      const body = changedBodies.get(file) ?? bodies.get(file);
      if (body === undefined) throw new Error(`there is no module ${file}`);
      loaded.set(file, (module = { exports: {} }));
      body((specifier) => load(posix.join(posix.dirname(file), specifier)), module, module.exports);
      return module.exports;
    };
    return load;
  };
}

function bodyOf(code: string): Body {
  // Compiled from this project's own sources.
  return new Function("require", "module", "exports", code) as Body;
}
