export { guardedRelay, wrapServer, type GuardedRelayOptions, type Posture, type WrappedServer } from "./gateway/guarded-relay.ts";
