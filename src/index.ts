// Everything that runs anywhere. What needs Node is in mcp-interceptors/node, what is ready-made in mcp-interceptors/library.
export { ErrorCode, LocalError, RpcError, type LocalErrorCode } from "./core/base/errors.ts";
export { detectHost, fromGlobals, type Host, type PlatformSignal } from "./core/base/host.ts";
export type { JsonObject } from "./core/base/json.ts";
export { DEFAULT_LIMITS, type Limits } from "./core/base/limits.ts";
export { createSignal, type Signal, type SignalLike, type SignalSource } from "./core/base/signal.ts";
export { VERSION } from "./core/base/version.ts";

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
export { readCapability } from "./core/wire/dialects.ts";
export { decodeFrame, encodeFrame, type Decoded, type Frame, type InvalidFrame } from "./core/wire/frame.ts";
export type { ErrorMessage, ErrorObject, Message, NotificationMessage, RequestId, RequestMessage, ResultMessage } from "./core/wire/message.ts";
export { HANDSHAKE_VERSIONS, PROTOCOL_VERSIONS, STATELESS_VERSIONS } from "./core/wire/versions.ts";
export type {
  CallToolParams,
  CallToolResult,
  ClientCapabilities,
  Completion,
  ContentBlock,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  GetPromptResult,
  Implementation,
  ListRootsResult,
  ListToolsResult,
  LoggingLevel,
  Prompt,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from "./core/wire/gen/mcp.ts";
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

export { compileSchema, type CompiledSchema } from "./core/schema/schema.ts";

export { memoryPair } from "./core/transport/memory.ts";
export { lineTransport, type ByteDuplex, type LineTransportOptions, type Noise } from "./core/transport/line-transport.ts";
export { fromSdkTransport, toSdkTransport, type SdkTransport } from "./core/transport/sdk-adapters.ts";
export type { Arrival, Listener, PeerContext, Route, Transport } from "./core/transport/transport.ts";

export { createPeer, type IncomingNotification, type Middleware, type Peer, type PeerOptions } from "./core/jsonrpc/peer.ts";
export type { IncomingRequest } from "./core/jsonrpc/incoming.ts";
export type { RequestOptions } from "./core/jsonrpc/outgoing.ts";
export { McpClient, type ClientCallOptions, type ConnectOptions, type McpClientOptions } from "./core/mcp/client.ts";
export type { InputContext } from "./core/mcp/features/client-asked.ts";
export type { Elicitation, ElicitationHandler, ElicitationOptions, FormElicitation } from "./core/mcp/features/client-elicitation.ts";
export type { ListKind } from "./core/mcp/features/client-notices.ts";
export type { RootsHandler } from "./core/mcp/features/client-roots.ts";
export type { SamplingHandler, SamplingOptions } from "./core/mcp/features/client-sampling.ts";
export type { ServerContext } from "./core/mcp/context.ts";
export { elicit, isSuspended, roots, sample, type AskOptions, type Question } from "./core/mcp/features/server-ask.ts";
export type { Completer } from "./core/mcp/features/server-completion.ts";
export type { PromptHandler } from "./core/mcp/features/server-prompts.ts";
export type { Registered } from "./core/mcp/features/server-registry.ts";
export type { ResourceReader, TemplateReader } from "./core/mcp/features/server-resources.ts";
export type { CacheHints, CacheOption } from "./core/mcp/results.ts";
export type { ToolHandler } from "./core/mcp/tools.ts";
export { McpServer, type McpServerOptions, type ServerConnection } from "./core/mcp/server.ts";

export type { Authenticate, Authentication, AuthenticationRequest, Challenge } from "./core/http/authentication.ts";
export type { AuthChallenge } from "./core/http/challenge.ts";
export type { AuthorizationRequest, Authorize, HeaderRecord } from "./core/http/client-call.ts";
export { directSend } from "./core/http/direct-send.ts";
export { memoryEventStore, type EventStore, type StoredEvent } from "./core/http/event-store.ts";
export type {
  ByteSource,
  HeaderList,
  HeaderMap,
  HttpAnswer,
  HttpCall,
  HttpHandler,
  HttpRequest,
  HttpResponse,
  HttpSend,
  TextSource,
} from "./core/http/exchange.ts";
export type { HostCheckOptions } from "./core/http/host-check.ts";
export { httpTransport, type HttpTransportOptions } from "./core/http/http-client.ts";
export { releaseStream } from "./core/http/http-peer.ts";
export { createHttpServer, type HttpServer, type HttpServerStats } from "./core/http/http-server.ts";
export type { HttpServerOptions, ToolParams, ToolSchemas } from "./core/http/http-server-options.ts";
export { serve, type Servable } from "./core/http/serve.ts";

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
export type { Grants, Overrides, Policy } from "./core/interceptor/policy.ts";
export { allow, deny, info, mutated, unchanged, warn, type Mutation, type Verdict } from "./core/interceptor/verdict.ts";

export type { AddSourceOptions, Chain, ChainStats, RefreshOptions } from "./core/chain/chain.ts";
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

export { hostInterceptors, type HostOptions, type InterceptorHost } from "./core/server/interceptor-server.ts";
export { clientSource, type SourceOptions } from "./core/client/interceptor-client.ts";
export {
  createChain,
  localChain,
  type AddServerOptions,
  type ConnectedChain,
  type ConnectedChainOptions,
  type ServerTarget,
} from "./core/client/local-chain.ts";

export { guardSdkTransport, type SdkPeer } from "./core/guard/sdk-peer.ts";
export { BlockedError, isBlocked } from "./core/guard/blocked-error.ts";
export type { FunctionCall, FunctionChain, FunctionGuardOptions, GuardedCallOptions, PayloadCheck } from "./core/guard/function-options.ts";
export { guardFunction, type GuardedFunction } from "./core/guard/guard-function.ts";
export { guardStream, windowOf, type GuardedStream, type StreamGuardOptions, type TextDeltas } from "./core/guard/guard-stream.ts";
export { guardClient, guardServer, type Guardable } from "./core/guard/attach.ts";
export type { ChainSource } from "./core/guard/chain-source.ts";
export { guardCoverage, type CoverageOptions } from "./core/guard/coverage.ts";
export { formatCoverage } from "./core/guard/coverage-text.ts";
export type { BlockReason, Decision, InterceptorOutcome } from "./core/guard/decision.ts";
export type { GuardBlockedEvent, GuardEvent, GuardPassedEvent } from "./core/guard/events.ts";
export { guardTransport, type GuardedTransport } from "./core/guard/guard.ts";
export type { AttachOptions, ExchangeInfo, GuardOptions, GuardPolicy } from "./core/guard/options.ts";
export type { Immutable } from "./core/guard/immutable.ts";
export { relay, type Relay, type RelayEnd, type RelayOptions } from "./core/guard/relay.ts";
