// Counts the copies that src/core/base/json.ts makes, by a line put into its functions as the module is loaded: the product itself counts nothing.
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const COUNTED = { cloneJson: "clones", copyObject: "containers", copyList: "containers" };

if (isMainThread) {
  globalThis.cost = { clones: 0, containers: 0 };
  register(import.meta.url);
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!new URL(url).pathname.endsWith("/src/core/base/json.ts")) return loaded;
  let source = String(loaded.source);
  for (const [name, counter] of Object.entries(COUNTED)) {
    const before = source;
    source = source.replace(new RegExp(`function ${name}\\([^)]*\\)\\s*\\{`), (head) => `${head}globalThis.cost.${counter}++;`);
    if (source === before) throw new Error(`${name} is not where it was: nothing can be counted`);
  }
  return { ...loaded, source };
}
