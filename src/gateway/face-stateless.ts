import { ErrorCode, RpcError } from "../core/base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { Signal } from "../core/base/signal.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";
import { invalidParams } from "../core/mcp/lifecycle.ts";
import { describeProblem } from "../core/wire/check.ts";
import { checkListenParams, type SubscriptionFilter } from "../core/wire/gen/mcp.ts";
import { covers, METHODS } from "../core/wire/methods.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { isResult } from "../core/wire/message.ts";
import { META } from "../core/wire/versions.ts";
import { isChange, metaText, type Call, type CallHooks, type Caller, type Outcome } from "./call.ts";
import { mayBeAsked, mirrored } from "./capabilities.ts";
import { answerOutcome, hooksFor, isShared, requireMethod, type FaceConnection, type FaceParts } from "./face.ts";
import { completed, emptyResult, privately } from "./face-result.ts";
import type { FrameRequest } from "./frame-requests.ts";
import { gatewayError } from "./own-errors.ts";
import type { Tried } from "./parking.ts";
import { isWanted } from "./upstream-handshake.ts";
import type { Lease } from "./upstream.ts";
import type { Follower } from "./upstream-slot.ts";

export interface StatelessFaceParts extends Pick<FaceParts, "upstream" | "versions" | "parking" | "limits"> {
  /** Whether another caller might get something else for the same request, or nothing: then nobody may keep the answer for others. */
  varies(method: string, principal: Principal | undefined): boolean;
}

/** Revision 2026-07-28: each request says who asks and how, so that one face serves all connections. */
export interface StatelessFace {
  /** Rejects with the `RpcError` or `LocalError` that the request is to be answered with. */
  serve(request: FrameRequest, caller: Caller, connection: FaceConnection): Promise<void>;
}

interface Asked {
  readonly request: FrameRequest;
  readonly caller: Caller;
  readonly connection: FaceConnection;
}

const HANDLED: ReadonlySet<string> = new Set(["server/discover", "subscriptions/listen"]);
const LISTS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const;

export function createStatelessFace({ upstream, versions, parking, limits, varies }: StatelessFaceParts): StatelessFace {
  const { name } = upstream.plan;
  const shared = isShared(upstream.plan);
  const discover = (request: FrameRequest, server: ServerDescription) => {
    const { instructions } = server;
    const empty = emptyResult("stateless", server, name, "server/discover");
    const result: JsonObject = {
      ...empty.result,
      supportedVersions: [...versions.all],
      capabilities: mirrored(server.capabilities, server.era, "stateless", shared),
      ...(instructions === undefined ? {} : { instructions }),
    };
    request.answer({ ...empty, result });
  };

  const listen = async (request: FrameRequest, { follow }: Lease, server: ServerDescription, { peer, draining }: FaceConnection) => {
    const { id, params = {} } = request.message;
    const problem = checkListenParams(params);
    if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
    const asked = params["notifications"] as SubscriptionFilter; // just checked
    const uris = asked.resourceSubscriptions ?? [];
    if (uris.length > limits.maxSubscriptions) throw invalidParams("too many subscriptions (maxSubscriptions)");
    const filter: SubscriptionFilter = uris.length === 0 ? {} : { resourceSubscriptions: [...uris] };
    for (const list of LISTS) if (asked[list] === true) filter[list] = true;
    const meta = { [META.subscriptionId]: id };
    let acknowledged = false;
    const follower: Follower & { filter: SubscriptionFilter } = {
      // What is asked for, and then what the upstream has agreed to.
      filter,
      logLevel: undefined,
      onNotification(frame, message) {
        // Others belong to a session, or to a call.
        if (!acknowledged || !isChange(message.method)) return;
        const { _meta, ...rest } = message.params ?? {};
        peer.notify({ ...message, params: { ...rest, _meta: { ...(isObject(_meta) ? _meta : {}), ...meta } } }, frame, id);
      },
    };
    const following = follow(follower);
    try {
      const { agreed } = await following.refresh();
      const honoured: SubscriptionFilter = {};
      for (const list of LISTS) if (filter[list] === true && agreed[list] === true) honoured[list] = true;
      const told = uris.filter((uri) => agreed.resourceSubscriptions?.includes(uri) === true);
      if (told.length > 0) honoured.resourceSubscriptions = told;
      if (request.signal.aborted) return;
      peer.notify({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta: meta, notifications: honoured } }, undefined, id);
      follower.filter = honoured;
      acknowledged = true;
      await new Promise<void>((resolve) => {
        // The face outlives it.
        const off = draining.onAbort(() => resolve());
        request.signal.onAbort(() => (off(), resolve()));
      });
    } finally {
      following.end();
    }
    const last = emptyResult("stateless", server, name, "subscriptions/listen");
    request.answer({ ...last, result: { ...last.result, _meta: { ...(last.result["_meta"] as JsonObject), ...meta } } });
  };

  const answer = (request: FrameRequest, tried: Tried, { owed }: Pick<FaceConnection, "owed">) => {
    if (tried.kind === "parked") {
      const { requestState } = tried.message.result;
      // An interceptor may have refused it, or the caller have left meanwhile.
      owed.onAnswer(request.message.id, (got) => {
        if (got === undefined || !isResult(got) || got.result["requestState"] !== requestState) tried.lost();
      });
    }
    // What a stateless upstream asks for goes on as it is: its state is for nobody else.
    if (tried.kind === "input" || tried.kind === "parked") request.answer(tried.message, tried.source);
    else if (tried.kind === "refused") request.answer(tried.message);
    else answerOutcome(request, tried);
  };

  const resume = async (request: FrameRequest, caller: Caller, state: string, connection: FaceConnection) => {
    const made: Call = { frame: request.frame, message: request.message, sentParams: request.sentParams, caller, logLevel: undefined };
    answer(request, await parking.resume(name, state, made, hooksFor(connection, request, () => false), request.signal), connection);
  };

  const finish = ({ message: { method }, caller }: Call, server: ServerDescription, outcome: Outcome): Outcome => {
    const done = completed("stateless", server, name, method, outcome);
    if (done.kind !== "result") return done;
    const message = privately(done.message);
    return message === done.message || !varies(method, caller.principal) ? done : { ...done, message };
  };

  const call = async ({ request, caller, connection }: Asked, lease: Lease, server: ServerDescription, handOver: () => () => void): Promise<void> => {
    const { method, params = {} } = request.message;
    const logLevel = metaText(params, META.logLevel);
    const made: Call = { frame: request.frame, message: request.message, sentParams: request.sentParams, caller, logLevel };
    const hooks = hooksFor(connection, request, (level) => logLevel !== undefined && isWanted(level, logLevel));
    const finished = upstream.admit();
    if (finished === undefined) return request.answer(gatewayError("overloaded", "Too many calls to this upstream; try again later", { delivery: "none" }));
    const known = METHODS.get(method);
    const mayAsk = known === undefined || (known.kind === "request" && covers(known.asksForInput, caller.version));
    if (server.era === "stateless" || !mayAsk || !mayBeAsked(caller.capabilities)) {
      try {
        return answer(request, finish(made, lease.slot.server ?? server, await lease.slot.call(made, hooks, request.signal)), connection);
      } finally {
        finished();
      }
    }
    // The call may outlive this request, and holds its connection until it ends.
    const release = handOver();
    const make = async (through: CallHooks, signal: Signal) => {
      try {
        return finish(made, lease.slot.server ?? server, await lease.slot.call(made, through, signal));
      } finally {
        finished();
        release();
      }
    };
    answer(request, await parking.run(name, made, hooks, request.signal, make), connection);
  };

  return {
    async serve(request, caller, connection) {
      const { method, params = {} } = request.message;
      if (!HANDLED.has(method) && METHODS.has(method) && !covers(METHODS.get(method)?.client, caller.version)) {
        throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
      }
      const state = ownMember(params, "requestState");
      if (state !== undefined && typeof state !== "string" && METHODS.has(method)) throw invalidParams("params.requestState must be a string");
      if (typeof state === "string" && upstream.era === "handshake") return await resume(request, caller, state, connection);
      const lease = await (HANDLED.has(method) ? upstream.beside(caller) : upstream.single(caller));
      let kept = false;
      try {
        const { server } = lease.slot;
        if (server === undefined || request.signal.aborted) return;
        requireMethod(method, caller, server, shared, HANDLED);
        if (method === "server/discover") return discover(request, server);
        if (method === "subscriptions/listen") return await listen(request, lease, server, connection);
        if (server.era === "handshake" && typeof state === "string") return await resume(request, caller, state, connection);
        await call({ request, caller, connection }, lease, server, () => {
          kept = true;
          return lease.release;
        });
      } finally {
        if (!kept) lease.release();
      }
    },
  };
}
