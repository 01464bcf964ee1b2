// Interceptors and chains alone: no transport, no protocol stack.
export { ErrorCode, LocalError, RpcError, type LocalErrorCode } from "./core/base/errors.ts";
export { detectHost, fromGlobals, type Host, type PlatformSignal } from "./core/base/host.ts";
export type { JsonObject } from "./core/base/json.ts";
export { DEFAULT_LIMITS, type Limits } from "./core/base/limits.ts";
export { createSignal, type Signal, type SignalLike, type SignalSource } from "./core/base/signal.ts";
export {
  isInterceptor,
  mutator,
  validator,
  type Declaration,
  type HandlerContext,
  type HandlerInput,
  type HookDeclaration,
  type Interceptor,
  type Interceptors,
  type Refusal,
  type RefusalAnswer,
} from "./core/interceptor/define.ts";
export { invokeInterceptor, type InvokeOptions } from "./core/interceptor/invoke.ts";
export type { Grants, Overrides, Policy } from "./core/interceptor/policy.ts";
export { allow, deny, info, mutated, unchanged, warn, type Mutation, type Verdict } from "./core/interceptor/verdict.ts";
export { createChain, type AddSourceOptions, type Chain, type ChainOptions, type ChainStats, type RefreshOptions } from "./core/chain/chain.ts";
export type { Coverage, CoverageRow, CoverageStep, InterceptorCoverage } from "./core/chain/coverage.ts";
export type { EntryCounters } from "./core/chain/account.ts";
export type { ChainEntry } from "./core/chain/entry.ts";
export type { ExecuteParams } from "./core/chain/execute.ts";
export type {
  BlockedEvent,
  ChainEvent,
  FailedEvent,
  InvokedEvent,
  LateEvent,
  MutatedEvent,
  PassedEvent,
  PlannedEvent,
  TimedOutEvent,
  VerdictEvent,
} from "./core/chain/events.ts";
export { interceptorSource } from "./core/chain/in-process.ts";
export type { AddOptions } from "./core/chain/installed.ts";
export { createObserver, type Observer, type ObserverStats, type Observing } from "./core/chain/observer.ts";
export { chainError, type BoundaryOptions } from "./core/chain/outcome.ts";
export type { Direction, Plan } from "./core/chain/plan.ts";
export type { FieldChange, ListShift, Provenance, ProvenanceMode } from "./core/chain/provenance.ts";
export type { ChainDifference, ChangedEntry } from "./core/chain/refresh.ts";
export type { ChainLog } from "./core/chain/report.ts";
export type { ChainResult, ChainResultEntry, ChainStatus } from "./core/chain/result.ts";
export { writersOf, type FieldHistory, type FieldWriter, type Recorded, type WriterChange } from "./core/chain/writers.ts";
export type { InterceptorSource } from "./core/chain/source.ts";
export { blocksOf, textOf } from "./core/wire/completion.ts";
export type {
  LlmCompletionRequest,
  LlmCompletionResponse,
  LlmContent,
  LlmContentBlock,
  LlmMessage,
  LlmParameters,
  LlmReasoning,
  LlmRole,
  LlmTool,
  LlmToolChoice,
  LlmUsage,
} from "./core/wire/gen/completion.ts";
export type { ListedDescriptor, ListedType } from "./core/wire/descriptors.ts";
export { EVENTS, type KnownEvent, type PayloadOf } from "./core/wire/events.ts";
export type {
  InterceptorDescriptor,
  InvocationContext,
  InvokeParams,
  InvokeResult,
  MutationResult,
  Phase,
  Principal,
  Severity,
  ValidationResult,
} from "./core/wire/gen/interceptors.ts";
