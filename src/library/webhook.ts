import { LocalError } from "../core/base/errors.ts";
import { detectHost } from "../core/base/host.ts";
import { type JsonObject, ownMember } from "../core/base/json.ts";
import { type HandlerInput, type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { withoutRequired } from "../core/interceptor/config-schema.ts";
import { mutated, unchanged, type Verdict } from "../core/interceptor/verdict.ts";
import type { Phase } from "../core/wire/gen/interceptors.ts";
import { eventsSchema, invalid, readChoice, readConfig, readEvents, readStrings } from "./config.ts";
import { postJson, readService, type Service, SERVICE_MEMBERS, serviceSchema } from "./http-post.ts";
import type { Tools } from "./tools.ts";

/** Which messages a service is asked about, and what it may do with them. */
export interface WebhookConfig extends Service {
  /** What the service is asked for: `validator` (default) for a verdict, `mutator` for another payload. */
  readonly type?: "validator" | "mutator";
  /** Methods, as hooks name them; `tools/call` unless given. */
  readonly events?: readonly string[];
  /** `request` unless given. */
  readonly phases?: readonly Phase[];
}

const OWNER = "webhook";
const PHASES: readonly Phase[] = ["request", "response"];

export const webhookConfigSchema: JsonObject = {
  type: "object",
  properties: {
    ...serviceSchema,
    type: { enum: ["validator", "mutator"] },
    events: eventsSchema,
    phases: { type: "array", items: { enum: PHASES }, minItems: 1 },
  },
  required: ["url"],
  additionalProperties: false,
};

/**
 * Any HTTP service as a validator or a mutator. It gets a POST of `{ type, event, phase, payload, context }`, signed where there is a secret, and
 * answers 200 with `{ valid, severity?, messages? }`, or with `{ modified, payload? }`. Whatever else comes, or nothing in time, is a failure. The
 * config is the factory's alone: a call must not choose where payloads go. Throws `invalid_argument` for a wrong config.
 */
export function webhook(config: WebhookConfig, { host = detectHost() }: Tools = {}): Interceptor {
  const { service, type, events, phases } = readWebhook(config);
  const declaration = {
    name: OWNER,
    version: "1.0.0",
    description: type === "validator" ? "Asks a service whether a message may pass." : "Asks a service what a message should be.",
    hooks: phases.map((phase) => ({ events, phase })),
    handlesErrors: true,
    configSchema: withoutRequired(webhookConfigSchema),
  } as const;
  const ask = ({ event, phase, payload, context, config: called, signal }: HandlerInput) => {
    if (Object.keys(called).length > 0) throw new LocalError("refused", "a call cannot change the config of webhook");
    const { request: _request, ...who } = context;
    return postJson(service, { type, event, phase, payload, context: who }, { host, signal });
  };
  if (type === "validator") {
    return validator(declaration, async (input: HandlerInput) => {
      const { valid, severity, messages } = await ask(input);
      // The engine checks a verdict, and takes nothing that is none.
      return { valid, ...(severity === undefined ? {} : { severity }), ...(messages === undefined ? {} : { messages }) } as Verdict;
    });
  }
  return mutator(declaration, async (input: HandlerInput) => {
    const answer = await ask(input);
    if (answer["modified"] === false) return unchanged();
    if (answer["modified"] !== true || !Object.hasOwn(answer, "payload")) throw new LocalError("malformed_result", "the service's answer says neither modified: false nor modified: true with a payload");
    return mutated(answer["payload"]);
  });
}

function readWebhook(value: unknown) {
  const config = readConfig(value, [...SERVICE_MEMBERS, "type", "events", "phases"], OWNER);
  const type = ownMember(config, "type");
  const phases = readStrings(config, "phases", OWNER)?.map((phase, index) => readChoice(phase, PHASES, `phases[${index}]`, OWNER)) ?? ["request" as const];
  if (phases.length === 0) throw invalid(OWNER, "phases", "must name a phase");
  return {
    service: readService(config, OWNER),
    type: type === undefined ? "validator" : readChoice(type, ["validator", "mutator"], "type", OWNER),
    events: readEvents(config, "events", OWNER) ?? ["tools/call"],
    phases: [...new Set(phases)],
  };
}
