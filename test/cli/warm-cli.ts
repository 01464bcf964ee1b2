// The command line in a process that stays: starting it costs more than most runs of it. One run at a time, each with a folder and an environment of its own; what it prints is ended by
// a line of its own.
import { Writable } from "node:stream";
import { run } from "../../src/cli/run.ts";

export const END = "\u0000end";

/** What the process is asked by a message. */
export interface Asked {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The program that it passes for. */
  readonly program: string;
}

// Verbs may have turned the method towards stderr.
const print = (stream: Writable, text: string) => Writable.prototype.write.call(stream, text, "utf8", () => {});

async function runOne({ words, cwd, env, program }: Asked): Promise<void> {
  process.chdir(cwd);
  process.argv.splice(1, Infinity, program, ...words);
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  const { code } = await run(words);
  Reflect.deleteProperty(process.stdout, "write");
  print(process.stdout, `${END} ${code}\n`);
  print(process.stderr, `${END}\n`);
}

if (process.send !== undefined) {
  let ran = Promise.resolve();
  process.on("message", (asked) => void (ran = ran.then(() => runOne(asked as Asked)))); // sent by run-text.ts alone
  process.once("disconnect", () => process.exit());
}
