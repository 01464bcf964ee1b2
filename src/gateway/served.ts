import { LocalError } from "../core/base/errors.ts";
import { createLinkedList } from "../core/base/linked-list.ts";
import { pickOptions } from "../core/base/options.ts";
import { entryFact } from "../core/chain/entry-facts.ts";
import { createObserver, type Observer } from "../core/chain/observer.ts";
import { currentOf } from "../core/guard/chain-source.ts";
import type { Decision } from "../core/guard/decision.ts";
import type { GuardEvent } from "../core/guard/events.ts";
import { createGuard } from "../core/guard/guard.ts";
import type { GuardOptions, GuardPolicy } from "../core/guard/options.ts";
import { createToolSchemas, type ToolSchemas } from "../core/guard/tool-schemas.ts";
import type { Authenticate } from "../core/http/authentication.ts";
import type { HttpHandler } from "../core/http/exchange.ts";
import { loopbackHosts } from "../core/http/host-check.ts";
import { createHttpServer } from "../core/http/http-server.ts";
import { HTTP_SERVER_OPTIONS } from "../core/http/http-server-options.ts";
import type { Transport } from "../core/transport/transport.ts";
import { hooksMatch } from "../core/wire/patterns.ts";
import { createFace, type Face, type FaceParts } from "./face.ts";
import { createStatelessFace, type StatelessFaceParts } from "./face-stateless.ts";
import { createMirroredParams } from "./mirrored-params.ts";
import { tellingMissed } from "./missed-changes.ts";
import { gatewayError, isOwnError, nothingHere } from "./own-errors.ts";
import { countOwed } from "./owed.ts";
import type { GatewayPlan, UpstreamPlan } from "./plan.ts";
import type { Upstream } from "./upstream.ts";
import type { Hops } from "./workers/hop.ts";
import { sessionPrefix } from "./workers/place.ts";

/** What the guard of a face does unless the plan's policy says otherwise. */
export const FACE_POLICY: GuardPolicy = { errorResponses: "generic", interceptNotifications: true };

/** An upstream with its faces, as one plan describes them. */
export interface Served {
  readonly upstream: Upstream;
  readonly handle: HttpHandler;
  readonly faces: number;
  readonly calls: number;
  /** Puts a guard and a face on a connection. */
  serve(transport: Transport): Face;
  /** Whether it has such a session over HTTP. */
  holds(session: string): boolean;
  /** New requests are refused, also on connections to come; `replaced`: clients over HTTP are sent to open a session elsewhere. Settles when no answer is owed. */
  drain(replaced?: boolean): Promise<void>;
  /** Settles when no session is owed an answer: until then its client may have to be asked, and answer. Once it drains. */
  sessionsSettled(): Promise<void>;
  /** Answers what is owed, ends all faces. */
  close(): Promise<void>;
}

export interface ServedParts extends Omit<FaceParts, "stateless"> {
  /** The way to other workers, where this is one. */
  readonly hops: Hops | undefined;
  /** The plan at this moment, and the upstream's part in it. */
  current(): GatewayPlan;
  currentUpstream(): UpstreamPlan;
}

// Also where an interceptor only lets pass or refuses, and where its condition holds for some: nobody can tell what it goes by.
const concernsCallers = entryFact((entries, method) =>
  entries.some(
    ({ type, policy: { mode, hooks } }) => type !== "sink" && mode === "active" && (hooksMatch(hooks, method, "request") || hooksMatch(hooks, method, "response")),
  ),
);

export function createServed(parts: ServedParts): Served {
  const { upstream, versions, parking, hops, host, limits, log, current } = parts;
  const { name } = upstream.plan;
  const faces = createLinkedList<Face>();
  const plan = current();
  // Stateless requests come one a connection: what tools have advertised is known to all of them.
  const schemas = createToolSchemas(limits, () => {});
  const params = createMirroredParams({ host, limits, serve: (transport) => void serve(transport) });
  const tools: ToolSchemas = {
    ...schemas,
    learn(result) {
      schemas.learn(result);
      params.note(result);
    },
  };
  const observer: Observer<GuardEvent> | undefined =
    plan.observe === undefined ? undefined : createObserver((event) => current().observe?.(event, name), { maxQueued: limits.maxQueuedEvents });
  let draining = false;

  const chains = new WeakMap<GatewayPlan, ReturnType<typeof currentOf>>();
  const chain = {
    current() {
      const now = current();
      let source = chains.get(now);
      if (source === undefined) chains.set(now, (source = currentOf(now.chain(name))));
      return source.current();
    },
  };
  const { keepsError, ...policy } = plan.policy ?? {};
  const record = (decision: Decision) => current().record?.(decision, name);
  const options: GuardOptions = {
    role: "server",
    chain,
    policy: {
      ...FACE_POLICY,
      ...policy,
      keepsError: (error) => isOwnError(error) || keepsError?.(error) === true,
    },
    ...(plan.context === undefined ? {} : { context: (exchange) => current().context?.(exchange, name) ?? {} }),
    ...(plan.record === undefined ? {} : { record: policy.onRecordFailure === "continue" ? record : tellingMissed(record, () => upstream.missed()), canRecord: () => current().canRecord?.(name) ?? true }),
    ...(observer === undefined ? {} : { observe: observer }),
    log: ({ level, message }) => log({ level: LOG_LEVELS[level], message: `${name}: ${message}` }),
    host,
    limits,
  };
  const guard = createGuard(options, tools);

  const varies: StatelessFaceParts["varies"] = (method, principal) =>
    principal !== undefined ||
    parts.currentUpstream().allow !== undefined ||
    concernsCallers(chain.current().entries, method);

  const faceParts: FaceParts = { upstream, versions, parking, host, limits, log, stateless: createStatelessFace({ upstream, versions, parking, limits, varies }) };
  const lastAnswer = () => gatewayError("draining", "The connection has ended before the answer came", { delivery: "unknown" });
  const serve = (transport: Transport): Face => {
    const owed = countOwed(transport, lastAnswer);
    const face = createFace(guard(owed), owed, faceParts);
    const node = faces.add(face);
    void face.closed.then(() => faces.remove(node));
    if (draining) void face.drain();
    return face;
  };

  const allows = (principal: Parameters<NonNullable<UpstreamPlan["allow"]>>[0]) => parts.currentUpstream().allow?.(principal) ?? true;
  const authenticate: Authenticate | undefined =
    plan.http?.authenticate === undefined
      ? undefined
      : async (request) => {
          const check = current().http?.authenticate;
          if (check === undefined) throw new LocalError("invalid_argument", "the plan has lost its `authenticate`");
          const answer = await check(request);
          if ("principal" in answer && !allows(answer.principal)) return { challenge: { error: "insufficient_scope", description: "not for this caller" } };
          return answer;
        };
  const { host: address, authenticate: _authenticate, allowedHosts = loopbackHosts(address), ...http } = plan.http ?? {};
  const server = createHttpServer({
    ...pickOptions(http, HTTP_SERVER_OPTIONS),
    allowedHosts,
    ...(authenticate === undefined ? {} : { authenticate }),
    ...(hops === undefined ? {} : { passOn: hops.passOn }),
    ...(plan.worker === undefined ? {} : { sessionPrefix: sessionPrefix(plan.worker) }),
    versions: versions.all,
    host,
    limits,
    log,
  });
  server.describeTools(params);
  const accept = async () => {
    for (;;) {
      const transport = await server.accept();
      if (transport === undefined) return;
      serve(transport);
    }
  };
  void accept();

  return {
    upstream,
    handle: (request) => {
      if (authenticate === undefined && !allows(undefined)) return Promise.resolve(nothingHere());
      return server.handle(request);
    },
    get faces() {
      return faces.size;
    },
    get calls() {
      return [...faces].reduce((sum, { calls }) => sum + calls, 0);
    },
    serve,
    holds: (session) => server.holds(session),
    async drain(replaced) {
      draining = true;
      server.drain(replaced);
      await Promise.all([...faces].map((face) => face.drain()));
    },
    async sessionsSettled() {
      await Promise.all([...faces].filter(({ inSession }) => inSession).map((face) => face.drain()));
    },
    async close() {
      draining = true;
      await Promise.all([...faces].map((face) => face.close()));
      await server.close().catch((error: unknown) => log({ level: "warning", message: `${name}: the HTTP face did not close cleanly`, error }));
    },
  };
}

const LOG_LEVELS = { info: "debug", warn: "warning", error: "error" } as const;
