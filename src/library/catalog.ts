import { ErrorCode, RpcError } from "../core/base/errors.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { redactConfigSchema, type RedactConfig } from "./redact-config.ts";
import { redact } from "./redact.ts";
import { type SecretGuardConfig, secretGuardConfigSchema } from "./secret-config.ts";
import { secretGuard } from "./secret-guard.ts";
import { toolFilter, toolFilterConfigSchema, type ToolFilterConfig } from "./tool-filter.ts";

/** A ready-made interceptor, or a few that belong together, under one name for command lines and config files. */
export interface ReadyMade {
  /** One line for a listing. */
  readonly summary: string;
  /** JSON Schema 2020-12 of the config. */
  readonly configSchema: JsonObject;
  /** Throws `invalid_argument`, with the member that is wrong, for a config that does not fit. Without one, the defaults hold. */
  create(config?: unknown): readonly Interceptor[];
  /** What is odd about a config that `create` takes, for a warning. */
  doubt?(config?: unknown): string | undefined;
  /** By interceptor name: what a guard should answer for what that one refuses, where that is not the usual error. */
  readonly answerAs?: Readonly<Record<string, (refusal: { readonly params: unknown }) => RpcError>>;
}

export const readyMade: ReadonlyMap<string, ReadyMade> = new Map<string, ReadyMade>([
  [
    "redact",
    {
      summary: "masks e-mail addresses, phone, card and bank account numbers, social security numbers and IP addresses",
      configSchema: redactConfigSchema,
      // The factory checks its config whatever the type says.
      create: (config) => [redact(config as RedactConfig | undefined)],
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
