import { isObject } from "../core/base/json.ts";
import { type HandlerContext, type Interceptor, mutator } from "../core/interceptor/define.ts";
import { mutated, unchanged } from "../core/interceptor/verdict.ts";
import { everyEventIn } from "./config.ts";
import { perCall } from "./per-call.ts";
import { compileRedactConfig, type CompiledRedact, type RedactConfig, redactConfigSchema } from "./redact-config.ts";
import { createFittingMasks } from "./redact-fit.ts";
import { type Redaction, redactPayload, restoreArguments } from "./redact-payload.ts";
import type { Tally } from "./redact-text.ts";
import { createTokenMap, type TokenMap, tokenOr } from "./redact-tokens.ts";
import { createStates, type Scope, type States } from "./state.ts";

const MAX_SESSIONS = 1_000;

/** The requests whose arguments a server gets: they go to no model, so values come back in them. */
const TO_THE_SERVER: ReadonlySet<string> = new Set(["tools/call", "prompts/get"]);

/**
 * A mutator that masks e-mail addresses, phone, card and bank account numbers, social security numbers and IP addresses in requests, results and
 * errors of every method, or of one phase by `phases`. It runs late among mutators, so that what others add is masked too. `info.redacted` counts what was masked, by
 * type. With `tokens`, what it masks comes back in calls. Throws `invalid_argument` for a wrong config. What it leaves alone, and what it cannot find:
 * `src/library/README.md`.
 */
export function redact(config: RedactConfig = {}): Interceptor {
  const settings = perCall(config, (value) => withStates(compileRedactConfig(value)));
  // Schemas are no secrets, and those of one name the same for all.
  const fitting = createFittingMasks();
  return mutator(
    {
      name: "redact",
      version: "1.0.0",
      description: "Masks e-mail addresses, phone, card and bank account numbers, US social security numbers and IP addresses.",
      hooks: everyEventIn(settings({}).phases),
      priorityHint: 1000,
      handlesErrors: true,
      withRequest: config.fit === true,
      configSchema: redactConfigSchema,
    },
    ({ payload, event, phase, config: called, context }) => {
      const options = settings(called);
      if (!options.phases.includes(phase)) return unchanged();
      const map = options.states?.of(context);
      if (options.fit && event === "tools/list" && phase === "response") fitting.learn(payload);
      if (map !== undefined && phase === "request" && TO_THE_SERVER.has(event)) {
        const restored = restoreArguments(payload, { event, phase }, map, options.maxTextChars);
        return restored === payload ? unchanged() : (restored as typeof payload);
      }
      const tally: Tally = new Map();
      const tool = options.fit && event === "tools/call" && phase === "response" ? toolOf(context) : undefined;
      const redaction: Redaction = {
        tally,
        ...(map !== undefined && { tokens: { map, maskOf: tokenOr(map, (type) => options.masks.get(type) ?? "") } }),
        ...(tool !== undefined && { fit: (before: unknown, after: unknown) => fitting.fit(tool, before, after) }),
      };
      const redacted = redactPayload(payload, { event, phase }, options, redaction);
      if (redacted === payload) return unchanged();
      // An object stays one: only the texts and numbers in it have changed.
      return mutated(redacted as typeof payload, { info: { redacted: Object.fromEntries(tally) } });
    },
  );
}

/** Whose tokens it keeps under a config; nothing where it keeps none. */
export function redactScope(config: unknown): Scope | undefined {
  return compileRedactConfig(config).tokens ? "session" : undefined;
}

function withStates(compiled: CompiledRedact): CompiledRedact & { readonly states: States<TokenMap> | undefined } {
  const states = compiled.tokens ? createStates({ owner: "redact", scope: "session", fixed: true, maxKeys: MAX_SESSIONS, create: createTokenMap }) : undefined;
  return { ...compiled, states };
}

function toolOf({ request }: HandlerContext): string | undefined {
  const name: unknown = isObject(request?.params) ? request.params["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}
