export { guardedRelay, wrapServer, type GuardedRelayOptions, type Posture, type WrappedServer } from "./gateway/guarded-relay.ts";
export { createGateway } from "./gateway/gateway.ts";
export type { Reason as GatewayReason } from "./gateway/own-errors.ts";
export type { Gateway, GatewayPlan, GatewayStats, HttpFacePlan, ParkingPlan, UpstreamPlan, UpstreamStats, UpstreamTarget } from "./gateway/plan.ts";
