// Runs many command lines one after the other in one process, as starting it costs more than most of them. What each prints is ended by a line of its own.
import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { run } from "../../src/cli/run.ts";

const END = "\u0000end";
// Verbs may have turned the method towards stderr.
const print = (stream: Writable, text: string) => Writable.prototype.write.call(stream, text, "utf8", () => {});

const [file = ""] = process.argv.slice(2);
for (const words of JSON.parse(readFileSync(file, "utf8")) as string[][]) {
  const { code } = await run(words);
  Reflect.deleteProperty(process.stdout, "write");
  print(process.stdout, `${END} ${code}\n`);
  print(process.stderr, `${END}\n`);
}
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => Writable.prototype.write.call(stream, "", "utf8", () => resolve()))));
process.exit(0);
