// One line at a time: what comes of it must be exactly what the model says.
import { denyAll } from "./chains.ts";
import type { Side, Step } from "./grammar.ts";
import { createModel } from "./model.ts";
import { createRig } from "./rig.ts";
import type { Posture } from "../../src/gateway/guarded-relay.ts";

export interface LockstepOptions {
  readonly posture: Posture;
  /** With a validator on `*` that denies everything, in both phases. */
  readonly denies: boolean;
  readonly byGateway: boolean;
}

/** Runs a case; gives what is wrong, or nothing. */
export async function runLockstep(steps: readonly Step[], { posture, denies, byGateway }: LockstepOptions): Promise<string | undefined> {
  const rig = createRig({
    posture,
    byGateway,
    ...(denies ? { fill: (chain) => chain.add(denyAll()), guard: { policy: { interceptNotifications: true } } } : {}),
  });
  const model = createModel({ denies });
  let problem: string | undefined;
  for (const { from, line, ending } of steps) {
    rig.write(from, line + ending);
    await rig.settle();
    const arrived: Record<Side, string[]> = { client: rig.arrived.client.splice(0), server: rig.arrived.server.splice(0) };
    if (rig.ended()) {
      // Given up, as no line after this one can be trusted: whoever waits is told.
      const told = arrived.client.flatMap((text) => (/"error"/.test(text) ? [keyOfAnswer(text)] : []));
      const untold = model.waiting().filter((key) => !told.includes(key));
      if (untold.length > 0 && !rig.deaf()) problem = `the relay ended without an answer to ${untold.join(", ")}`;
      break;
    }
    problem = model.explain(from, line, arrived);
    const inFlight = rig.inFlight() ?? model.inFlight();
    if (problem === undefined && inFlight !== model.inFlight()) {
      problem = `after ${line}\nthe ledger holds ${inFlight} exchanges, ${model.inFlight()} are in flight`;
    }
    if (problem !== undefined) break;
  }
  await rig.finish();
  if ((rig.inFlight() ?? 0) > 0) problem ??= `${rig.inFlight()} exchanges are left in the ledger`;
  problem ??= rig.host.liveTimers === 0 ? undefined : `${rig.host.liveTimers} timers are left`;
  return problem;
}

function keyOfAnswer(text: string): string {
  const parsed: unknown = JSON.parse(text);
  return JSON.stringify((parsed as { id?: unknown }).id); // a response of the relay's
}
