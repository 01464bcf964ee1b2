import { diffJson } from "../core/base/json-diff.ts";
import { formatPointer, isObject } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged } from "../core/interceptor/verdict.ts";
import { everyEventIn, invalid } from "./config.ts";
import { type CompiledSecretGuard, compileSecretGuard, type SecretGuardConfig, secretGuardConfigSchema } from "./secret-config.ts";
import type { IsMask } from "./sent-masks.ts";
import { perCall, type PerCall } from "./per-call.ts";
import { maskSecrets, type SecretTally } from "./secret-payload.ts";

/**
 * Two interceptors. `secret-guard` finds credentials in requests, results and errors of every method, by their form or because the config names them,
 * as they are or encoded; it is a late mutator that masks them, or, with `action: "block"`, a validator that refuses the message. `secret-guard-masks`
 * is a validator that refuses a call whose arguments hold a mask: what was hidden would be overwritten by it. Throws `invalid_argument` for a wrong
 * config. What is found, and what is not: `src/library/README.md`.
 */
export function secretGuard(config: SecretGuardConfig = {}): readonly [guard: Interceptor, masks: Interceptor] {
  const { action } = compileSecretGuard(config);
  const compiled = perCall(config, (value) => {
    const made = compileSecretGuard(value);
    if (made.action !== action) throw invalid("secret-guard", "action", "is set where the interceptor is made, not by a call");
    return made;
  });
  return [action === "mask" ? maskingGuard(compiled) : blockingGuard(compiled), maskRefusal(compiled)];
}

type Compiled = PerCall<CompiledSecretGuard>;

function maskingGuard(compiled: Compiled): Interceptor {
  return mutator(
    {
      name: "secret-guard",
      version: "1.0.0",
      description: "Masks credentials: tokens, private keys, passwords, and secrets that are known.",
      hooks: everyEventIn(compiled({}).phases),
      priorityHint: 1000,
      handlesErrors: true,
      configSchema: secretGuardConfigSchema,
    },
    ({ payload, event, phase, config }) => {
      const settings = compiled(config);
      if (!settings.phases.includes(phase)) return unchanged();
      const tally: SecretTally = new Map();
      const masked = maskSecrets(payload, { event, phase }, settings, tally);
      if (masked === payload) return unchanged();
      // An object stays one: only the texts and numbers in it have changed.
      return mutated(masked as typeof payload, { info: { secrets: Object.fromEntries(tally) } });
    },
  );
}

function blockingGuard(compiled: Compiled): Interceptor {
  return validator(
    {
      name: "secret-guard",
      version: "1.0.0",
      description: "Refuses messages that hold credentials: tokens, private keys, passwords, and secrets that are known.",
      hooks: everyEventIn(compiled({}).phases),
      handlesErrors: true,
      configSchema: secretGuardConfigSchema,
    },
    ({ payload, event, phase, config }) => {
      const settings = compiled(config);
      if (!settings.phases.includes(phase)) return allow();
      const tally: SecretTally = new Map();
      const masked = maskSecrets(payload, { event, phase }, settings, tally);
      if (masked === payload) return allow();
      // A pointer into the masked payload: one into the other may have a secret in it.
      const path = diffJson(payload, masked).find(({ kind }) => kind !== "removed")?.pointer;
      const what = `a secret (${[...tally.keys()].join(", ")}) must not pass`;
      return deny(what, { ...(path !== undefined && { path }), info: { secrets: Object.fromEntries(tally) } });
    },
  );
}

function maskRefusal(compiled: Compiled): Interceptor {
  return validator(
    {
      name: "secret-guard-masks",
      version: "1.0.0",
      description: "Refuses calls whose arguments hold a mask that stands for something hidden.",
      hooks: [{ events: ["tools/call", "prompts/get"], phase: "request" }],
      configSchema: secretGuardConfigSchema,
    },
    ({ payload, config, context }) => {
      // The masks that a mutator has written since are no business of the sender's.
      if (context.revalidation === true) return allow();
      const { isMask } = compiled(config);
      const path = isObject(payload) ? pathOfMask(payload["arguments"], isMask, "/arguments") : undefined;
      return path === undefined || deny("a mask stands for a value that was hidden, and must not be sent as one: leave the member out, or ask for the value", { path });
    },
  );
}

/** A pointer to the member, or the member that is named so, that holds a mask. */
function pathOfMask(value: unknown, isMask: IsMask, path: string): string | undefined {
  if (typeof value === "string") return isMask(value) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const found = isMask(name) ? path : pathOfMask(child, isMask, `${path}${formatPointer([name])}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
