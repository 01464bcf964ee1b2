import { adapterTarget, type AdapterTarget } from "../conformance/adapter-target.ts";
import { spawnTransport } from "../node/child.ts";
import { nodeHost } from "../node/host.ts";

// A start may compile, or install.
const START_FACTOR = 3;
// One that hangs does not end by the end of its stdin.
const KILL_GRACE_MS = 500;

/** A program on stdio that speaks the adapter protocol, as a target. Its stderr is drained; the end of it is told with what goes wrong. */
export function spawnedAdapter([command, ...args]: readonly [string, ...string[]], timeoutMs: number): AdapterTarget {
  return adapterTarget({
    host: nodeHost(),
    timeoutMs,
    startTimeoutMs: START_FACTOR * timeoutMs,
    async open(onNoise) {
      const transport = await spawnTransport({ command, args, stderr: "ignore", killGraceMs: KILL_GRACE_MS, onNoise: ({ text }) => onNoise(text) });
      return { transport, stderrTail: () => transport.stderrTail() };
    },
  });
}
