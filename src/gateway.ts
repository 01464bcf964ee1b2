export { guardedRelay, wrapServer, type GuardedRelayOptions, type Posture, type WrappedServer } from "./gateway/guarded-relay.ts";
export type { BuiltPlan } from "./gateway/config/build.ts";
export type { ConditionConfig, GatewayConfig, HttpConfig, InterceptorsConfig, SettingsConfig, UpstreamConfig } from "./gateway/config/config.ts";
export { loadConfig, type LoadedConfig, type LoadOptions } from "./gateway/config/load.ts";
export { ConfigError, type ConfigProblem } from "./gateway/config/problems.ts";
export type { ReloadOutcome } from "./gateway/config/reload.ts";
export { startGateway, type ConfiguredGateway, type StartOptions } from "./gateway/config/start.ts";
