import { describeError, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { Signal } from "../core/base/signal.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { SubscriptionFilter } from "../core/wire/gen/mcp.ts";
import type { NotificationMessage } from "../core/wire/message.ts";
import { createBackOff } from "./back-off.ts";
import { isForAll, unanswerable, type Answer, type Call, type CallHooks, type Outcome, type Question } from "./call.ts";
import { lower } from "./upstream-handshake.ts";
import type { Followed, Link, LinkOwner } from "./upstream-link.ts";

/** Somebody who hears of what belongs to no call. Its members may change; `Following.refresh` says so. */
export interface Follower {
  readonly filter: SubscriptionFilter;
  /** The least severe log level that it wants; `undefined`: whatever the server says by itself. */
  readonly logLevel: string | undefined;
  onNotification(frame: Frame, message: NotificationMessage): void;
  /** Present where it can be asked outside any call. */
  ask?(question: Question, signal: Signal): Promise<Answer>;
}

export interface Following {
  /** Settles when the server knows what is wanted now. Never rejects. */
  refresh(): Promise<Followed>;
  end(): void;
}

/** The place of one connection to an upstream, which outlives the connection: where that is lost, the next call makes another. */
export interface Slot {
  /** What the last connection said of itself; `undefined` before the first. */
  readonly server: ServerDescription | undefined;
  readonly calls: number;
  readonly followers: number;
  /** Whether a connection stands. */
  readonly stands: boolean;
  /** Whether a connection stands or is being made. */
  readonly connected: boolean;
  /** Rejects with a `LocalError` where there is no connection to be had now. */
  connect(): Promise<ServerDescription>;
  /** Made again, on a new connection if need be, where it has certainly not been delivered. Never rejects. */
  call(call: Call, hooks: CallHooks, signal: Signal): Promise<Outcome>;
  follow(follower: Follower): Following;
  tell(message: NotificationMessage, source: Frame): void;
  /** Tells whoever listens that lists may have changed, for a reason that the server does not know. */
  listsChanged(): void;
  /** Tells whoever listens that anything may have changed while nobody was told. */
  missed(): void;
  /** Ends the connection; a call after that fails. */
  close(why?: LocalError): Promise<void>;
}

export interface SlotParts {
  /** Whether all of it is one session's, which may then be asked outside any call. */
  readonly own: boolean;
  readonly host: Host;
  readonly log: Log;
  /** For connections that stood and were lost; whoever opens them counts starts that fail. */
  readonly backOff: { readonly firstMs?: number; readonly longestMs?: number } | undefined;
  open(owner: LinkOwner): Promise<Link>;
  /** A connection that stood has ended by itself. */
  lost(): void;
}

/** So often a call that was not delivered is made again, after these waits. */
const RETRY_WAITS_MS: readonly number[] = [100, 400];
/** A connection that lasted so long has proved itself. */
const STABLE_MS = 10_000;
/** Between attempts to connect for those who listen. */
const REVIVAL_MS = 1_000;
const NOTHING: Followed = { agreed: {}, refused: new Map() };

export function createSlot({ own, host, log, backOff: waits, open, lost }: SlotParts): Slot {
  const followers = new Set<Follower>();
  const backOff = createBackOff(host, waits);
  let link: Link | undefined;
  let starting: Promise<Link> | undefined;
  let server: ServerDescription | undefined;
  let closed: LocalError | undefined;
  let calls = 0;

  const unionOf = (): SubscriptionFilter => {
    const union: SubscriptionFilter = {};
    const uris = new Set<string>();
    for (const { filter } of followers) {
      for (const name of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const) if (filter[name] === true) union[name] = true;
      for (const uri of filter.resourceSubscriptions ?? []) uris.add(uri);
    }
    if (uris.size > 0) union.resourceSubscriptions = [...uris];
    return union;
  };

  const owner: LinkOwner = {
    wanted: unionOf,
    logLevel: () => [...followers].reduce<string | undefined>((least, { logLevel }) => lower(least, logLevel), undefined),
    onNotification(frame, message) {
      // Of what belongs to one caller nobody knows to whom. A connection of a stateless revision is everybody's, whoever it was made for.
      if ((!own || server?.era === "stateless") && !isForAll(message.method)) {
        return log({ level: "debug", message: `${message.method} names no call, on a connection that several share; it was dropped` });
      }
      for (const follower of followers) if (wants(follower.filter, message)) follower.onNotification(frame, message);
    },
    ...(own ? { ask: (question: Question, signal: Signal) => askFollower(followers, question, signal) } : {}),
    interrupted: () => missed(),
  };

  const listsChanged = () => {
    for (const follower of followers) {
      for (const kind of ["tools", "prompts", "resources"] as const) {
        if (follower.filter[`${kind}ListChanged`] === true) tell(follower, { jsonrpc: "2.0", method: `notifications/${kind}/list_changed` });
      }
    }
  };

  /** What has changed while nobody listened is not known, so all of it may have. */
  const missed = () => {
    listsChanged();
    for (const follower of followers) {
      for (const uri of follower.filter.resourceSubscriptions ?? []) {
        tell(follower, { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
      }
    }
  };

  const listenedTo = () => [...followers].some(({ filter }) => Object.keys(filter).length > 0);
  let cancelRevival = () => {};
  /** Somebody listens, so the connection is made again without a call. */
  const revive = (wait: number) => {
    cancelRevival();
    cancelRevival = host.setTimer(
      () => {
        if (closed !== undefined || link !== undefined || !listenedTo()) return;
        current().catch((thrown: unknown) => revive(Math.max(retryAfter(thrown), REVIVAL_MS)));
      },
      wait,
      true,
    );
  };

  const start = async (): Promise<Link> => {
    if (backOff.waitMs > 0) throw backingOff(backOff.waitMs);
    const startedAt = host.now();
    const again = server !== undefined;
    let opened: Link;
    try {
      opened = await open(owner);
    } catch (thrown) {
      throw notDelivered(thrown);
    }
    if (closed !== undefined) {
      await opened.close();
      throw closed;
    }
    link = opened;
    server = opened.server;
    void opened.closed.then((why) => {
      if (link !== opened) return;
      link = undefined;
      if (closed !== undefined) return;
      if (host.now() - startedAt >= STABLE_MS) backOff.succeeded();
      backOff.failed();
      lost();
      log({ level: "warning", message: "the connection to the upstream has ended", ...(why === undefined ? {} : { error: why }) });
      if (listenedTo()) revive(backOff.waitMs);
    });
    cancelRevival();
    if (followers.size > 0) void opened.refresh().then(() => (again ? missed() : undefined));
    return opened;
  };

  const current = (): Promise<Link> => {
    if (closed !== undefined) return Promise.reject(closed);
    if (link !== undefined) return Promise.resolve(link);
    return (starting ??= start().finally(() => (starting = undefined)));
  };

  const attempt = async (call: Call, hooks: CallHooks, signal: Signal): Promise<Outcome> => {
    let ready: Link;
    try {
      ready = link ?? (await current());
    } catch (thrown) {
      return { kind: "failed", error: notDelivered(thrown), delivery: "none" };
    }
    return signal.aborted ? { kind: "cancelled" } : await ready.call(call, hooks, signal);
  };

  return {
    get server() {
      return server;
    },
    get calls() {
      return calls;
    },
    get followers() {
      return followers.size;
    },
    get stands() {
      return link !== undefined;
    },
    get connected() {
      return link !== undefined || starting !== undefined;
    },
    connect: async () => (await current()).server,
    async call(call, hooks, signal) {
      calls++;
      try {
        for (let tries = 0; ; tries++) {
          const outcome = await attempt(call, hooks, signal);
          const wait = RETRY_WAITS_MS[tries];
          if (outcome.kind !== "failed" || outcome.delivery !== "none" || wait === undefined || closed !== undefined || isFinal(outcome.error)) return outcome;
          await pause(host, wait, signal);
          if (signal.aborted) return { kind: "cancelled" };
        }
      } finally {
        calls--;
      }
    },
    follow(follower) {
      followers.add(follower);
      return {
        refresh: async () => {
          try {
            return await (await current()).refresh();
          } catch (thrown) {
            log({ level: "warning", message: `the upstream cannot be told what is wanted: ${describeError(thrown)}` });
            return NOTHING;
          }
        },
        end() {
          if (followers.delete(follower) && Object.keys(follower.filter).length > 0) void link?.refresh();
        },
      };
    },
    // To a server that several share it would be everybody's.
    tell: (message, source) => (own ? link?.tell(message, source) : undefined),
    listsChanged,
    missed,
    async close(why) {
      cancelRevival();
      closed ??= new LocalError("closed", why?.message ?? "the upstream is not served any more", { details: { delivery: "none" } });
      await Promise.all([link?.close(why), starting?.catch(() => {})]);
    },
  };
}

function askFollower(followers: ReadonlySet<Follower>, question: Question, signal: Signal): Promise<Answer> {
  const able = [...followers].find(({ ask }) => ask !== undefined);
  return able?.ask?.(question, signal) ?? Promise.resolve(unanswerable("There is no client to ask", "unrelated"));
}

/** Whether a follower has asked to hear of it. What is not asked for by name goes to all. */
function wants(filter: SubscriptionFilter, { method, params = {} }: NotificationMessage): boolean {
  if (method === "notifications/tools/list_changed") return filter.toolsListChanged === true;
  if (method === "notifications/prompts/list_changed") return filter.promptsListChanged === true;
  if (method === "notifications/resources/list_changed") return filter.resourcesListChanged === true;
  if (method === "notifications/resources/updated") return covered(filter.resourceSubscriptions ?? [], params["uri"]);
  return true;
}

/** An update may be of a resource below the one that was subscribed to (MCP server/resources, Subscriptions). */
function covered(uris: readonly string[], updated: unknown): boolean {
  return typeof updated === "string" && uris.some((uri) => uri === updated || updated.startsWith(uri.endsWith("/") ? uri : `${uri}/`));
}

const FINAL: ReadonlySet<string> = new Set(["unsupported", "refused", "limit_exceeded", "spawn_failed", "timeout"]);

/** Another try would fare no better, or would only add to the load. One that an HTTP server has refused would be refused again. */
function isFinal({ code, details }: LocalError): boolean {
  return FINAL.has(code) || details?.["retryAfterMs"] !== undefined || details?.["httpStatus"] !== undefined;
}

// Nothing of a call has gone out where its connection does not stand.
function notDelivered(thrown: unknown): LocalError {
  const known = thrown instanceof LocalError ? thrown : undefined;
  return new LocalError(known?.code ?? "closed", describeError(thrown), { details: { ...known?.details, delivery: "none" }, cause: thrown });
}

function tell(follower: Follower, message: NotificationMessage): void {
  follower.onNotification({ message }, message);
}

function retryAfter(thrown: unknown): number {
  const wait = thrown instanceof LocalError ? thrown.details?.["retryAfterMs"] : undefined;
  return typeof wait === "number" ? wait : 0;
}

/** `code`: as what the last start failed, where callers are told that. */
export function backingOff(waitMs: number, code: "closed" | "invalid_message" = "closed"): LocalError {
  const details = { delivery: "none", retryAfterMs: waitMs };
  return new LocalError(code, `the upstream has failed again and again; the next start is in ${waitMs} ms`, { details });
}

function pause(host: Host, ms: number, signal: Signal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const off = signal.onAbort(() => {
      cancel();
      resolve();
    });
    const cancel = host.setTimer(() => {
      off();
      resolve();
    }, ms);
  });
}
