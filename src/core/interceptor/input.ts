import { LocalError } from "../base/errors.ts";
import { platformSignal, type Host, type PlatformSignal } from "../base/host.ts";
import { cloneJson, isObject, ownMember, type JsonObject } from "../base/json.ts";
import { createSignal, type Signal, type SignalSource } from "../base/signal.ts";
import type { InvokeParams, Phase, Principal } from "../wire/gen/interceptors.ts";
import { OWN_META } from "../wire/meta.ts";
import type { HandlerContext, HandlerInput, Interceptor } from "./define.ts";

interface CallOptions {
  readonly host: Host;
  readonly signal?: Signal;
  readonly maxDepth: number;
  readonly caller?: Principal;
}

/** The argument of one run of a handler. Call {@link endInput} when the run is over. */
export function createInput(interceptor: Interceptor, params: InvokeParams, payload: unknown, options: CallOptions): Input {
  return new Input(interceptor.descriptor.name, params, payload, options);
}

/** Aborts the handler's signal, with this reason or a plain one; one that is read later is born aborted. Idempotent. */
export function endInput(input: Input, reason?: unknown): void {
  Input.end(input, reason);
}

// One object for a run. What most handlers never read (`context`, `config`, `signal`) is made on first reading.
class Input implements HandlerInput {
  readonly name: string;
  readonly event: string;
  readonly phase: Phase;
  readonly payload: unknown;
  readonly #params: InvokeParams;
  readonly #options: CallOptions;
  #context: HandlerContext | undefined;
  #config: JsonObject | undefined;
  #caller: Principal | undefined;
  #signal: PlatformSignal | undefined;
  #source: SignalSource | undefined;
  #ended = false;
  #reason: unknown;

  // All inputs share these, and a handler that holds one must not change what the others are told.
  static {
    Object.freeze(this.prototype);
    Object.freeze(this);
  }

  constructor(name: string, params: InvokeParams, payload: unknown, options: CallOptions) {
    this.name = name;
    this.event = params.event;
    this.phase = params.phase;
    this.payload = payload;
    this.#params = params;
    this.#options = options;
  }

  get context(): HandlerContext {
    return (this.#context ??= readContext(this.#params, this.#options.maxDepth));
  }

  get config(): JsonObject {
    return (this.#config ??= cloneJson(this.#params.config ?? {}, this.#options.maxDepth));
  }

  get caller(): Principal | undefined {
    const { caller, maxDepth } = this.#options;
    return (this.#caller ??= caller === undefined ? undefined : cloneJson(caller, maxDepth));
  }

  get signal(): PlatformSignal {
    if (this.#signal === undefined) {
      this.#source = createSignal(this.#options.signal);
      this.#signal = platformSignal(this.#source.signal, this.#options.host);
      if (this.#ended) this.#abort();
    }
    return this.#signal;
  }

  // Static, so that a handler does not find it on its argument.
  static end(input: Input, reason: unknown): void {
    if (input.#ended) return;
    input.#ended = true;
    input.#reason = reason;
    if (input.#source !== undefined) input.#abort();
  }

  #abort(): void {
    this.#source?.abort(this.#reason ?? new LocalError("aborted", "the run is over"));
  }
}

function readContext({ context, _meta }: InvokeParams, maxDepth: number): HandlerContext {
  const copy: JsonObject = cloneJson({ ...context }, maxDepth);
  // Only our own members speak for us, not ones of the same name in a caller's context.
  delete copy["request"];
  delete copy["revalidation"];
  const request = _meta === undefined ? undefined : ownMember(_meta, OWN_META.request);
  if (isObject(request)) copy["request"] = cloneJson(request, maxDepth);
  if (_meta !== undefined && ownMember(_meta, OWN_META.revalidation) === true) copy["revalidation"] = true;
  return copy;
}
