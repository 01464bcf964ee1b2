// What the scenario needs of a client, whoever made it.
import assert from "node:assert/strict";
import type { SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { library } from "./library.ts";

export type Json = Record<string, unknown>;
export type ListKind = "tools" | "prompts" | "resources" | "resourceTemplates";

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
}

export interface CallOptions {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** What a server says, and asks, in the order of its coming. */
export type Heard =
  | { readonly kind: "log"; readonly level: unknown; readonly data: unknown; readonly logger: unknown }
  | { readonly kind: "updated"; readonly uri: string }
  | { readonly kind: "changed"; readonly list: string }
  | { readonly kind: "asked"; readonly method: string; readonly params: unknown };

export interface MatrixClient {
  /** The revision that was agreed on, as the client tells it or as it stands in the server's answer. */
  readonly version: unknown;
  readonly server: { readonly info: unknown; readonly capabilities: unknown; readonly instructions: unknown };
  readonly heard: Listening;
  ping(): Promise<unknown>;
  /** All pages. */
  list(kind: ListKind): Promise<readonly Json[]>;
  call(name: string, args: Json, options?: CallOptions): Promise<Json>;
  getPrompt(name: string, args?: Record<string, string>): Promise<Json>;
  read(uri: string): Promise<Json>;
  complete(ref: Reference, argument: string, value: string): Promise<Json>;
  /** From now on, in the way of the revision. */
  setLogLevel(level: "warning"): Promise<void>;
  /** Settles once the server has agreed; gives what ends it. */
  subscribe(uri: string): Promise<() => Promise<unknown>>;
  /** Wants to know of changes of all lists, in the way of the revision. */
  watchLists(): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

export type Reference = { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string };

/** How a client reaches the server: a program to start, the client's end of a pair in memory, as the official SDKs shape it, or a URL. */
export type Link =
  | { readonly kind: "stdio"; readonly command: string; readonly args: string[] }
  | { readonly kind: "memory"; readonly end: End }
  | { readonly kind: "http"; readonly url: string; readonly wrap?: End["wrap"] };

/** One end of a pair in memory. */
export interface End {
  readonly raw: SdkTransport;
  /** Put into our form of the transport. */
  readonly wrap?: (transport: Transport) => Transport;
}

export function asOurs({ raw, wrap = (transport) => transport }: End): Transport {
  return wrap(library.fromSdkTransport(raw));
}

/** There and back, through both adapters. */
export function asOfficial(end: End): SdkTransport {
  return library.toSdkTransport(asOurs(end), { around: end.raw });
}

/** The same for a transport that is only to be touched where there is something to wrap it in. */
export function maybeWrapped<Carrier>(raw: Carrier, wrap: End["wrap"]): Carrier {
  // Every official transport is structurally one, and comes back as what it was.
  return wrap === undefined ? raw : (asOfficial({ raw: raw as SdkTransport, wrap }) as Carrier);
}

/** How the official clients come back to a stream that was cut: soon. */
export const RECONNECTING = {
  reconnectionOptions: { initialReconnectionDelay: 50, maxReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 1.5, maxRetries: 5 },
};

/** Over HTTP an official client ends its session where it is told to. */
export async function closeOfficial(client: { close(): Promise<void> }, transport: object): Promise<void> {
  if ("terminateSession" in transport && typeof transport.terminateSession === "function") await transport.terminateSession();
  await client.close();
}

export const textOf = (result: Json): unknown => {
  const [block] = result["content"] as readonly Json[]; // there, or the assertion about it fails
  return block?.["text"];
};

export interface ClientKind {
  readonly label: string;
  readonly versions: readonly string[];
  /** Connects in one revision, and in no other. */
  open(link: Link, version: string): Promise<MatrixClient>;
}

export interface Listening {
  readonly all: readonly Heard[];
  add(what: Heard): void;
  /** Settles once there are `count` that fit, the past included; bounded. */
  until(count: number, fits: (what: Heard) => boolean): Promise<void>;
}

const LIMIT_MS = 5_000;

export function listening(): Listening {
  const all: Heard[] = [];
  const waiting = new Set<() => void>();
  return {
    all,
    add(what) {
      all.push(what);
      for (const look of [...waiting]) look();
    },
    until(count, fits) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new assert.AssertionError({ message: `not heard ${count} times within ${LIMIT_MS} ms; heard ${JSON.stringify(all)}` }));
        }, LIMIT_MS);
        const look = () => {
          if (all.filter(fits).length < count) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
  };
}

// What the person, the model and the workspace behind each client are: fixed, so that the answers of all servers are the same.
export const ROOTS = [{ uri: "file:///tmp/root", name: "root" }];
export const sampled = (prompt: unknown) => ({ model: "model", role: "assistant" as const, content: { type: "text" as const, text: `said to ${JSON.stringify(prompt)}` } });
export const elicited = (message: string) =>
  message.startsWith("Decline") ? { action: "decline" as const } : { action: "accept" as const, content: { name: "Ada" } };

export function firstText(messages: readonly { readonly content: unknown }[]): unknown {
  const content = messages[0]?.content;
  return typeof content === "object" && content !== null && "text" in content ? content.text : undefined;
}

interface Sender {
  send(message: never, options?: never): Promise<void>;
}

/**
 * Rewrites the revision that a client offers, on its way. A client of the 1.x line always offers the newest that it knows, and takes what the
 * server answers; this is the only way to bring it and a server of the same line to an older one.
 */
export function offering(transport: Sender, version: string): void {
  const send = transport.send.bind(transport);
  transport.send = (message: never, options?: never) => {
    const { method, params } = message as { method?: unknown; params?: Json };
    // As it came, but for one text.
    return send(method === "initialize" ? ({ ...(message as object), params: { ...params, protocolVersion: version } } as never) : message, options);
  };
}
