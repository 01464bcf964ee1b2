// The conformance kit: functions over vectors and a target. Files and processes are for whoever calls it.
export { serveAdapter, type AdapterAbout } from "./conformance/adapter-server.ts";
export { adapterTarget, type AdapterLink, type AdapterOptions, type AdapterTarget } from "./conformance/adapter-target.ts";
export { canonicalJson } from "./conformance/canonical.ts";
export { fixtureInterceptor, type FixtureOptions } from "./conformance/behaviours.ts";
export type { RecordedCall } from "./conformance/calls.ts";
export { fixtureServer } from "./conformance/fixture-server.ts";
export { reportOf, runVectors, type Report, type RequirementOutcome, type RunOptions, type VectorOutcome } from "./conformance/kit.ts";
export { NoOutcome } from "./conformance/no-outcome.ts";
export type { OpenSource } from "./conformance/own-chain.ts";
export { directTarget, ownTarget } from "./conformance/own-target.ts";
export { formatReport, REPORTERS } from "./conformance/reporters.ts";
export type { Target } from "./conformance/target.ts";
export type {
  AskedResult,
  Behaviour,
  CallVector,
  CapabilityVector,
  ChainVector,
  ClientVector,
  DescriptorVector,
  DialectVector,
  FixtureDeclaration,
  GuardStep,
  GuardVector,
  Requirement,
  ScriptedAnswer,
  Vector,
  VectorExecution,
  VectorPolicy,
  VectorServer,
} from "./conformance/vector.ts";
