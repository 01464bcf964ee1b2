import { RpcError } from "../core/base/errors.ts";
import { cloneJson } from "../core/base/json.ts";
import type { InterceptorSource } from "../core/chain/source.ts";
import { ANSWER_WORDS } from "./behaviours.ts";
import type { Behaviour, FixtureDeclaration } from "./vector.ts";

/** A source in which interceptors of the words `answer` and `rpc-error` are answered for as scripted, by no server that keeps the rules. */
export function scriptedSource(source: InterceptorSource, declarations: readonly FixtureDeclaration[]): InterceptorSource {
  const scripted = new Map(declarations.flatMap(({ name, behaviour }) => (ANSWER_WORDS.has(behaviour.do) ? [[name, behaviour] as const] : [])));
  if (scripted.size === 0) return source;
  return {
    label: source.label,
    remote: source.remote,
    list: (signal) => source.list(signal),
    async invoke(params, signal) {
      const answer = await source.invoke(params, signal);
      const behaviour = scripted.get(params.name);
      return behaviour === undefined ? answer : answerOf(behaviour);
    },
  };
}

function answerOf(behaviour: Behaviour): unknown {
  if (behaviour.do === "answer") return cloneJson(behaviour["result"]);
  // The schema of vectors has checked them.
  throw new RpcError(behaviour["code"] as number, String(behaviour["message"]), behaviour["data"]);
}
