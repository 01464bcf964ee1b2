// Calls scripts one after the other in one process, as most of their time goes into loading what they share. Prints, as JSON, what each has printed and the code that it would end with.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export interface Called {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ENDED = Symbol("ended");
const [list = ""] = process.argv.slice(2);
const called: Called[] = [];
for (const [at, [file = "", ...words]] of (JSON.parse(readFileSync(list, "utf8")) as string[][]).entries()) called.push(await call(file, words, at));
process.stdout.write(JSON.stringify(called));

async function call(file: string, words: readonly string[], at: number): Promise<Called> {
  const { argv, exit } = process;
  let [stdout, stderr] = ["", ""];
  let status: number | null = null;
  process.argv = [...argv.slice(0, 1), file, ...words];
  process.stdout.write = (text) => ((stdout += String(text)), true);
  process.stderr.write = (text) => ((stderr += String(text)), true);
  process.exit = (code) => {
    status ??= Number(code ?? 0);
    throw ENDED;
  };
  try {
    // A module runs once for each of its names.
    await import(`${pathToFileURL(file).href}?call=${at}`);
  } catch (thrown) {
    if (thrown !== ENDED) stderr += String(thrown);
  } finally {
    Reflect.deleteProperty(process.stdout, "write");
    Reflect.deleteProperty(process.stderr, "write");
    Object.assign(process, { argv, exit });
  }
  return { status, stdout, stderr };
}
