import { ErrorCode, RpcError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import { isObject } from "../base/json.ts";
import { createLinkedList } from "../base/linked-list.ts";
import { newConnection } from "../transport/connection.ts";
import type { Transport } from "../transport/transport.ts";
import type { Frame } from "../wire/frame.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import { isNotification, isRequest, type RequestMessage } from "../wire/message.ts";
import { META } from "../wire/versions.ts";
import { hasCompleteMeta, saysStatelessItself } from "./eras.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { HttpPeer } from "./http-peer.ts";
import type { ToolSchemas } from "./http-server-options.ts";
import { badRequest, emptyResponse, refuse, unavailable } from "./http-responses.ts";
import { paramHeadersOf, type ParamHeader } from "./param-headers.ts";
import { createPost, type StreamRules } from "./post.ts";
import { checkRoutingHeaders } from "./routing-headers.ts";
import { statelessTransport } from "./stateless-transport.ts";

export interface StatelessPostsParts {
  readonly limits: Limits;
  readonly rules: StreamRules;
  /** False once nobody accepts any more. */
  accept(transport: Transport): boolean;
}

/** The stateless messages that one server is serving. */
export interface StatelessPosts {
  readonly size: number;
  take(request: HttpRequest, frame: Frame, principal: Principal | undefined): HttpResponse | Promise<HttpResponse>;
  describeTools(schemas: ToolSchemas): void;
  closeAll(): Promise<unknown>;
}

const NONE: readonly ParamHeader[] = [];

function noMeta(): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: params._meta must have ${META.protocolVersion} and ${META.clientCapabilities}`);
}

export function createStatelessPosts({ limits, rules, accept }: StatelessPostsParts): StatelessPosts {
  const open = createLinkedList<Transport>();
  // By the schema itself: a tool that changes has another one.
  const known = new WeakMap<object, readonly ParamHeader[]>();
  let schemas: ToolSchemas | undefined;

  const paramsOf = ({ method, params }: RequestMessage): readonly ParamHeader[] => {
    const name = params?.["name"];
    const schema = method === "tools/call" && typeof name === "string" ? schemas?.(name) : undefined;
    if (!isObject(schema)) return NONE;
    let found = known.get(schema);
    if (found === undefined) {
      // Clients leave a tool out whose schema is refused, so that nobody sends its headers.
      found = paramHeadersOf(schema).headers ?? NONE;
      known.set(schema, found);
    }
    return found;
  };

  return {
    get size() {
      return open.size;
    },
    take(request, frame, principal) {
      const { message } = frame;
      const asked = isRequest(message) ? message : undefined;
      if (!isRequest(message) && !isNotification(message)) return badRequest("In this revision clients send no responses");
      const mismatch = checkRoutingHeaders(request.headers, message, asked === undefined ? NONE : paramsOf(asked));
      if (mismatch !== undefined) return refuse(400, mismatch, asked?.id);
      // By its header alone it is of this revision: on a connection of its own it would be taken for a handshake's that has not begun.
      if (asked !== undefined && !saysStatelessItself(asked)) return refuse(400, noMeta(), asked.id);
      if (open.size >= limits.maxHttpRequests) return unavailable("Too many requests at once", asked?.id);
      const from = new HttpPeer(newConnection("http"), request.headers, principal, true);
      const { transport, post } = statelessTransport({
        arrival: { frame, from },
        from,
        limits,
        completeMeta: hasCompleteMeta(message.params),
        open: asked === undefined ? undefined : (gone) => createPost({ rules, request, responses: 1, gone }),
        ended: () => open.remove(node),
      });
      const node = open.add(transport);
      if (!accept(transport)) {
        void transport.close();
        return unavailable("The server is shutting down", asked?.id);
      }
      return post?.response ?? emptyResponse(202);
    },
    describeTools: (given) => void (schemas = given),
    closeAll: () => Promise.all([...open].map((transport) => transport.close())),
  };
}
