// What the kit says of mutants: all of them, or those whose id, requirement or file contains a word that is given.
//   node --import tsx test/conformance/sabotage/try.ts [WORD…]
import { measureAll } from "./measure.ts";
import { readPatches } from "./patches.ts";

const words = process.argv.slice(2);
const patches = readPatches().filter(({ id, breaks, edits }) => {
  const text = [id, breaks, ...edits.map(({ file }) => file)].join(" ");
  return words.length === 0 || words.some((word) => text.includes(word));
});
const { unpatched, mutants } = await measureAll(patches, words.length === 0 ? {} : { every: [1] });
console.log(`unpatched: ${unpatched.failed.length} of ${unpatched.ran} vectors fail`);
for (const [{ id, breaks, says }, measured] of mutants) {
  console.log(`\n${id}: ${says}`);
  if (measured instanceof Error || measured.crashed !== undefined) {
    console.log(`  ERROR ${measured instanceof Error ? measured.message : measured.crashed}`);
    continue;
  }
  const { broken, failed, ran } = measured;
  console.log(`  ${broken.includes(breaks) ? "caught" : "NOT CAUGHT"} as ${breaks}; ${failed.length} of ${ran} vectors fail; broken: ${broken.join(", ")}`);
  if (words.length === 0) continue;
  for (const vector of failed.slice(0, 10)) console.log(`  ${vector.id}\n    expected ${vector.expected}\n    actual   ${vector.actual}`);
}
