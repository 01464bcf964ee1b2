// Holds one subject of memory-subjects.mjs, in a process of its own so that no other shapes its compiled code, and measures it when told to:
// gets `{ ms }`, calls one after another for about that long, and says `{ microseconds }`, the mean of a call: processor time, which in calls that wait for
// nothing is the time they take when nothing else runs, and stays the same when something does.
import * as subjects from "./memory-subjects.mjs";

const CALLS_BETWEEN_LOOKS_AT_THE_CLOCK = 50;
const call = await subjects[process.argv[2]]();

process.on("message", async ({ ms }) => {
  let calls = 0;
  const until = performance.now() + ms;
  const before = process.cpuUsage();
  do {
    for (let index = 0; index < CALLS_BETWEEN_LOOKS_AT_THE_CLOCK; index++) await call();
    calls += CALLS_BETWEEN_LOOKS_AT_THE_CLOCK;
  } while (performance.now() < until);
  const { user, system } = process.cpuUsage(before);
  process.send({ microseconds: (user + system) / calls });
});
process.send({ ready: true });
