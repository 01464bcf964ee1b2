import type { Host } from "../core/base/host.ts";
import type { Limits } from "../core/base/limits.ts";
import type { ChainSource } from "../core/guard/chain-source.ts";
import type { Decision } from "../core/guard/decision.ts";
import type { GuardEvent } from "../core/guard/events.ts";
import type { ExchangeInfo, GuardPolicy } from "../core/guard/options.ts";
import type { Authorize, HeaderRecord } from "../core/http/client-call.ts";
import type { HttpHandler, HttpSend } from "../core/http/exchange.ts";
import type { Servable } from "../core/http/serve.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";
import type { Era } from "../core/mcp/lifecycle.ts";
import type { Transport } from "../core/transport/transport.ts";
import type { InvocationContext, Principal } from "../core/wire/gen/interceptors.ts";
import type { ListenOptions } from "../node/http-listener.ts";
import type { PlacedWorker } from "./workers/place.ts";

/**
 * What a gateway does: plain data and functions, without a file behind it. Whoever reads a file makes one; a program can write it by hand. A plan is
 * never changed: `Gateway.reload` swaps it whole.
 */
export interface GatewayPlan {
  readonly upstreams: readonly UpstreamPlan[];
  /** What guards an upstream's faces. Asked once per connection and upstream, the source then once per exchange. */
  readonly chain: (upstream: string) => ChainSource;
  /** Of every guard. Defaults here: `errorResponses: "generic"`, `interceptNotifications: true`. */
  readonly policy?: GuardPolicy;
  /** Serves each upstream at `/NAME/mcp`, in both eras. Without it nothing listens; see `Gateway.handle`. */
  readonly http?: HttpFacePlan;
  /** The name of the upstream that is served on this process's stdin and stdout. */
  readonly stdio?: string;

  /** Who is behind a message, and its trace; see `GuardOptions.context`. */
  readonly context?: (exchange: ExchangeInfo, upstream: string) => Partial<InvocationContext> | Promise<Partial<InvocationContext>>;
  /** Awaited before a message goes on: for audit; see `GuardOptions.record`. */
  readonly record?: (decision: Decision, upstream: string) => Promise<void> | void;
  /** False while `record` is known to fail: requests are refused before they are sent; see `GuardOptions.canRecord`. */
  readonly canRecord?: (upstream: string) => boolean;
  /** Told what happens, through one bounded queue per upstream; see `GuardOptions.observe`. */
  readonly observe?: (event: GuardEvent, upstream: string) => unknown;
  readonly log?: Log;

  /** How long `close` lets calls in flight finish. Default 10,000 ms. */
  readonly drainMs?: number;
  /** Revisions that faces speak, of both eras. Default: all that this build knows. */
  readonly versions?: readonly string[];
  readonly parking?: ParkingPlan;
  readonly limits?: Partial<Limits>;
  readonly host?: Host;
  /** This process's place among the workers of a cluster that serve this plan on one port. */
  readonly worker?: PlacedWorker;
}

/** Where an upstream is. `server` is one in this process; `connect` makes one transport per connection, of any kind. */
export type UpstreamTarget =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly cwd?: string;
      /** The child's whole environment. Default: what a program needs to start (PATH, HOME and the like), no secret of the gateway's. */
      readonly env?: Readonly<Record<string, string | undefined>>;
      /** Where its standard error goes; `log`: line by line to the log of the plan, whose entries then have `details.stream: "stderr"`. Default `inherit`. */
      readonly stderr?: "inherit" | "ignore" | "log" | ((chunk: Uint8Array) => void);
    }
  | {
      readonly url: string;
      /** Go with every request. Nothing of what the client sent to the gateway is passed on by itself. */
      readonly headers?: HeaderRecord;
      readonly authorize?: Authorize;
      /** Carries the requests. Default: `createHttpSend()`, shared by all connections to the upstream. */
      readonly send?: HttpSend;
    }
  | { readonly server: Servable }
  | { readonly connect: () => Transport | Promise<Transport> };

/** A server behind the gateway, and what it may cost. Times are in milliseconds. */
export interface UpstreamPlan {
  /** Its segment in `/NAME/mcp`, and its name in logs, decisions and metrics: letters, digits, `.`, `_` and `-`. Unique. */
  readonly name: string;
  readonly target: UpstreamTarget;
  /**
   * `session`: a handshake upstream gets one connection (a child, a session) per downstream session; stateless callers share those of their
   * principal, client capabilities and revision, under the gateway's own name. `shared`: one connection for all; what the server then asks outside any call is refused
   * unless exactly one call is in flight. A stateless upstream is shared in any case, as each request says who asks. `principal`: one connection for each
   * principal, claims included, whom a `server` of this process sees as its peer's. Default `session`.
   */
  readonly sharing?: "session" | "shared" | "principal";
  /** Speaks this era alone. Default: finds out, once. */
  readonly era?: Era;
  /**
   * Whether a caller may use it, over HTTP: where it says no, a caller that was authenticated is answered 403, and one that was not 404. Default: all.
   * Must not throw.
   */
  readonly allow?: (principal: Principal | undefined) => boolean;
  /** Connections at a time. Above: unused ones make room, else the call is answered `overloaded`. Default 100. */
  readonly maxConnections?: number;
  /** Calls in flight at a time, over all connections. Above: answered `overloaded`. Default 1,000. */
  readonly maxCalls?: number;
  /** How long a connection that no session owns is kept unused. Default 60,000 ms. */
  readonly idleMs?: number;
  /** How long starting and greeting it may take. Default 30,000 ms. */
  readonly startTimeoutMs?: number;
  /** How long it may be silent to `server/discover` before it is taken for a handshake server. Default 5,000 ms. */
  readonly probeTimeoutMs?: number;
  /** Milliseconds without an answer and without progress after which a call fails. Default 600,000. */
  readonly callTimeoutMs?: number;
  /** Milliseconds after which a call fails whatever its progress. Default 3,600,000. */
  readonly maxCallMs?: number;
  /** Waits between failed starts, doubled from one to the other. Default 250 and 30,000 ms. */
  readonly backOff?: { readonly firstMs?: number; readonly longestMs?: number };
}

/** The listener for all upstreams; what is left out is as `listenHttp` has it. `authenticate` sees the path, which names the upstream. */
export interface HttpFacePlan extends Omit<ListenOptions, "path" | "limits" | "log" | "versions"> {
  /** Stands around all that is answered on the port: `Metrics.http`, say. */
  readonly around?: (handler: HttpHandler) => HttpHandler;
}

/** Calls of stateless clients that wait for an answer which a handshake upstream has asked for. */
export interface ParkingPlan {
  /** This process's name among its replicas, which parked state carries. Default: random. */
  readonly replica?: string;
  /** At a time. Above: the upstream is told that nobody can be asked. Default 1,000. */
  readonly maxParked?: number;
  /**
   * At a time, of those: the share of one verified principal, so that others find room. Above: the same. Default: a tenth of `maxParked`, rounded up.
   * Callers whom nobody has verified are not told apart, and have no share.
   */
  readonly maxParkedPerPrincipal?: number;
  /** How long one waits for its client. Default 600,000 ms. */
  readonly parkMs?: number;
}

/** A gateway that serves. */
export interface Gateway {
  /** Answers HTTP requests to `/NAME/mcp` for whoever brings them: `fetchHandler`, `directSend`, a server of one's own. */
  readonly handle: HttpHandler;
  /** Serves an upstream on a transport, as on stdio. Throws `not_found` for a name that the plan does not have. */
  serve(upstream: string, transport: Transport): void;
  /**
   * Connects to an upstream, if nothing is connected, and says what it is: for checks, and to be ready before the first caller. Rejects with
   * `not_found`, or with the `LocalError` that callers would be answered for.
   */
  describe(upstream: string): Promise<ServerDescription>;
  /** Origin of the HTTP face, such as `http://127.0.0.1:3000`; upstreams are at `/NAME/mcp`. */
  readonly url: string | undefined;
  /** Settles once it has ended: after `close`, or when the stdio face's client has left and there is no HTTP face. */
  readonly done: Promise<void>;
  /**
   * Takes another plan whole, or rejects and changes nothing. Calls in flight end as they began. Connections to an upstream whose plan is equal
   * stay, and get the new chain for their next exchange. Those of one that is gone or has changed end when they are idle, within `drainMs`; so do
   * all where `policy` has changed, or where `context`, `record` or `observe` has come or gone. Functions of the plan, `allow` and
   * `authenticate` are read anew; those of a target are equal where they are the same. What makes the listener and the process (`http`, `stdio`,
   * `parking`, `limits`, `host`) cannot change: rejects with `unsupported`.
   */
  reload(plan: GatewayPlan): Promise<void>;
  /** Takes nothing new, and settles when all calls are answered; those that are not within `ms` are answered with an error. */
  drain(ms: number): Promise<void>;
  /** Drains for `drainMs`, then ends everything. Idempotent, never rejects. */
  close(): Promise<void>;
  stats(): GatewayStats;
}

/** All counts are 0 when nothing goes on, but for connections that are kept for the next caller. */
export interface GatewayStats {
  /** Downstream connections: sessions of the handshake era, stateless requests that are being served, and stdio. */
  readonly faces: number;
  readonly calls: number;
  readonly parked: number;
  readonly draining: boolean;
  readonly upstreams: Readonly<Record<string, UpstreamStats>>;
}

/** How an upstream stands; `lost` and `failedStarts` count since the gateway began. */
export interface UpstreamStats {
  readonly connections: number;
  readonly calls: number;
  /** What it turned out to be; `undefined` until the first connection stands. */
  readonly era: Era | undefined;
  /** Connections that ended by themselves, and starts that failed, since the gateway began. */
  readonly lost: number;
  readonly failedStarts: number;
  /** Milliseconds until the next start may be tried; 0 where it may be at once. */
  readonly backOffMs: number;
}
