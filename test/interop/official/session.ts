// One shape for the official clients, so that the same steps run through each of them.
import { MARK_VARIABLE } from "./process-tree.ts";
import { CLI } from "./paths.ts";

export interface Command {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** The server's own command line, by plain node. */
export function direct(mark: string, script: string, ...args: string[]): Command {
  return { command: process.execPath, args: [script, ...args], env: { [MARK_VARIABLE]: mark } };
}

/** The same server behind `wrap`. */
export function wrapped(options: readonly string[], { command, args, env }: Command): Command {
  return { command: process.execPath, args: [CLI, "wrap", "--quiet", ...options, "--", command, ...args], env };
}

/** A message as the client's transport handed it over. */
export interface WireMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type Params = Record<string, unknown>;

export interface Session {
  /** What the handshake told the client. */
  readonly server: { readonly version: unknown; readonly capabilities: unknown; readonly instructions: unknown; readonly protocol: unknown };
  /** Every message from the server so far, in order. */
  readonly received: readonly WireMessage[];
  readonly pid: number | null;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(name: string, args: Params, options?: CallOptions): Promise<unknown>;
  /** Any other request, its result unchecked. */
  request(method: string, params?: Params): Promise<unknown>;
  notify(method: string, params?: Params): Promise<void>;
  /** Opens a `subscriptions/listen` of the 2026-07-28 revision, runs `meanwhile`, and closes it; absent where the client has no such thing. */
  listen?(filter: { readonly toolsListChanged?: boolean; readonly resourceSubscriptions?: string[] }, meanwhile: () => Promise<unknown>): Promise<unknown>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly onprogress?: (progress: unknown) => void;
  readonly signal?: AbortSignal;
}

export type Manner = "willing" | "declining" | "bare";

export interface SessionOptions {
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** Answers all that it is asked (the default), declines all of it, or has not said that it could be asked. */
  readonly manner?: Manner;
  /** Handshake revisions to offer, the first one first; the client's own choice without. */
  readonly versions?: readonly string[];
}

/** One official client in one way of use. */
export interface ClientKind {
  readonly label: string;
  open(command: Command, options?: SessionOptions): Promise<Session>;
}

/** Records all that comes in, before the client sees it. Call it before the client is connected. */
export function tap(transport: object, received: WireMessage[]): void {
  let inner: ((message: WireMessage, extra?: unknown) => void) | undefined;
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () =>
      inner === undefined
        ? undefined
        : (message: WireMessage, extra?: unknown) => {
            received.push(structuredClone(message));
            inner?.(message, extra);
          },
    set: (listener) => (inner = listener),
  });
}

// The answers of the person and the model behind the client: fixed, so that two sessions can be compared.
const SAMPLED = { model: "test-model", role: "assistant" as const, content: { type: "text" as const, text: "sampled é 😀 \u2028" }, stopReason: "endTurn" };
const ELICITED = { name: "Ada", check: true, integer: 7, number: 2.5, homepage: "https://example.org/", favoriteColor: "Blue", interpretation: "snake" };

/** The answer to a question to the user. */
export function elicited(manner: Manner, params: { readonly mode?: string | undefined; readonly requestedSchema?: unknown }): { action: "accept" | "decline"; content?: ReturnType<typeof answersFor> } {
  if (manner === "declining") return { action: "decline" };
  return params.mode === "url" ? { action: "accept" } : { action: "accept", content: answersFor(params.requestedSchema) };
}

/** The answer of the model, which a person has to let go. */
export function sampled(manner: Manner): typeof SAMPLED {
  if (manner === "declining") throw new Error("the user said no");
  return SAMPLED;
}

/** Only the members that a form asks for. */
function answersFor(requestedSchema: unknown): Record<string, string | number | boolean> {
  const properties = typeof requestedSchema === "object" && requestedSchema !== null && "properties" in requestedSchema ? requestedSchema.properties : {};
  const asked = new Set(Object.keys(properties ?? {}));
  return Object.fromEntries(Object.entries(ELICITED).filter(([name]) => asked.has(name)));
}
