// The clients of the soak: what they call, and what has to come of it.
import assert from "node:assert/strict";
import { isObject, type JsonObject } from "../../src/core/base/json.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { encodeFrame } from "../../src/core/wire/frame.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { stdioTransport } from "../../src/node/stdio.ts";
import type { SoakGateway } from "./soak-gateway.ts";

export interface Counts {
  answered: number;
  denied: number;
  cancelled: number;
  /** No answer, or an error that nobody meant. */
  lost: number;
  /** Another's answer, or not what the policy in force makes of it. */
  wrong: number;
  /** Answers that nobody waits for, and second ones. */
  surplus: number;
  /** Messages with what the gateway takes out. */
  unguarded: number;
  progress: number;
  questions: number;
  clients: number;
  /** Connections that were refused as all were in use, and made later. */
  overloaded: number;
}

/** The numbers of policies: the last that is in force for certain, and the last that may be. */
export interface Generations {
  settled: number;
  begun: number;
}

export interface Caller {
  readonly pair: string;
  /** Makes so many, one after the other. */
  calls(many: number): Promise<void>;
  close(): Promise<void>;
}

type Kind = "echo" | "long" | "steps" | "ask" | "denied" | "wait";

const CALL_TIMEOUT_MS = 60_000;
const CONNECT_TRIES = 200;
const CONNECT_WAIT_MS = 20;
// Then a client leaves, and another one comes in its place.
const CALLS_OF_A_CLIENT = 100;
const PADDING = " .".repeat(10_000);
/** Of twenty calls; where nobody can be asked they are echoes. */
const KINDS: readonly Kind[] = ["steps", "ask", "echo", "echo", "wait", "echo", "echo", "long", "echo", "echo", "steps", "ask", "echo", "echo", "denied", "echo", "echo", "echo", "echo", "echo"];
const UPSTREAMS = ["shared", "sessions", "stateless", "web"] as const;
const SPEAKS = { shared: "shared handshake child", sessions: "handshake children of sessions", stateless: "stateless child", web: "handshake sessions over HTTP" } as const;

/** Passes all on, and looks at it: each request has one answer, or none where it was cancelled, and nothing has the word. */
function watched(inner: Transport, counts: Counts): Transport {
  const open = new Set<unknown>();
  return {
    send(frame, route) {
      const { message } = frame;
      if ("method" in message && "id" in message) open.add(message.id);
      if ("method" in message && message.method === "notifications/cancelled") open.delete(message.params?.["requestId"]);
      return inner.send(frame, route);
    },
    async receive() {
      const arrival = await inner.receive();
      if (arrival === undefined) return undefined;
      if (encodeFrame(arrival.frame).includes("unguarded")) counts.unguarded++;
      if (!("method" in arrival.frame.message) && !open.delete(arrival.frame.message.id)) counts.surplus++;
      return arrival;
    },
    close: (why) => inner.close(why),
  };
}

const memberOf = (thrown: unknown, name: string): unknown => (isObject(thrown) ? thrown[name] : undefined);

/** One of the clients, in whose place another one comes now and then; the first is on stdio, and stays. */
export function createCaller(index: number, gateway: SoakGateway, generations: Generations, counts: Counts): Caller {
  const onStdio = index === 0;
  const era = index % 2 === 0 ? "stateless" : "handshake";
  const upstream = UPSTREAMS[(index >> 1) % UPSTREAMS.length]!; // within
  let client: McpClient | undefined;
  let made = 0;
  // One call at a time, so that whatever comes in between belongs to it.
  let nonce = "";

  const fault = (kind: "lost" | "wrong", what: unknown) => {
    counts[kind]++;
    console.error(`${nonce} is ${kind}:`, what);
  };
  /** What a stamp and the cleaner's word have to be: of a policy that was in force while the call ran, the later not older than the earlier. */
  const checkText = (text: unknown, before: number, { padding = "", fixed }: JsonObject) => {
    const [, cleaned, of, stamped, rest] = /^cleaned (\d+) (\S+) stamped (\d+)(.*)$/s.exec(String(text)) ?? [];
    const [first, last] = [fixed === true ? before : Number(stamped), Number(cleaned)];
    if (of === nonce && rest === padding && first >= before && last >= first && last <= generations.begun) counts.answered++;
    else fault("wrong", String(text).slice(0, 200));
  };

  const connect = async (): Promise<McpClient> => {
    for (let tries = 1; ; tries++) {
      const fresh = new McpClient({ name: `client-${index}-${counts.clients}`, version: "1" }, { era });
      fresh.onElicitation(({ message }) => {
        counts.questions++;
        if (message !== `cleaned ${nonce}`) fault("wrong", message);
        return { action: "accept", content: { word: nonce } };
      });
      const send = createHttpSend();
      const own = onStdio ? stdioTransport({ stdin: gateway.stdout, stdout: gateway.stdin }) : httpTransport({ url: `${gateway.url}/${upstream}/mcp`, send, release: () => send.close() });
      try {
        await fresh.connect(watched(own, counts));
        counts.clients++;
        return fresh;
      } catch (thrown) {
        await fresh.close();
        if (tries === CONNECT_TRIES || !/"overloaded"/.test(JSON.stringify([memberOf(thrown, "data"), memberOf(thrown, "details")]))) throw thrown;
        counts.overloaded++;
        await new Promise((resolve) => setTimeout(resolve, CONNECT_WAIT_MS));
      }
    }
  };

  const call = async (by: McpClient, kind: Kind) => {
    const before = generations.settled;
    const args: JsonObject = {
      nonce,
      ...(kind === "denied" && { denied: true }),
      ...(kind === "long" && { padding: PADDING }),
      ...(kind === "ask" && upstream === "stateless" && { fixed: true }),
    };
    const giveUp = new AbortController();
    let steps = 0;
    const onProgress = ({ message }: { readonly message?: string }) => {
      counts.progress++;
      steps++;
      if (message !== `cleaned ${nonce}`) fault("wrong", message);
      if (kind === "wait") giveUp.abort();
    };
    const progress = kind === "wait" || kind === "steps" ? { onProgress, signal: giveUp.signal } : {};
    try {
      const { content } = await by.callTool({ name: kind === "long" || kind === "denied" ? "echo" : kind, arguments: args }, { timeoutMs: CALL_TIMEOUT_MS, ...progress });
      const [block] = content;
      if (kind === "steps" && steps !== 3) fault("wrong", `${steps} reports of progress`);
      else checkText(content.length === 1 && block?.type === "text" ? block.text : JSON.stringify(content), before, args);
    } catch (thrown) {
      if (kind === "wait" && giveUp.signal.aborted) counts.cancelled++;
      else if (kind === "denied" && JSON.stringify(memberOf(thrown, "data")).includes(`"not ${nonce}"`)) counts.denied++;
      else fault("lost", thrown);
    }
  };

  return {
    pair: `${onStdio ? "stdio" : "HTTP"}, ${era}, to ${SPEAKS[upstream]}`,
    async calls(many) {
      for (let left = many; left > 0; left--) {
        if (!onStdio && made % CALLS_OF_A_CLIENT === CALLS_OF_A_CLIENT - 1) {
          await client?.close();
          client = undefined;
        }
        client ??= await connect();
        nonce = `${index}-${made}`;
        const kind = KINDS[(index + made++) % KINDS.length]!; // within
        await call(client, kind === "ask" && upstream === "shared" ? "echo" : kind);
      }
    },
    async close() {
      await client?.close();
    },
  };
}

/** How many calls that were cancelled still run at upstreams which outlive their callers. */
export async function stillWaiting(gateway: SoakGateway): Promise<number> {
  let waiting = 0;
  for (const upstream of ["shared", "stateless", "web"]) {
    const client = new McpClient({ name: "counts", version: "1" });
    const send = createHttpSend();
    await client.connect(httpTransport({ url: `${gateway.url}/${upstream}/mcp`, send, release: () => send.close() }));
    const [block] = (await client.callTool({ name: "waiting", arguments: { nonce: "counts" } })).content;
    assert.ok(block?.type === "text");
    waiting += Number(block.text);
    await client.close();
  }
  return waiting;
}
