import { ErrorCode } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { foldCase } from "../base/json-refusal.ts";
import { describeProblem, under } from "./check.ts";
import { misspeltParam, strangeMember } from "./members.ts";
import {
  checkErrorObject,
  type ErrorMessage,
  type ErrorObject,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResultMessage,
} from "./gen/json-rpc.ts";

export type { ErrorMessage, ErrorObject, NotificationMessage, RequestId, RequestMessage, ResultMessage } from "./gen/json-rpc.ts";

/** One JSON-RPC 2.0 message, never a batch. */
export type Message = RequestMessage | NotificationMessage | ResultMessage | ErrorMessage;

/**
 * What a value is. For an invalid one, `id` is set where a usable one could be read, and `answers` tells what it was meant to be:
 * `true` for a broken response, whose request must not wait for ever; `false` for a broken request, which is owed `error` as its one answer
 * if it has an id. (Without any id there is nobody to answer: HTTP says 400, stdio nothing.) `ends`: see `InvalidFrame`.
 */
export type Classified =
  | { readonly kind: "request"; readonly message: RequestMessage }
  | { readonly kind: "notification"; readonly message: NotificationMessage }
  | { readonly kind: "result"; readonly message: ResultMessage }
  | { readonly kind: "error"; readonly message: ErrorMessage }
  | { readonly kind: "invalid"; readonly error: ErrorObject; readonly id?: RequestId; readonly answers?: boolean; readonly ends?: readonly RequestId[] };

// Presence of a member decides, never its truthiness: `"id": 0` is a request (MCP basic/index, Messages). `undefined` is absence, here as in
// `classify`: a program may build `{ id: undefined }`, which JSON cannot carry.
export function isRequest(message: Message): message is RequestMessage {
  return "method" in message && message.method !== undefined && "id" in message && message.id !== undefined;
}
export function isNotification(message: Message): message is NotificationMessage {
  return "method" in message && message.method !== undefined && !isRequest(message);
}
export function isResult(message: Message): message is ResultMessage {
  return "result" in message && message.result !== undefined;
}
export function isErrorResponse(message: Message): message is ErrorMessage {
  return "error" in message && message.error !== undefined;
}

/** A string, or a whole number that every JSON parser reads alike. `null` is for responses to requests that could not be read. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/**
 * Tells requests, notifications, results and errors apart by the members that are there, and refuses everything else; a value that passes
 * satisfies the generated validator of its kind. Own members alone count, `undefined` ones as absent. A member that JSON-RPC does not have is
 * refused, as the official SDKs do, and so is a param of a known method that differs from one of its own in case alone.
 *
 * Wrong types of `params` are -32600, as JSON-RPC calls such a request invalid; what `params` holds is for its method to judge (-32602).
 * A message with `method` and `result` or `error` is neither: whoever looks at one of them would judge what another side does not do.
 */
export function classify(value: unknown): Classified {
  if (!isObject(value)) return Array.isArray(value) ? refuse(BATCH, undefined, undefined, answeredWithin(value)) : refuse("the message must be a JSON object");
  const jsonrpc = Object.hasOwn(value, "jsonrpc") ? value["jsonrpc"] : undefined;
  const id = Object.hasOwn(value, "id") ? value["id"] : undefined;
  const method = Object.hasOwn(value, "method") ? value["method"] : undefined;
  const params = Object.hasOwn(value, "params") ? value["params"] : undefined;
  const result = Object.hasOwn(value, "result") ? value["result"] : undefined;
  const error = Object.hasOwn(value, "error") ? value["error"] : undefined;

  const strange = strangeMember(value);
  const misspelt = typeof method === "string" && isObject(params) ? misspeltParam(method, params) : undefined;
  if (jsonrpc === "2.0" && strange === undefined && misspelt === undefined) {
    // Each cast below names a kind whose members the condition has looked at, which the compiler cannot follow through `value`.
    if (method !== undefined) {
      if (typeof method === "string" && result === undefined && error === undefined && (params === undefined || isObject(params))) {
        if (id === undefined) return { kind: "notification", message: value as unknown as NotificationMessage };
        if (isRequestId(id)) return { kind: "request", message: value as unknown as RequestMessage };
      }
    } else if (result !== undefined) {
      if (isObject(result) && error === undefined && isRequestId(id)) return { kind: "result", message: value as unknown as ResultMessage };
    } else if (error !== undefined && (id === undefined || id === null || isRequestId(id)) && checkErrorObject(error) === undefined) {
      return { kind: "error", message: value as unknown as ErrorMessage };
    }
  }
  const meant = foldCase(strange ?? "");
  const answers = method === undefined && (result !== undefined || error !== undefined || /^(?:result|error)$/.test(meant));
  // A message that has nothing but an id is taken for a request, as whoever waits for an answer is owed one, and for an answer as well. A record of
  // somebody's log may have an id, too, but says no `jsonrpc`.
  const bare = jsonrpc !== undefined && method === undefined && params === undefined && !/^(?:method|params)$/.test(meant);
  // Also one that has a method beside its result or error.
  const mixed = jsonrpc !== undefined && method !== undefined && (result !== undefined || error !== undefined);
  const known = isRequestId(id) ? id : undefined;
  return refuse(whatIsWrong({ jsonrpc, id, method, result, error }, strange, misspelt), known, answers, known !== undefined && (answers || bare || mixed) ? [known] : []);
}

/** So much of a batch that is refused is looked at for answers: each makes whoever takes it do some work, and a body has room for a million. */
const MOST_ANSWERS = 1_000;

// The requests that a batch would have answered.
function answeredWithin(items: readonly unknown[]): readonly RequestId[] {
  const ids = items.slice(0, MOST_ANSWERS).flatMap((item): readonly (RequestId | null | undefined)[] => {
    if (!isObject(item)) return [];
    const classified = classify(item);
    if (classified.kind === "invalid") return classified.ends ?? [];
    return classified.kind === "result" || classified.kind === "error" ? [classified.message.id] : [];
  });
  return [...new Set(ids)].filter((id) => id !== undefined && id !== null);
}

const BATCH = "batches are not accepted here: send each message on its own";
const ID_RULE = "must be a string or an integer within ±(2^53 - 1)";

type Members = Readonly<Record<"jsonrpc" | "id" | "method" | "result" | "error", unknown>>;

// The slow half: words for what is wrong with a message that is known to be.
function whatIsWrong({ jsonrpc, id, method, result, error }: Members, strange: string | undefined, misspelt: string | undefined): string {
  if (jsonrpc !== "2.0") return 'the member "jsonrpc" must be "2.0"';
  if (strange !== undefined) return `the member ${quote(strange)} is none of JSON-RPC's; names are spelt exactly`;
  if (misspelt !== undefined) return `the member ${quote(misspelt)} of params is not spelt as MCP has it`;
  if (result !== undefined && error !== undefined) return 'a response must have either "result" or "error", not both';
  if (method !== undefined) {
    if (result !== undefined || error !== undefined) return 'a message with "method" must have neither "result" nor "error"';
    if (id !== undefined && !isRequestId(id)) return `the member "id" of a request ${ID_RULE}; leave it out of a notification`;
    if (typeof method !== "string") return 'the member "method" must be a string';
    return 'the member "params" must be an object; leave it out where there are none';
  }
  if (result !== undefined) {
    if (!isRequestId(id)) return `the member "id" of a result ${id === undefined ? "must repeat that of the request" : ID_RULE}`;
    return 'the member "result" must be an object';
  }
  if (error === undefined) return 'the message must have one of "method", "result" and "error"';
  const found = checkErrorObject(error);
  if (found !== undefined) return describeProblem(under("error", found), "message");
  return `the member "id" of an error ${ID_RULE}, or null where the request's could not be read`;
}

// A name of the sender's choice, which goes into an answer and into logs.
function quote(name: string): string {
  return JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 60)}…`);
}

function refuse(reason: string, id?: RequestId, answers?: boolean, ends: readonly RequestId[] = []): Classified {
  const error: ErrorObject = { code: ErrorCode.invalidRequest, message: `Invalid message: ${reason}` };
  const whose = { ...(id === undefined ? {} : { id }), ...(answers === undefined ? {} : { answers }) };
  return { kind: "invalid", error, ...whose, ...(ends.length === 0 ? {} : { ends }) };
}
