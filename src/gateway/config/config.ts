import type { JsonObject } from "../../core/base/json.ts";
import type { Limits } from "../../core/base/limits.ts";
import type { GuardPolicy } from "../../core/guard/options.ts";
import type { Grants, Overrides } from "../../core/interceptor/policy.ts";
import type { HostOptions } from "../../core/server/interceptor-server.ts";
import type { Phase, Principal } from "../../core/wire/gen/interceptors.ts";
import type { WorkerInterceptorOptions } from "../../node/worker-interceptor.ts";
import type { AuditOptions } from "../audit.ts";
import type { AuthenticateOptions, ResourceMetadata } from "../auth.ts";
import type { JwtOptions } from "../auth-jwt.ts";
import type { BreakerOptions } from "../breaker.ts";
import type { OpsOptions } from "../health.ts";
import type { LogOptions } from "../logs.ts";
import type { OtlpOptions } from "../otlp.ts";
import type { HttpFacePlan, ParkingPlan, UpstreamPlan } from "../plan.ts";

/**
 * What a file says, as spec/gateway.schema.json has it, which tells what each member is. A module that exports one by default is a configuration, too.
 * Texts may refer to the environment and to files; see src/gateway/config/README.md.
 */
export interface GatewayConfig {
  readonly $schema?: string;
  readonly upstreams: Readonly<Record<string, UpstreamConfig>>;
  readonly interceptors?: readonly InterceptorsConfig[];
  readonly expose?: ExposeConfig;
  readonly http?: HttpConfig;
  readonly auth?: AuthConfig;
  readonly audit?: AuditConfig;
  readonly metrics?: MetricsConfig;
  readonly traces?: TracesConfig;
  readonly logs?: LogsConfig;
  readonly stdio?: string;
  readonly policy?: Omit<GuardPolicy, "answerAs" | "hostsChain" | "keepsError" | "digest" | "contextTimeoutMs" | "onRecordFailure">;
  readonly versions?: readonly string[];
  readonly drainMs?: number;
  readonly parking?: ParkingPlan;
  readonly limits?: Partial<Limits>;
}

/** A condition as JSON; see `compileCondition`. */
export type ConditionConfig = JsonObject;

interface CommandConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface UrlConfig {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One of `command`, `url` and `module`. */
export interface UpstreamConfig extends CommandConfig, UrlConfig, Omit<UpstreamPlan, "name" | "target" | "allow" | "sharing"> {
  readonly sharing?: "session" | "shared";
  readonly module?: string;
  readonly allow?: ConditionConfig;
}

/** The invoker's policy for an interceptor, or for all of an item. */
export interface SettingsConfig extends Pick<Overrides, "mode" | "failOpen" | "priorityHint" | "timeoutMs" | "hooks" | "revalidate"> {
  readonly when?: ConditionConfig;
  readonly grants?: Grants;
  readonly config?: JsonObject;
}

/** One of `use`, `module`, `command` and `url`. */
export interface InterceptorsConfig extends CommandConfig, UrlConfig, SettingsConfig {
  readonly use?: string;
  readonly module?: string;
  readonly worker?: true | Pick<WorkerInterceptorOptions, "timeoutMs" | "maxMemoryMb">;
  readonly name?: string;
  readonly upstreams?: readonly string[];
  readonly events?: readonly string[];
  readonly phase?: Phase;
  readonly overrides?: Readonly<Record<string, SettingsConfig>>;
  readonly breaker?: false | Omit<BreakerOptions, "host" | "onChange">;
  readonly ignoreUnknownTypes?: boolean;
}

/** Interceptors of this gateway for chains elsewhere. */
export interface ExposeConfig extends Pick<HostOptions, "alsoNested"> {
  /** Default `interceptors`. */
  readonly name?: string;
  readonly interceptors?: readonly string[];
  readonly allow?: ConditionConfig;
}

/** `auth` of the file: which tokens are let in. Secrets come from the environment or from files. */
export interface AuthConfig extends Pick<AuthenticateOptions, "anonymous"> {
  readonly tokens?: readonly {
    readonly token?: string;
    readonly sha256?: string;
    /** A date, or a date and a time. */
    readonly expiresAt?: string;
    readonly principal: Principal;
  }[];
  readonly jwt?: readonly (Omit<JwtOptions, "keys" | "send" | "host" | "log"> & {
    /** A URL, or a file. */
    readonly jwks: string;
  })[];
  readonly scopes?: readonly string[];
  readonly metadata?: ResourceMetadata;
}

/** `audit` of the file: where decisions are written, and what becomes of a message whose decision cannot be. Default `block`. */
export interface AuditConfig extends Omit<AuditOptions, "path" | "host" | "log" | "files"> {
  readonly file: string;
  readonly onFailure?: "block" | "continue";
}

/** `metrics` of the file: where `/metrics`, `/healthz` and `/readyz` are served. */
export interface MetricsConfig extends Pick<OpsOptions, "allowedHosts"> {
  readonly host?: string;
  readonly port?: number | string;
}

/** `traces` of the file: where they are sent. */
export interface TracesConfig extends Omit<OtlpOptions, "headers" | "send" | "host" | "log"> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** `logs` of the file: what goes to standard error. Default `text`. */
export interface LogsConfig extends Pick<LogOptions, "level" | "base"> {
  readonly format?: "text" | "json";
}

/** `http` of the file: where the gateway listens. Times are in milliseconds. */
export interface HttpConfig
  extends Pick<
    HttpFacePlan,
    "host" | "allowedHosts" | "allowedOrigins" | "sessionIdleMs" | "keepAliveMs" | "streamAfterMs" | "stallMs"
  > {
  readonly port?: number | string;
}
