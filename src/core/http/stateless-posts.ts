import { ErrorCode, RpcError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import { isObject } from "../base/json.ts";
import { createLinkedList } from "../base/linked-list.ts";
import { newConnection } from "../transport/connection.ts";
import type { PeerContext, Transport } from "../transport/transport.ts";
import type { Frame } from "../wire/frame.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import { isNotification, isRequest, type RequestMessage } from "../wire/message.ts";
import { META } from "../wire/versions.ts";
import { hasCompleteMeta, saysStatelessItself } from "./eras.ts";
import type { HeaderMap, HttpRequest, HttpResponse } from "./exchange.ts";
import { HttpPeer } from "./http-peer.ts";
import type { ToolParams, ToolSchemas } from "./http-server-options.ts";
import { badRequest, draining, emptyResponse, refuse, unavailable } from "./http-responses.ts";
import { NO_PARAMS, paramHeadersOf, type ParamHeader } from "./param-headers.ts";
import { createPost, type StreamRules } from "./post.ts";
import { checkParamHeaders, checkRoutingHeaders } from "./routing-headers.ts";
import { statelessTransport } from "./stateless-transport.ts";

export interface StatelessPostsParts {
  readonly limits: Limits;
  readonly rules: StreamRules;
  /** Whether the server takes nothing new, and ends. */
  ending(): boolean;
  /** False once nobody accepts any more. */
  accept(transport: Transport): boolean;
}

/** The stateless messages that one server is serving. */
export interface StatelessPosts {
  readonly size: number;
  take(request: HttpRequest, frame: Frame, principal: Principal | undefined): HttpResponse | Promise<HttpResponse>;
  describeTools(tools: ToolSchemas | ToolParams): void;
  closeAll(): Promise<unknown>;
}

function noMeta(): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: params._meta must have ${META.protocolVersion} and ${META.clientCapabilities}`);
}

export function createStatelessPosts({ limits, rules, ending, accept }: StatelessPostsParts): StatelessPosts {
  const open = createLinkedList<Transport>();
  let tools: ToolParams | undefined;

  /** Holds a call to its tool's parameters; waits only where more is to be learnt of these. */
  const checkCall = (headers: HeaderMap, call: RequestMessage, from: PeerContext): RpcError | undefined | Promise<RpcError | undefined> => {
    const { name, arguments: args } = call.params ?? {};
    if (tools === undefined || call.method !== "tools/call" || typeof name !== "string") return undefined;
    const known = tools;
    const check = () => checkParamHeaders(headers, args, known.of(name) ?? NO_PARAMS);
    const mismatch = check();
    const learning = mismatch !== undefined || known.of(name) === undefined ? known.learn(call, from) : undefined;
    return learning === undefined ? mismatch : learning.then(check);
  };

  const serve = (request: HttpRequest, frame: Frame, from: HttpPeer): HttpResponse | Promise<HttpResponse> => {
    const { message } = frame;
    const asked = isRequest(message) ? message : undefined;
    if (open.size >= limits.maxHttpRequests) return unavailable("Too many requests at once", asked?.id);
    const { transport, post } = statelessTransport({
      arrival: { frame, from },
      from,
      limits,
      completeMeta: hasCompleteMeta(asked?.params),
      open: asked === undefined ? undefined : (gone) => createPost({ rules, request, responses: 1, gone }),
      ending,
      ended: () => open.remove(node),
    });
    const node = open.add(transport);
    if (!accept(transport)) {
      void transport.close();
      return draining(asked === undefined ? [] : [asked.id], 503);
    }
    return post?.response ?? emptyResponse(202);
  };

  return {
    get size() {
      return open.size;
    },
    take(request, frame, principal) {
      const { message } = frame;
      const asked = isRequest(message) ? message : undefined;
      if (!isRequest(message) && !isNotification(message)) return badRequest("In this revision clients send no responses");
      const mismatch = checkRoutingHeaders(request.headers, message);
      if (mismatch !== undefined) return refuse(400, mismatch, asked?.id);
      // By its header alone it is of this revision: on a connection of its own it would be taken for a handshake's that has not begun.
      if (asked !== undefined && !saysStatelessItself(asked)) return refuse(400, noMeta(), asked.id);
      const from = new HttpPeer(newConnection("http"), request.headers, principal, true);
      const checked = asked === undefined ? undefined : checkCall(request.headers, asked, from);
      const go = (wrong: RpcError | undefined) => (wrong === undefined ? serve(request, frame, from) : refuse(400, wrong, asked?.id));
      return checked instanceof Promise ? checked.then(go) : go(checked);
    },
    describeTools: (given) => void (tools = typeof given === "function" ? bySchema(given) : given),
    closeAll: () => Promise.all([...open].map((transport) => transport.close())),
  };
}

/** Of tools whose schemas are at hand. */
function bySchema(schemas: ToolSchemas): ToolParams {
  // By the schema itself: a tool that changes has another one.
  const known = new WeakMap<object, readonly ParamHeader[]>();
  return {
    of(tool) {
      const schema = schemas(tool);
      if (!isObject(schema)) return undefined;
      let found = known.get(schema);
      if (found === undefined) {
        // Clients leave a tool out whose schema is refused, so that nobody sends its headers.
        found = paramHeadersOf(schema).headers ?? NO_PARAMS;
        known.set(schema, found);
      }
      return found;
    },
    learn: () => undefined,
  };
}
