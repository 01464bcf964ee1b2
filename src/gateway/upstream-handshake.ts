import { BriefMap } from "../core/base/brief-map.ts";
import { ErrorCode, LocalError } from "../core/base/errors.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import type { SubscriptionFilter } from "../core/wire/gen/mcp.ts";
import { isErrorResponse, type ErrorMessage, type RequestId } from "../core/wire/message.ts";
import { isForAll, progressToken, unanswerable, type Answer, type CallHooks, type Question } from "./call.ts";
import { announces } from "./capabilities.ts";
import type { FrameRequest } from "./frame-requests.ts";
import type { BuiltLink, Followed, Link, LinkCore, LinkOwner } from "./upstream-link.ts";
import { abandon, sendCall } from "./upstream-request.ts";

interface OpenCall {
  readonly hooks: CallHooks;
  /** Questions of the server's that wait for their answer. */
  asking: number;
  /** Aborts when the call ends: nobody needs the answers any more. */
  readonly over: ReturnType<typeof createSignal>;
  /** Aborts when its caller gives it up. */
  readonly givenUp: ReturnType<typeof createSignal>;
}

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const KINDS = ["tools", "prompts", "resources"] as const;
// Shared, as an error costs a stack.
const ENDED = new LocalError("aborted", "the call has ended");
/** For what the gateway itself asks of a server. */
const COMMAND_MS = 30_000;
const SUBSCRIBES_AT_ONCE = 32;

/** Whether log messages of `level` are wanted by whoever wants `least` and worse. */
export function isWanted(level: unknown, least: string | undefined): boolean {
  return least === undefined || LEVELS.indexOf(String(level)) >= LEVELS.indexOf(least);
}

/** The more talkative of two levels. */
export function lower(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return LEVELS.indexOf(left) <= LEVELS.indexOf(right) ? left : right;
}

/**
 * A connection of the revisions that open with `initialize`. The server sends requests of its own. One that names no call is asked of the link's owner where
 * that can be asked, in the exchange of a call in flight if there is one; else it belongs to the only call in flight, and is refused where there is none.
 */
export function createHandshakeLink(core: LinkCore): BuiltLink {
  const { peer, server, owner, log } = core;
  const calls = new BriefMap<number, OpenCall>();
  const subscribed = new Set<string>();
  let level: string | undefined;
  // Questions that may be about any call in flight.
  let askingBeside = 0;
  let refreshing: Promise<unknown> = Promise.resolve();

  const command = async (method: string, params: { [member: string]: unknown }): Promise<ErrorMessage | undefined> => {
    try {
      const { message } = (await peer.request({ message: { method, params }, timeoutMs: COMMAND_MS })).frame;
      return isErrorResponse(message) ? message : undefined;
    } catch (thrown) {
      const text = thrown instanceof LocalError ? thrown.message : "it failed";
      return { jsonrpc: "2.0", id: 0, error: { code: ErrorCode.internalError, message: `${method} failed: ${text}` } };
    }
  };

  const setLevel = async (wanted: string | undefined) => {
    if (wanted === undefined || wanted === level || server.capabilities.logging === undefined) return;
    level = wanted;
    const refused = await command("logging/setLevel", { level: wanted });
    if (refused !== undefined) log({ level: "warning", message: "the server refused a log level", details: { level: wanted } });
  };

  const follow = async (): Promise<Followed> => {
    const wanted = owner.wanted();
    await setLevel(owner.logLevel());
    const uris = new Set(announces(server.capabilities, "resources", "subscribe") ? (wanted.resourceSubscriptions ?? []) : []);
    const refused = new Map<string, ErrorMessage>();
    for (const uri of [...subscribed].filter((uri) => !uris.has(uri))) {
      subscribed.delete(uri);
      await command("resources/unsubscribe", { uri });
    }
    const missing = [...uris].filter((uri) => !subscribed.has(uri));
    // Several at once, so that on a new connection they are out before the call that it was made for.
    while (missing.length > 0) {
      await Promise.all(
        missing.splice(0, SUBSCRIBES_AT_ONCE).map(async (uri) => {
          const error = await command("resources/subscribe", { uri });
          if (error === undefined) subscribed.add(uri);
          else refused.set(uri, error);
        }),
      );
    }
    const agreed: SubscriptionFilter = {};
    for (const kind of KINDS) {
      if (wanted[`${kind}ListChanged`] === true && announces(server.capabilities, kind, "listChanged")) agreed[`${kind}ListChanged`] = true;
    }
    if (subscribed.size > 0) agreed.resourceSubscriptions = [...subscribed];
    return { agreed, refused };
  };

  const only = (): OpenCall | undefined => (calls.size === 1 ? calls.values()[0] : undefined);
  // Ids of ours are numbers; what a server relates to anything else relates to nothing.
  const callOf = (related: RequestId | undefined) => (related === undefined ? only() : typeof related === "number" ? calls.get(related) : undefined);

  const askIn = async (open: OpenCall, question: Question, signal: Signal): Promise<Answer> => {
    open.asking++;
    try {
      // Looked at by whoever calls.
      return await open.hooks.ask!(question, signal);
    } finally {
      open.asking--;
    }
  };
  /** For a call, and as long as it runs. */
  const askFor = async (open: OpenCall, question: Question, signal: Signal): Promise<Answer> => {
    const source = createSignal(signal, open.over.signal);
    try {
      return await askIn(open, question, source.signal);
    } finally {
      source.dispose();
    }
  };
  /**
   * Of the session itself: a call in flight only lends its exchange, as a client without a stream of its own hears of nothing else. Whichever call it is, it
   * is the same client's; the latest is the likeliest to be what the question is about.
   */
  const askBeside = async (question: Question, signal: Signal, ask: NonNullable<LinkOwner["ask"]>): Promise<Answer> => {
    const tried = new Set<OpenCall>();
    for (;;) {
      const lender = calls.values().findLast((open) => open.hooks.ask !== undefined && !tried.has(open));
      if (lender === undefined) return await ask(question, signal);
      tried.add(lender);
      const alone = calls.size === 1;
      const source = createSignal(signal, lender.givenUp.signal);
      try {
        return await askIn(lender, question, source.signal);
      } catch (thrown) {
        const unheard = thrown instanceof LocalError && thrown.code === "closed" && thrown.details?.["delivery"] === "none";
        // What its caller has given up may have lent its exchange to what another call waits for.
        if (signal.aborted || !(unheard || (lender.givenUp.signal.aborted && !alone))) throw thrown;
      } finally {
        source.dispose();
      }
    }
  };

  const answerFor = (request: FrameRequest): Promise<Answer> => {
    const token = progressToken(request.message.params);
    const onProgress: Question["onProgress"] = (frame, message) => {
      if (!request.signal.aborted && token !== undefined) peer.notify({ ...message, params: { ...message.params, progressToken: token } }, frame, request.message.id);
    };
    const question: Question = { message: request.message, source: request.frame, ...(token === undefined ? {} : { onProgress }) };
    if (request.related === undefined && owner.ask !== undefined) {
      askingBeside++;
      return askBeside(question, request.signal, owner.ask).finally(() => askingBeside--);
    }
    const open = callOf(request.related);
    if (open?.hooks.ask !== undefined) return askFor(open, question, request.signal);
    if (open === undefined && owner.ask !== undefined) return owner.ask(question, request.signal);
    const why = open === undefined ? "The request belongs to no call, so nobody can be asked" : "The caller cannot be asked";
    return Promise.resolve(unanswerable(why, open === undefined ? "unrelated" : "cannot_ask"));
  };

  const link: Link = {
    server,
    get calls() {
      return calls.size;
    },
    closed: peer.closed,
    async call(call, hooks, signal) {
      const open: OpenCall = { hooks, asking: 0, over: createSignal(), givenUp: createSignal() };
      let id = 0;
      try {
        await setLevel(lower(level, call.logLevel));
        return await sendCall(core, call, {
          meta: {},
          hooks,
          signal,
          waits: () => open.asking + askingBeside > 0,
          onId(given) {
            id = given;
            calls.set(id, open);
          },
          resultOf: (message, source) => ({ kind: "result", message, source }),
        });
      } finally {
        calls.delete(id);
        open.over.abort(ENDED);
        if (signal.aborted) open.givenUp.abort(ENDED);
      }
    },
    refresh() {
      const followed = refreshing.then(follow);
      refreshing = followed;
      return followed;
    },
    tell: (message, source) => peer.notify(message, source),
    close: (why) => peer.close(why),
  };

  return {
    link,
    onRequest(request) {
      if (request.message.method === "ping") return request.answer({ jsonrpc: "2.0", id: request.message.id, result: {} });
      answerFor(request).then(
        ({ message, source }) => request.answer(message, source),
        (thrown: unknown) => {
          log({ level: "warning", message: `${request.message.method} got no answer`, error: thrown });
          request.answer(unanswerable("The client gave no answer", "no_answer").message);
        },
      );
    },
    renewed(failure) {
      if (failure !== undefined) return void abandon(core);
      subscribed.clear();
      level = undefined;
      void link.refresh().then(() => owner.interrupted());
    },
    onNotification(frame, message, { related }) {
      const { method } = message;
      const open = !isForAll(method) && (method === "notifications/message" || related !== undefined) ? callOf(related) : undefined;
      if (open !== undefined) open.hooks.onNotification(frame, message);
      else owner.onNotification(frame, message);
    },
  };
}
