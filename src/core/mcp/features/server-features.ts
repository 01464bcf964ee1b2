import { LocalError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Limits } from "../../base/limits.ts";
import type { Host } from "../../base/host.ts";
import type { Log } from "../../jsonrpc/log.ts";
import type { ServerCapabilities } from "../../wire/gen/mcp.ts";
import type { ServerContext } from "../context.ts";
import type { SchemaCompiler } from "../endpoint.ts";
import type { Era } from "../lifecycle.ts";
import { createTools, type Tools } from "../tools.ts";
import { complete } from "./server-completion.ts";
import type { ServerLink } from "./server-link.ts";
import { setLevel } from "./server-logging.ts";
import { resolvePageSize } from "./server-pages.ts";
import { createPrompts, type Prompts } from "./server-prompts.ts";
import { createResources, type Resources } from "./server-resources.ts";
import { createSubscriptions, type ListKind, type Subscriptions } from "./server-subscriptions.ts";

/** Answers one of the methods that MCP defines. */
export type FeatureMethod = (params: JsonObject, context: ServerContext, link: ServerLink) => unknown;

/** All that a server can do beyond the lifecycle and the methods of its owner. */
export interface ServerFeatures {
  readonly tools: Tools;
  readonly prompts: Prompts;
  readonly resources: Resources;
  readonly subscriptions: Subscriptions;
  /** Whether the server has announced that it logs. */
  readonly logs: boolean;
  /** What answers a method in this era; `undefined` for what this server does not do. */
  find(method: string, era: Era): FeatureMethod | undefined;
  /** Whether a method belongs to a feature in use, and so to nobody else. */
  claims(method: string): boolean;
  /** Before something is registered: refuses with `conflict` where the owner answers the feature's methods himself. */
  claim(kind: ListKind): void;
  /** What follows from what is registered. */
  capabilities(): ServerCapabilities;
}

export interface FeatureParts {
  readonly host: Host;
  /** The connections that are open. */
  readonly links: Iterable<ServerLink>;
  readonly limits: Limits;
  readonly log: Log;
  readonly compile: SchemaCompiler;
  readonly pageSize: number | undefined;
  /** What the owner announces by hand: a feature that is named there is served, if only with empty lists. */
  readonly given: ServerCapabilities;
  /** Methods that the owner answers himself. */
  readonly owned: { has(method: string): boolean };
  /** All that is announced, what was given included. */
  announced(): ServerCapabilities;
}

const OWNED: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ["tools/list", "tools/call"],
  prompts: ["prompts/list", "prompts/get"],
  resources: ["resources/list", "resources/templates/list", "resources/read"],
};

interface Served {
  readonly run: FeatureMethod;
  /** Whether this server does it. */
  offered(): boolean;
  /** Left out where both eras have it. */
  readonly era?: Era;
}

export function createFeatures({ host, links, limits, log, compile, pageSize: size, given, owned, announced }: FeatureParts): ServerFeatures {
  const pageSize = resolvePageSize(size);
  const changed = (kind: ListKind) => () => subscriptions.listChanged(kind);
  const tools = createTools(log, compile, { pageSize, changed: changed("tools") });
  const prompts = createPrompts(pageSize, changed("prompts"));
  const resources = createResources(pageSize, changed("resources"));
  const subscriptions = createSubscriptions({
    host,
    links,
    maxSubscriptions: limits.maxSubscriptions,
    capabilities: announced,
    knows: (uri) => resources.knows(uri),
  });

  const used = (kind: ListKind): boolean => ({ tools, prompts, resources })[kind].used;
  const ownedOf = (kind: ListKind) => OWNED[kind].find((method) => owned.has(method));
  const offers = (kind: ListKind) => used(kind) || (given[kind] !== undefined && ownedOf(kind) === undefined);
  const logs = given.logging !== undefined;
  const hasTools = () => offers("tools");
  const hasPrompts = () => offers("prompts");
  const hasResources = () => offers("resources");
  const completes = () => prompts.completes || resources.completes || given.completions !== undefined;
  const subscribes = () => hasResources() && announced().resources?.subscribe === true;
  const { subscribe, unsubscribe, listen } = subscriptions;

  const table = new Map<string, Served>([
    ["tools/list", { offered: hasTools, run: (params, { protocolVersion }) => tools.list(params, protocolVersion) }],
    ["tools/call", { offered: hasTools, run: (params, context) => tools.call(params, context) }],
    ["prompts/list", { offered: hasPrompts, run: (params) => prompts.list(params) }],
    ["prompts/get", { offered: hasPrompts, run: (params, context) => prompts.get(params, context) }],
    ["resources/list", { offered: hasResources, run: (params, context) => resources.list(params, context) }],
    ["resources/templates/list", { offered: hasResources, run: (params) => resources.listTemplates(params) }],
    ["resources/read", { offered: hasResources, run: (params, context) => resources.read(params, context) }],
    ["completion/complete", { offered: completes, run: (params, context) => complete(params, context, prompts, resources) }],
    ["resources/subscribe", { era: "handshake", offered: subscribes, run: subscribe }],
    ["resources/unsubscribe", { era: "handshake", offered: subscribes, run: (params, _context, link) => unsubscribe(params, link) }],
    ["logging/setLevel", { era: "handshake", offered: () => logs, run: (params, _context, link) => setLevel(params, link) }],
    ["subscriptions/listen", { era: "stateless", offered: () => true, run: listen }],
  ]);

  return {
    tools,
    prompts,
    resources,
    subscriptions,
    logs,
    find(method, era) {
      const served = table.get(method);
      return served !== undefined && (served.era ?? era) === era && served.offered() ? served.run : undefined;
    },
    claims: (method) => (Object.keys(OWNED) as ListKind[]).some((kind) => used(kind) && OWNED[kind].includes(method)),
    claim(kind) {
      const conflict = ownedOf(kind);
      if (conflict !== undefined) throw new LocalError("conflict", `${conflict} has a handler of its own`);
    },
    capabilities() {
      const capabilities: ServerCapabilities = {};
      if (hasTools()) capabilities.tools = { listChanged: true };
      if (hasPrompts()) capabilities.prompts = { listChanged: true };
      if (hasResources()) capabilities.resources = { subscribe: true, listChanged: true };
      if (prompts.completes || resources.completes) capabilities.completions = {};
      return capabilities;
    },
  };
}
