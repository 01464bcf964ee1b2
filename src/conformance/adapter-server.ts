import { describeError, ErrorCode } from "../core/base/errors.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Transport } from "../core/transport/transport.ts";
import { isRequest, type RequestMessage } from "../core/wire/message.ts";
import { ADAPTER_KINDS, ADAPTER_PROTOCOL, HELLO, type AdapterClock, type AdapterKind } from "./adapter-protocol.ts";
import { NoOutcome } from "./no-outcome.ts";
import { judged } from "./observe.ts";
import type { Target } from "./target.ts";
import type { AskedResult, ChainVector } from "./vector.ts";

/** What an adapter says of itself (`hello` of the adapter protocol, spec/README.md). */
export interface AdapterAbout {
  readonly name: string;
  readonly version?: string;
  /** Whose time the target's chains wait by. */
  readonly clock: AdapterClock;
}

/**
 * Answers the calls of the adapter protocol (spec/README.md) out of a target, for each kind that it has a function for: what makes an
 * implementation in JavaScript an adapter. Settles when the other side has ended and all is answered; the transport is closed then.
 */
export async function serveAdapter(transport: Transport, target: Target, about: AdapterAbout): Promise<void> {
  const answering = new Set<Promise<void>>();
  for (;;) {
    const arrival = await transport.receive();
    if (arrival === undefined) break;
    const { message } = arrival.frame;
    if (!isRequest(message)) continue;
    const answer = answerTo(message, transport, target, about).finally(() => answering.delete(answer));
    answering.add(answer);
  }
  await Promise.all(answering);
  await transport.close();
}

async function answerTo({ id, method, params }: RequestMessage, transport: Transport, target: Target, about: AdapterAbout): Promise<void> {
  const kinds = ADAPTER_KINDS.filter((kind) => target[kind] !== undefined);
  const fail = (code: number, message: string) => transport.send({ message: { jsonrpc: "2.0", id, error: { code, message } } });
  try {
    const kind = kinds.find((name) => name === method);
    if (method === HELLO) await transport.send({ message: { jsonrpc: "2.0", id, result: { protocol: ADAPTER_PROTOCOL, ...about, kinds } } });
    else if (kind === undefined) await fail(ErrorCode.methodNotFound, `there is no call ${method}`);
    else await transport.send({ message: { jsonrpc: "2.0", id, result: await outcomeOf(kind, params ?? {}, target) } });
  } catch (thrown) {
    // Nobody hears it where the other side is gone.
    await fail(ErrorCode.internalError, describeError(thrown)).catch(() => {});
  }
}

async function outcomeOf(kind: AdapterKind, input: JsonObject, target: Target): Promise<JsonObject> {
  try {
    switch (kind) {
      case "chain":
        // A vector's input, which the kit has from a file that fits its schema; and an outcome, which is an object of JSON.
        return (await target.chain?.(input as unknown as ChainVector["input"])) as JsonObject;
      case "descriptor":
        return await judged<JsonObject>(async () => ({ accepted: await target.descriptor?.(input["descriptor"]) }), { refused: true });
      case "dialect":
        return await judged<JsonObject>(async () => ({ result: await target.dialect?.(input["answer"], input["asked"] as AskedResult) }), { malformed: true });
    }
  } catch (thrown) {
    if (thrown instanceof NoOutcome && thrown.kind === "unsupported") return { unsupported: thrown.message };
    throw thrown;
  }
}
