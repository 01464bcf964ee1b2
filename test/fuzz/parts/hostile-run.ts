// A program: all hostile schemas at a size, in a process whose memory its parent has bounded. Writes a line for each.
import { HOSTILE } from "./hostile-schemas.ts";
import { tryHostile } from "./hostile.ts";

const size = Number(process.argv[2]);
for (const name of Object.keys(HOSTILE)) {
  // Before it is tried, so that the last line names the one that ends the process.
  process.stdout.write(`${JSON.stringify(name)}`);
  process.stdout.write(` ${JSON.stringify(tryHostile(name, size))}\n`);
}
