// The program in an empty `vm` context, on timers and random bytes that are put there, and nothing else:  empty-context.ts PROGRAM.js INPUTS.json
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

const [, , program, inputs] = process.argv;
const context = createContext({ setTimeout, clearTimeout, crypto: { getRandomValues: (bytes: Uint8Array) => webcrypto.getRandomValues(bytes) } });
runInContext("for (const name of ['console', 'WebAssembly', 'Intl', 'escape', 'unescape']) delete globalThis[name];", context);
runInContext(readFileSync(program!, "utf8"), context);
const { measure } = runInContext("portable", context) as typeof import("./program.ts");
console.log(await measure(readFileSync(inputs!, "utf8")));
