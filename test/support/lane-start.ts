// The first part of the module that `run.ts` makes of many test files: what would pass for success without being one fails the run, such as an end before the last test.
// Some tests load sources by their place. Not by a flag of the process, as then the loader would take this module, too, for one of those.
import "tsx";

export const lane = { finished: false };

// Stacks lead to the sources. tsx turns that off with each module that tests let it load and unload.
process.setSourceMapsEnabled = () => {};

process.on("exit", (code) => {
  if (lane.finished && code === 0) return;
  process.exitCode = code === 0 ? 1 : code;
  // A rejection that nobody caught fails the run without being any test's failure, so that the totals may look like success.
  console.error(`\nthe run failed${lane.finished ? "" : ": it ended before the last test had"} (exit code ${process.exitCode})`);
});
