/// <reference types="node" preserve="true" />
export { guardedRelay, wrapServer, type GuardedRelayOptions, type Posture, type WrappedServer } from "./gateway/guarded-relay.ts";
export type { BuiltPlan } from "./gateway/config/build.ts";
export type {
  AuditConfig,
  AuthConfig,
  ConditionConfig,
  GatewayConfig,
  HttpConfig,
  InterceptorsConfig,
  LogsConfig,
  MetricsConfig,
  SettingsConfig,
  TracesConfig,
  UpstreamConfig,
} from "./gateway/config/config.ts";
export { DEFAULT_POLICY } from "./gateway/config/default-policy.ts";
export { loadConfig, type LoadedConfig, type LoadOptions } from "./gateway/config/load.ts";
export { ConfigError, type ConfigProblem } from "./gateway/config/problems.ts";
export type { ReloadOutcome } from "./gateway/config/reload.ts";
export { startGateway, type ConfiguredGateway, type StartOptions } from "./gateway/config/start.ts";
export { createGateway } from "./gateway/gateway.ts";
export type { Reason as GatewayReason } from "./gateway/own-errors.ts";
export type { Gateway, GatewayPlan, GatewayStats, HttpFacePlan, ParkingPlan, UpstreamPlan, UpstreamStats, UpstreamTarget } from "./gateway/plan.ts";
export { createAuthenticate, resourceMetadata, type AuthenticateOptions, type ResourceMetadata } from "./gateway/auth.ts";
export { DEFAULT_ALGORITHMS, type JwtAlgorithm } from "./gateway/auth-algorithms.ts";
export type { JwtOptions } from "./gateway/auth-jwt.ts";
export type { KeyOrigin, KeySetOptions } from "./gateway/auth-jwks.ts";
export { allowPrincipals, claimsOfRules, type AllowRule } from "./gateway/auth-rules.ts";
export type { StaticToken } from "./gateway/auth-tokens.ts";
export { openAudit, type AuditLog, type AuditOptions, type AuditStats } from "./gateway/audit.ts";
export type { Link } from "./gateway/audit-line.ts";
export { createAuditDigest } from "./gateway/audit-record.ts";
export { auditHead, formatAnchor, parseAnchor, verifyAudit, type AuditProblem, type AuditReport, type VerifyOptions, type WriterSpan } from "./gateway/audit-verify.ts";
export { withBreaker, type BreakerOptions, type BreakerSource, type BreakerStats } from "./gateway/breaker.ts";
export type { CircuitOptions, CircuitState } from "./gateway/breaker-circuit.ts";
export { listenOps, opsHandler, type OpsOptions } from "./gateway/health.ts";
export { createLog, type LoggedEntry, type LogLevel, type LogOptions, type StructuredLog } from "./gateway/logs.ts";
export { createMetrics, type GatewayCounts, type Metrics, type MetricsOptions } from "./gateway/metrics.ts";
export type { FamilySnapshot, GaugeSample, MetricsSnapshot, Registry, SeriesSnapshot } from "./gateway/metrics-registry.ts";
export { formatMetrics, mergeMetrics } from "./gateway/metrics-text.ts";
export { createOtlp, type Otlp, type OtlpOptions, type OtlpStats } from "./gateway/otlp.ts";
