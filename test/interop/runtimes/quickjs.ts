// The program in QuickJS, on timers and random bytes that are put there, and nothing else:  quickjs.ts PROGRAM.js INPUTS.json
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { newQuickJSWASMModuleFromVariant, type QuickJSHandle } from "quickjs-emscripten-core";

const [, , program, inputs] = process.argv;
const engine = (await newQuickJSWASMModuleFromVariant(import("@jitl/quickjs-wasmfile-release-sync"))).newContext();
const { runtime } = engine;
runtime.setMaxStackSize(0);

const put = (name: string, value: (...args: QuickJSHandle[]) => QuickJSHandle | undefined) =>
  engine.newFunction(name, (...args) => value(...args)).consume((handle) => engine.setProp(engine.global, name, handle));

function runJobs(): void {
  engine.unwrapResult(runtime.executePendingJobs());
}

const timers = new Map<number, NodeJS.Timeout>();
let lastTimer = 0;
put("setTimeout", (callback, ms) => {
  const kept = callback!.dup();
  const id = ++lastTimer;
  const fire = () => {
    timers.delete(id);
    kept.consume((handle) => engine.unwrapResult(engine.callFunction(handle, engine.undefined)).dispose());
    runJobs();
  };
  timers.set(id, setTimeout(fire, engine.getNumber(ms!)));
  return engine.newNumber(id);
});
put("clearTimeout", (id) => {
  const number = engine.getNumber(id!);
  clearTimeout(timers.get(number));
  timers.delete(number);
  return undefined;
});
put("randomByte", () => engine.newNumber(randomBytes(1)[0]!));
put("tell", (text) => {
  console.log(engine.getString(text!));
  process.exit(0);
});

const evaluate = (code: string, file: string) => engine.unwrapResult(engine.evalCode(code, file)).dispose();
evaluate("globalThis.crypto = { getRandomValues: (bytes) => (bytes.forEach((_, at) => (bytes[at] = randomByte())), bytes) };", "embedder.js");
evaluate(readFileSync(program!, "utf8"), "program.js");
engine.newString(readFileSync(inputs!, "utf8")).consume((handle) => engine.setProp(engine.global, "inputs", handle));
evaluate("portable.measure(inputs).then(tell, (error) => tell(`${error} ${error?.stack}`));", "start.js");
runJobs();
