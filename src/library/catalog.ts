import { ErrorCode, RpcError } from "../core/base/errors.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { annotate, type AnnotateConfig, annotateConfigSchema } from "./annotate.ts";
import { approval, type ApprovalConfig, approvalConfigSchema, approvalScope } from "./approval.ts";
import { audit, auditConfigSchema, type LibraryAuditConfig } from "./audit.ts";
import { budget, type BudgetConfig, budgetConfigSchema, budgetScope } from "./budget.ts";
import { flowGuard, type FlowGuardConfig, flowGuardConfigSchema, flowGuardScope } from "./flow-guard.ts";
import { injectionSignals, type InjectionSignalsConfig, injectionSignalsConfigSchema } from "./injection-signals.ts";
import { rateLimit, type RateLimitConfig, rateLimitConfigSchema, rateLimitScope } from "./rate-limit.ts";
import { redactConfigSchema, type RedactConfig } from "./redact-config.ts";
import { redact, redactScope } from "./redact.ts";
import { type SecretGuardConfig, secretGuardConfigSchema } from "./secret-config.ts";
import { secretGuard } from "./secret-guard.ts";
import { sizeLimit, type SizeLimitConfig, sizeLimitConfigSchema } from "./size-limit.ts";
import type { Scope } from "./state.ts";
import type { Tools } from "./tools.ts";
import { toolFilter, toolFilterConfigSchema, type ToolFilterConfig } from "./tool-filter.ts";
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
  /** By interceptor name: what a guard should answer for what that one refuses, where that is not the usual error. */
  readonly answerAs?: Readonly<Record<string, (refusal: { readonly params: unknown }) => RpcError>>;
}

// The factories check their configs whatever the types say.
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
      summary: "hides tools, and refuses calls of them, by name or prefix*",
      configSchema: toolFilterConfigSchema,
      create: (config) => toolFilter(config as ToolFilterConfig | undefined),
      doubt: (config) => (hasRules(config) ? undefined : `it has no rules and filters nothing; ${EXAMPLE}`),
      // As a server answers for a tool that it does not have: who asks learns nothing about which tools are hidden.
      answerAs: { "tool-filter": ({ params }) => new RpcError(ErrorCode.invalidParams, `Unknown tool: ${nameIn(params)}`) },
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
  const { allow, deny } = config;
  return allow !== undefined || (Array.isArray(deny) && deny.length > 0);
}

function nameIn(params: unknown): string {
  return isObject(params) && typeof params["name"] === "string" ? params["name"] : "(no name)";
}
