import { isObject, type JsonObject } from "../core/base/json.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { annotate, type AnnotateConfig, annotateConfigSchema } from "./annotate.ts";
import { approval, type ApprovalConfig, approvalConfigSchema, approvalScope } from "./approval.ts";
import { audit, auditConfigSchema, type LibraryAuditConfig } from "./audit.ts";
import { budget, type BudgetConfig, budgetConfigSchema, budgetScope } from "./budget.ts";
import { commandGuard, type CommandGuardConfig, commandGuardConfigSchema } from "./command-guard.ts";
import { elicitationGuard, type ElicitationGuardConfig, elicitationGuardConfigSchema } from "./elicitation-guard.ts";
import { claimsOf } from "./filter-rules.ts";
import { flowGuard, type FlowGuardConfig, flowGuardConfigSchema, flowGuardScope } from "./flow-guard.ts";
import { injectionSignals, type InjectionSignalsConfig, injectionSignalsConfigSchema } from "./injection-signals.ts";
import { pathGuard, type PathGuardConfig, pathGuardConfigSchema } from "./path-guard.ts";
import { rateLimit, type RateLimitConfig, rateLimitConfigSchema, rateLimitScope } from "./rate-limit.ts";
import { redactConfigSchema, type RedactConfig } from "./redact-config.ts";
import { redact, redactScope } from "./redact.ts";
import { rootsGuard, type RootsGuardConfig, rootsGuardConfigSchema } from "./roots-guard.ts";
import { samplingGuard, type SamplingGuardConfig, samplingGuardConfigSchema, samplingGuardScope } from "./sampling-guard.ts";
import { schemaGuard, type SchemaGuardConfig, schemaGuardConfigSchema, schemaGuardScope } from "./schema-guard.ts";
import { type SecretGuardConfig, secretGuardConfigSchema } from "./secret-config.ts";
import { secretGuard } from "./secret-guard.ts";
import { sizeLimit, type SizeLimitConfig, sizeLimitConfigSchema } from "./size-limit.ts";
import type { Scope } from "./state.ts";
import { textHygiene, type TextHygieneConfig, textHygieneConfigSchema } from "./text-hygiene.ts";
import { toolFilter, toolFilterConfigSchema, type ToolFilterConfig } from "./tool-filter.ts";
import { toolPinning, type ToolPinningConfig, toolPinningConfigSchema, toolPinningScope } from "./tool-pinning.ts";
import type { Tools } from "./tools.ts";
import { urlGuard, type UrlGuardConfig, urlGuardConfigSchema } from "./url-guard.ts";
import { webhook, type WebhookConfig, webhookConfigSchema } from "./webhook.ts";

/** A ready-made interceptor, or a few that belong together, under one name for command lines and config files. */
export interface ReadyMade {
  /** One line for a listing. */
  readonly summary: string;
  /** JSON Schema 2020-12 of the config. */
  readonly configSchema: JsonObject;
  /** Throws `invalid_argument`, with the member that is wrong, for a config that does not fit. Without one, the defaults hold. */
  create(config?: unknown, tools?: Tools): readonly Interceptor[];
  /** For what remembers: whose memory it is under a config that `create` takes. Whoever loads it refuses one that its callers cannot have. */
  scope?(config?: unknown): Scope | undefined;
  /** Its config has a member `server`, the name of the server behind the chain: whoever puts it before several fills it in for each. */
  readonly perServer?: true;
  /** What is odd about a config that `create` takes, for a warning. */
  doubt?(config?: unknown): string | undefined;
  /** The claims of callers that a config which `create` takes asks for: whoever verifies them has to bring these. */
  claims?(config?: unknown): readonly string[];
}

// The factories check their configs whatever the types say.
/** The ready-made interceptors by the name that configurations and `wrap --use` take them by. */
export const readyMade: ReadonlyMap<string, ReadyMade> = new Map<string, ReadyMade>([
  [
    "redact",
    {
      summary: "masks e-mail addresses, phone, card and bank account numbers, social security numbers and IP addresses",
      configSchema: redactConfigSchema,
      create: (config) => [redact(config as RedactConfig | undefined)],
      scope: redactScope,
    },
  ],
  [
    "secret-guard",
    {
      summary: "masks or blocks tokens, private keys, passwords and known secrets, encoded ones too, and masks that are sent back",
      configSchema: secretGuardConfigSchema,
      create: (config) => secretGuard(config as SecretGuardConfig | undefined),
    },
  ],
  [
    "tool-filter",
    {
      summary: "hides tools, prompts and resources, and refuses their use, by name or prefix*, for all or by caller",
      configSchema: toolFilterConfigSchema,
      create: (config) => toolFilter(config as ToolFilterConfig | undefined),
      doubt: (config) => (hasRules(config) ? undefined : `it has no rules and filters nothing; ${EXAMPLE}`),
      claims: claimsOf,
    },
  ],
  [
    "tool-pinning",
    {
      summary: "keeps back tools whose definition has changed, or whose name looks like that of another",
      configSchema: toolPinningConfigSchema,
      create: (config) => toolPinning(config as ToolPinningConfig | undefined),
      scope: toolPinningScope,
      perServer: true,
    },
  ],
  [
    "schema-guard",
    {
      summary: "refuses arguments and results of tools that do not fit the tools' schemas",
      configSchema: schemaGuardConfigSchema,
      create: (config) => [schemaGuard(config as SchemaGuardConfig | undefined)],
      scope: schemaGuardScope,
      perServer: true,
    },
  ],
  [
    "text-hygiene",
    {
      summary: "strips or blocks invisible characters and terminal commands, and hides tools with hidden instructions",
      configSchema: textHygieneConfigSchema,
      create: (config) => textHygiene(config as TextHygieneConfig | undefined),
    },
  ],
  [
    "path-guard",
    {
      summary: "refuses paths in arguments that lead upwards, in any encoding, or elsewhere than they may",
      configSchema: pathGuardConfigSchema,
      create: (config) => [pathGuard(config as PathGuardConfig | undefined)],
    },
  ],
  [
    "url-guard",
    {
      summary: "refuses URLs in arguments that reach other than public hosts, in any spelling",
      configSchema: urlGuardConfigSchema,
      create: (config) => [urlGuard(config as UrlGuardConfig | undefined)],
    },
  ],
  [
    "command-guard",
    {
      summary: "refuses shell characters, options and SQL in arguments that become a part of a command",
      configSchema: commandGuardConfigSchema,
      create: (config) => [commandGuard(config as CommandGuardConfig | undefined)],
    },
  ],
  [
    "sampling-guard",
    {
      summary: "bounds how often and for what a server may use the client's model",
      configSchema: samplingGuardConfigSchema,
      create: (config, tools) => [samplingGuard(config as SamplingGuardConfig | undefined, tools)],
      scope: samplingGuardScope,
    },
  ],
  [
    "elicitation-guard",
    {
      summary: "refuses forms of a server that ask for secrets, and links that lead to where they must not",
      configSchema: elicitationGuardConfigSchema,
      create: (config) => [elicitationGuard(config as ElicitationGuardConfig | undefined)],
    },
  ],
  [
    "roots-guard",
    {
      summary: "refuses roots that are not under the allowed paths",
      configSchema: rootsGuardConfigSchema,
      create: (config) => [rootsGuard(config as RootsGuardConfig | undefined)],
    },
  ],
  [
    "rate-limit",
    {
      summary: "refuses requests that come too fast, by session or principal",
      configSchema: rateLimitConfigSchema,
      create: (config, tools) => [rateLimit(config as RateLimitConfig | undefined, tools)],
      scope: rateLimitScope,
    },
  ],
  [
    "budget",
    {
      summary: "refuses requests once a number of calls, characters, tokens or costs is spent",
      configSchema: budgetConfigSchema,
      create: (config, tools) => [budget(config as BudgetConfig, tools)],
      scope: budgetScope,
    },
  ],
  [
    "size-limit",
    {
      summary: "refuses or cuts what is too large: bytes, texts, items, levels",
      configSchema: sizeLimitConfigSchema,
      create: (config) => sizeLimit(config as SizeLimitConfig | undefined),
    },
  ],
  [
    "flow-guard",
    {
      summary: "refuses to send one server what another has said, encoded or not",
      configSchema: flowGuardConfigSchema,
      create: (config) => [flowGuard(config as FlowGuardConfig | undefined)],
      scope: flowGuardScope,
      perServer: true,
    },
  ],
  [
    "injection-signals",
    {
      summary: "scores results by signs of instructions for the model; in audit mode unless told otherwise",
      configSchema: injectionSignalsConfigSchema,
      create: (config) => [injectionSignals(config as InjectionSignalsConfig | undefined)],
    },
  ],
  [
    "approval",
    {
      summary: "holds calls of tools until a service says yes to these arguments",
      configSchema: approvalConfigSchema,
      create: (config, tools) => [approval(config as ApprovalConfig | undefined, tools)],
      scope: approvalScope,
    },
  ],
  [
    "annotate",
    {
      summary: "adds metadata to messages, and hints to the tools that a server lists",
      configSchema: annotateConfigSchema,
      create: (config) => [annotate(config as AnnotateConfig | undefined)],
      doubt: (config) => (isObject(config) && Object.keys(config).length > 0 ? undefined : "it has nothing to add"),
    },
  ],
  [
    "audit",
    {
      summary: "sends a service a record of each message, without what it says",
      configSchema: auditConfigSchema,
      create: (config, tools) => [audit(config as LibraryAuditConfig | undefined, tools)],
    },
  ],
  [
    "webhook",
    {
      summary: "asks an HTTP service for a verdict, or for another payload",
      configSchema: webhookConfigSchema,
      create: (config, tools) => [webhook(config as WebhookConfig, tools)],
    },
  ],
]);

const EXAMPLE = `give it some, as in tool-filter='{"deny":["delete_*"]}'`;

function hasRules(config: unknown): boolean {
  if (!isObject(config)) return false;
  const { allow, deny, prompts, resources, rules } = config;
  return allow !== undefined || prompts !== undefined || resources !== undefined || [deny, rules].some((list) => Array.isArray(list) && list.length > 0);
}
