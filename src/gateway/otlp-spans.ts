import type { RandomHex } from "../core/base/random-hex.ts";
import type { Decision, InterceptorOutcome } from "../core/guard/decision.ts";
import type { GuardEvent } from "../core/guard/events.ts";

/** An attribute of OTLP, in its JSON form. */
export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean };
}

/** A span of OTLP, in its JSON form. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

const [INTERNAL, SERVER] = [1, 2];
const [UNSET, OK, ERROR] = [0, 1, 2];
// Messages whose interceptors have begun, and whose decision has not come.
const MAX_OPEN = 10_000;
const MAX_CHILDREN = 1_000;

/** Turns events of guards into spans. */
export interface SpanMaker {
  /** The spans that this event completes: of a message, and of the interceptors that judged it. */
  take(event: GuardEvent, upstream: string): readonly Span[];
}

interface Child {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: readonly Attribute[];
  readonly status: Span["status"];
}

/**
 * One span for each message that was judged, below the span that the message itself names (`_meta.traceparent`), and below it one for each interceptor. A message
 * that names none begins a trace. Names and numbers only: nothing of payloads, and nobody's name.
 */
export function createSpanMaker(randomHex: RandomHex): SpanMaker {
  // By upstream and trace, then by run: a message may take several, and its decision names the last.
  const open = new Map<string, Map<number, Child[]>>();

  const begin = (key: string, run: number) => {
    let runs = open.get(key);
    if (runs === undefined) {
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN && oldest !== undefined) open.delete(oldest);
      open.set(key, (runs = new Map()));
    }
    runs.set(run, []);
  };
  // Those of the last run, and of runs before it until all that the decision knows of are found.
  const childrenOf = (key: string, last: number, wanted: number): Child[] => {
    const runs = open.get(key);
    const found: Child[] = [];
    for (const run of [...(runs?.keys() ?? [])].filter((one) => one <= last).sort((a, b) => b - a)) {
      if (run !== last && found.length >= wanted) break;
      found.unshift(...(runs?.get(run) ?? []));
      runs?.delete(run);
    }
    if (runs?.size === 0) open.delete(key);
    return found;
  };

  return {
    take(event, upstream) {
      const { traceId = "", run } = event;
      const key = `${upstream} ${traceId}`;
      switch (event.kind) {
        case "planned":
          if (traceId !== "") begin(key, run);
          return [];
        case "verdict":
        case "mutated":
        case "failed":
        case "timed_out": {
          const children = open.get(key)?.get(run);
          if (children !== undefined && children.length < MAX_CHILDREN) children.push(childOf(event));
          return [];
        }
        case "passed":
        case "blocked": {
          const { decision } = event;
          const children = childrenOf(key, run, decision.interceptors.length);
          // A message that was refused before it was judged belongs to no trace.
          if (!/^[0-9a-f]{32}$/.test(traceId)) return [];
          const spanId = randomHex(8);
          return [messageSpan(decision, traceId, spanId, upstream), ...children.map((child) => childSpan(child, traceId, spanId, randomHex(8)))];
        }
        default:
          return [];
      }
    },
  };
}

function messageSpan(decision: Decision, traceId: string, spanId: string, upstream: string): Span {
  const { at, durationMs, event, phase, kind, verdict, reason, by, tool, parentSpanId, role, direction } = decision;
  const endMs = Date.parse(at);
  const refused = verdict === "blocked" || verdict === "dropped";
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: `judge ${cut(event)} ${phase}`,
    kind: SERVER,
    startTimeUnixNano: nanos(endMs - durationMs),
    endTimeUnixNano: nanos(endMs),
    attributes: attributes({
      "mcp.method.name": cut(event),
      "gen_ai.tool.name": tool === undefined ? undefined : cut(tool),
      "mcp_interceptors.upstream": upstream,
      "mcp_interceptors.phase": phase,
      "mcp_interceptors.message": kind,
      "mcp_interceptors.role": role,
      "mcp_interceptors.direction": direction,
      "mcp_interceptors.verdict": verdict,
      "mcp_interceptors.reason": reason,
      "mcp_interceptors.by": by,
    }),
    status: refused ? { code: ERROR, message: reason ?? "failed" } : { code: OK },
  };
}

type EndEvent = Extract<GuardEvent, { readonly kind: "verdict" | "mutated" | "failed" | "timed_out" }>;

function childOf(event: EndEvent): Child {
  const endMs = Date.parse(event.at);
  const failed = event.kind === "failed" || event.kind === "timed_out";
  const reason = event.kind === "failed" ? event.reason : event.kind === "timed_out" ? "timeout" : undefined;
  const outcome: InterceptorOutcome["outcome"] | "unchanged" = event.kind === "verdict" ? event.outcome : event.kind === "mutated" ? "modified" : "failed";
  return {
    name: `interceptor ${event.address}`,
    startMs: endMs - event.elapsedMs,
    endMs,
    attributes: attributes({
      "mcp_interceptors.interceptor": event.address,
      "mcp_interceptors.type": event.type,
      "mcp_interceptors.mode": event.mode,
      "mcp_interceptors.outcome": outcome,
      "mcp_interceptors.reason": reason,
      "mcp_interceptors.revalidation": event.revalidation,
    }),
    status: failed ? { code: ERROR, message: reason ?? "failed" } : { code: UNSET },
  };
}

function childSpan({ name, startMs, endMs, attributes: given, status }: Child, traceId: string, parentSpanId: string, spanId: string): Span {
  return { traceId, spanId, parentSpanId, name, kind: INTERNAL, startTimeUnixNano: nanos(startMs), endTimeUnixNano: nanos(endMs), attributes: given, status };
}

export function attributes(members: Readonly<Record<string, string | number | boolean | undefined>>): readonly Attribute[] {
  return Object.entries(members).flatMap(([key, value]): Attribute[] => {
    if (value === undefined) return [];
    if (typeof value === "boolean") return [{ key, value: { boolValue: value } }];
    return [{ key, value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) } }];
  });
}

// Past what a double holds exactly: milliseconds and their fraction are put together as text.
function nanos(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1_000_000)).padStart(6, "0")}`;
}

function cut(text: string): string {
  return text.length <= 128 ? text : `${text.slice(0, 128)}…`;
}
