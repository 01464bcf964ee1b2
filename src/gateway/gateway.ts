import { base64Decode } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { resolveLimits } from "../core/base/limits.ts";
import { pickOptions } from "../core/base/options.ts";
import type { HttpHandler } from "../core/http/exchange.ts";
import { HEADER } from "../core/http/routing-headers.ts";
import { safeLog } from "../core/jsonrpc/log.ts";
import { resolveVersions } from "../core/mcp/lifecycle.ts";
import { STATELESS_VERSIONS } from "../core/wire/versions.ts";
import { nodeHost } from "../node/host.ts";
import { HANDLER_OPTIONS, listenHandler, type HandlerServer } from "../node/http-handler.ts";
import { stdioTransport } from "../node/stdio.ts";
import type { Caller } from "./call.ts";
import { nothingHere } from "./own-errors.ts";
import { createParking } from "./parking.ts";
import type { Gateway, GatewayPlan, UpstreamPlan } from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import { fixedDifferences, sameGuarding, sameUpstream } from "./same-plan.ts";
import { createServed, type Served } from "./served.ts";
import { createUpstream } from "./upstream.ts";
import { createHops } from "./workers/hop.ts";
import { openDoor } from "./workers/door.ts";
import { replicaOf } from "./workers/place.ts";

const DRAIN_MS = 10_000;
const CLOSE_GRACE_MS = 1_000;
/** Who asks where it is the gateway that wants to know. */
const ITSELF: Caller = { era: "stateless", version: STATELESS_VERSIONS[0], info: undefined, capabilities: {}, principal: undefined };

/**
 * Starts a gateway: upstreams behind guarded faces. Rejects with `invalid_argument` for a plan that cannot be, and with what Node says where it cannot
 * listen. Upstreams are connected to when somebody calls, not before.
 */
export async function createGateway(first: GatewayPlan): Promise<Gateway> {
  checkPlan(first);
  // A chain that cannot be had is found before anybody calls.
  for (const { name } of first.upstreams) first.chain(name);
  const host = first.host ?? nodeHost();
  const limits = resolveLimits(first.limits);
  const versions = resolveVersions(first.versions);
  const log = safeLog((entry) => plan.log?.(entry));
  const { worker } = first;
  const replica = first.parking?.replica;
  const ofAll = worker === undefined ? {} : { replica: replicaOf(worker, worker.slot, replica) };
  const parking = createParking(host, limits.maxAsks, { ...first.parking, ...ofAll }, worker === undefined ? undefined : base64Decode(worker.stateKey));
  const hops = worker === undefined ? undefined : createHops(worker, replica);
  let plan = first;
  let served = new Map<string, Served>();
  // Of earlier plans, until their calls have ended.
  const retired = new Set<Served>();
  let draining = false;
  let closing: Promise<void> | undefined;
  let finish!: () => void;
  const done = new Promise<void>((resolve) => (finish = resolve));

  const start = (upstreamPlan: UpstreamPlan, now: () => GatewayPlan): Served => {
    const { name } = upstreamPlan;
    const currentUpstream = () => now().upstreams.find((other) => other.name === name) ?? upstreamPlan;
    const upstream = createUpstream({ plan: upstreamPlan, host, limits, log });
    return createServed({ upstream, versions, parking, hops, host, limits, log, current: now, currentUpstream });
  };

  /** Settles with false where the time is up. */
  const within = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
    let cancel = () => {};
    const late = new Promise<boolean>((resolve) => (cancel = host.setTimer(() => resolve(false), ms)));
    const inTime = await Promise.race([work.then(() => true), late]);
    cancel();
    return inTime;
  };

  const retire = async (old: Served) => {
    retired.add(old);
    await within(plan.drainMs ?? DRAIN_MS, old.drain(true));
    await old.close();
    await old.upstream.close();
    retired.delete(old);
  };

  const elsewhere: HttpHandler = async (request) => {
    const other = await plan.http?.otherwise?.(request);
    return other === undefined || other.status === 404 ? nothingHere() : other;
  };
  const answer: HttpHandler = (request) => {
    const [, name = ""] = /^\/([^/]+)\/mcp$/.exec(request.path) ?? [];
    const session = request.headers.get(HEADER.session);
    // What clients still say in sessions of an earlier plan belongs to the calls that go on there.
    const earlier = session === undefined ? undefined : [...retired].find((one) => one.upstream.plan.name === name && one.holds(session));
    return ((earlier ?? served.get(name))?.handle ?? elsewhere)(request);
  };

  const handle = plan.http?.around?.(answer) ?? answer;

  const all = () => [...served.values(), ...retired];
  const drain = async (ms: number): Promise<void> => {
    draining = true;
    const faces = all();
    const inTime = await within(ms, Promise.all(faces.map((one) => one.drain())));
    if (!inTime) log({ level: "warning", message: `calls that have not ended within ${ms} ms are answered with an error` });
    // Faces answer what they owe, and end.
    await Promise.all(faces.map((one) => one.close()));
    parking.close();
  };

  const named = (name: string): Served => {
    const one = served.get(name);
    if (one === undefined) throw new LocalError("not_found", `the plan has no upstream ${JSON.stringify(name)}`);
    return one;
  };

  for (const upstream of plan.upstreams) served.set(upstream.name, start(upstream, () => plan));
  let listener: HandlerServer | undefined;
  let door: HandlerServer | undefined;
  try {
    if (worker !== undefined) door = await openDoor(worker, handle, limits);
    const { intake } = worker ?? {};
    const shared = { ...(hops === undefined ? {} : { divert: hops.divert }), ...(intake === undefined ? {} : { intake }) };
    if (plan.http !== undefined) listener = await listenHandler(handle, { ...pickOptions(plan.http, HANDLER_OPTIONS), limits, ...shared });
  } catch (error) {
    await door?.close(0);
    await Promise.all([...served.values()].map((one) => one.close()));
    throw error;
  }

  const end = async () => {
    listener?.retire();
    const drained = drain(plan.drainMs ?? DRAIN_MS);
    // The port as soon as can be, so that nobody comes to a gateway that is about to end. But clients answer what is asked in calls that go on, on whatever connection.
    void Promise.all(all().map((one) => one.sessionsSettled())).then(() => listener?.stop());
    await drained;
    await Promise.all([listener?.close(CLOSE_GRACE_MS), ...all().map(({ upstream }) => upstream.close())]);
    // What has come by another worker is answered; that one may still have a client of ours, who then learns that the session has ended.
    await door?.close(CLOSE_GRACE_MS);
    hops?.close();
    finish();
  };
  const close = () => (closing ??= end());

  if (plan.stdio !== undefined) {
    const face = served.get(plan.stdio)?.serve(stdioTransport({ limits }));
    if (listener === undefined) void face?.closed.then(close);
  }

  return {
    url: listener?.origin,
    handle,
    done,
    serve: (name, transport) => void named(name).serve(transport),
    async describe(name) {
      const { slot, release } = await named(name).upstream.single(ITSELF);
      try {
        return await slot.connect();
      } finally {
        release();
      }
    },
    async reload(next) {
      if (draining || closing !== undefined) throw new LocalError("closed", "the gateway is about to end");
      checkPlan(next);
      const fixed = fixedDifferences(plan, next);
      if (fixed.length > 0) throw new LocalError("unsupported", `a running gateway cannot change ${fixed.join(", ")}; start it anew`);
      const keepsGuards = sameGuarding(plan, next);
      const kept = new Map<string, Served>();
      const fresh: UpstreamPlan[] = [];
      for (const upstream of next.upstreams) {
        const old = served.get(upstream.name);
        if (old !== undefined && keepsGuards && sameUpstream(old.upstream.plan, upstream)) kept.set(upstream.name, old);
        else fresh.push(upstream);
      }
      // A chain that cannot be had is found now, while nothing has changed.
      for (const { name } of next.upstreams) next.chain(name);
      const before = plan;
      const after = new Map<string, Served>();
      try {
        plan = next;
        for (const upstream of next.upstreams) after.set(upstream.name, kept.get(upstream.name) ?? start(upstream, () => plan));
      } catch (error) {
        plan = before;
        for (const [name, one] of after) if (!kept.has(name)) void one.close();
        throw error;
      }
      const gone = [...served.values()].filter((one) => !kept.has(one.upstream.plan.name));
      served = after;
      // What its chain leaves of a list may be something else now.
      for (const [name, one] of kept) if (before.chain(name) !== next.chain(name)) one.upstream.listsChanged();
      for (const one of gone) void retire(one);
    },
    drain,
    close,
    stats: () => ({
      faces: all().reduce((sum, { faces }) => sum + faces, 0),
      calls: all().reduce((sum, { calls }) => sum + calls, 0),
      parked: parking.size,
      draining,
      upstreams: Object.fromEntries([...served].map(([name, { upstream }]) => [name, upstream.stats()])),
    }),
  };
}
