// Holds one subject of memory-subjects.mjs, in a process of its own so that no other shapes its compiled code, and measures it when told to:
// gets `{ ms }`, calls one after another for about that long, and says `{ microseconds }`, the mean of a call.
import * as subjects from "./memory-subjects.mjs";

const CALLS_BETWEEN_LOOKS_AT_THE_CLOCK = 50;
const call = await subjects[process.argv[2]]();

process.on("message", async ({ ms }) => {
  let calls = 0;
  const started = performance.now();
  let elapsed;
  do {
    for (let index = 0; index < CALLS_BETWEEN_LOOKS_AT_THE_CLOCK; index++) await call();
    calls += CALLS_BETWEEN_LOOKS_AT_THE_CLOCK;
    elapsed = performance.now() - started;
  } while (elapsed < ms);
  process.send({ microseconds: (elapsed * 1000) / calls });
});
process.send({ ready: true });
