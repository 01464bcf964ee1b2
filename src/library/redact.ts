import { type Interceptor, mutator } from "../core/interceptor/define.ts";
import { mutated, unchanged } from "../core/interceptor/verdict.ts";
import { compileRedactConfig, type RedactConfig, redactConfigSchema } from "./redact-config.ts";
import { redactPayload } from "./redact-payload.ts";
import type { Tally } from "./redact-text.ts";

/**
 * A mutator that masks e-mail addresses, phone, card and bank account numbers, social security numbers and IP addresses in requests, results and
 * errors of every method. It runs late among mutators, so that what others add is masked too. `info.redacted` counts what was masked, by
 * type. Throws `invalid_argument` for a wrong config. What it leaves alone, and what it cannot find: `src/library/README.md`.
 */
export function redact(config: RedactConfig = {}): Interceptor {
  const own = compileRedactConfig(config);
  return mutator(
    {
      name: "redact",
      version: "1.0.0",
      description: "Masks e-mail addresses, phone, card and bank account numbers, US social security numbers and IP addresses.",
      hooks: [
        { events: ["*"], phase: "request" },
        { events: ["*"], phase: "response" },
      ],
      priorityHint: 1000,
      handlesErrors: true,
      configSchema: redactConfigSchema,
    },
    ({ payload, event, phase, config: called }) => {
      const options = Object.keys(called).length === 0 ? own : compileRedactConfig({ ...config, ...called });
      const tally: Tally = new Map();
      const redacted = redactPayload(payload, { event, phase }, options, tally);
      if (redacted === payload) return unchanged();
      // An object stays one: only the texts and numbers in it have changed.
      return mutated(redacted as typeof payload, { info: { redacted: Object.fromEntries(tally) } });
    },
  );
}
