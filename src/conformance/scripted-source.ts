import { RpcError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import type { InterceptorSource } from "../core/chain/source.ts";
import type { InvokeParams } from "../core/wire/gen/interceptors.ts";
import { ANSWER_WORDS } from "./behaviours.ts";
import type { FixtureDeclaration } from "./vector.ts";

interface ScriptOptions {
  readonly host: Pick<Host, "setTimer">;
  /** Told of each call that is cancelled while it runs. */
  readonly onCancel: (interceptor: string) => void;
}

/**
 * A source that lists its interceptors as their `listed` has it, and in which those of the words `answer`, `rpc-error` and `show-call` are
 * answered for as scripted, by no server that keeps the rules.
 */
export function scriptedSource(source: InterceptorSource, declarations: readonly FixtureDeclaration[], { host, onCancel }: ScriptOptions): InterceptorSource {
  const byName = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  return {
    label: source.label,
    remote: source.remote,
    async list(signal) {
      const listed = await source.list(signal);
      // What our own servers list are descriptors, with names that the vector has.
      return listed.map((descriptor) => ({ ...(descriptor as JsonObject), ...byName.get((descriptor as { name: string }).name)?.listed }));
    },
    invoke(params, signal) {
      signal.onAbort(() => onCancel(params.name));
      const answer = source.invoke(params, signal);
      const declaration = byName.get(params.name);
      if (declaration === undefined || !ANSWER_WORDS.has(declaration.behaviour.do)) return answer;
      return scripted(answer, declaration, params, host);
    },
  };
}

async function scripted(answer: unknown, { behaviour, type }: FixtureDeclaration, params: InvokeParams, host: Pick<Host, "setTimer">): Promise<unknown> {
  // The call has to arrive all the same. What the schema of vectors has checked needs no check here.
  await answer;
  const { ms } = behaviour;
  // An answer that takes its time heeds no cancellation.
  if (typeof ms === "number") await new Promise<void>((resolve) => void host.setTimer(resolve, ms));
  switch (behaviour.do) {
    case "answer":
      return cloneJson(behaviour["result"]);
    case "show-call": {
      const { timeoutMs, context } = params;
      const info = { timeoutMs, context: cloneJson<JsonObject>({ ...context }) };
      return type === "validation" ? { valid: true, info } : { modified: false, info };
    }
    default:
      throw new RpcError(behaviour["code"] as number, String(behaviour["message"]), behaviour["data"]);
  }
}
