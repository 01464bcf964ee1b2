// Holds one subject of http-subjects.mjs in a process of its own: says `{ url }`, and when asked `{ microseconds }`, the processor time that it has used.
import * as subjects from "./http-subjects.mjs";

const url = await subjects[process.argv[2]]();
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ microseconds: user + system });
});
process.on("disconnect", () => process.exit());
process.send({ url });
