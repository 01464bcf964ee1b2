import { base64Encode } from "../../base/bytes.ts";
import { ErrorCode, LocalError, RpcError } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { describeProblem } from "../../wire/check.ts";
import {
  checkReadResourceParams,
  checkReadResourceResult,
  checkResource,
  checkResourceTemplate,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
} from "../../wire/gen/mcp.ts";
import type { ServerContext } from "../context.ts";
import { invalidParams, type Era } from "../lifecycle.ts";
import { isInterim } from "../results.ts";
import type { Completers } from "./server-completion.ts";
import { isAfter, pageOf, readCursor, takePage, type Placed } from "./server-pages.ts";
import { countUp, createRegistry, type Registered } from "./server-registry.ts";
import { parseUriTemplate, type UriTemplate } from "./server-uri-template.ts";

/** What reading may give: a text, bytes, the result itself; nothing where there is no such resource. */
export type ReadOutcome = string | Uint8Array | (ReadResourceResult & JsonObject) | undefined;

/** What is thrown becomes an error response: an `RpcError` as it is, anything else as -32603. */
export type ResourceReader = (uri: string, context: ServerContext) => ReadOutcome | Promise<ReadOutcome>;

/** The values are percent-decoded, and whatever the client says: a path among them may hold `..`, and slashes that were escaped. */
export type TemplateReader = (uri: string, values: Readonly<Record<string, string>>, context: ServerContext) => ReadOutcome | Promise<ReadOutcome>;

export interface TemplateOptions {
  /** What there is of the template's kind, for `resources/list`. */
  readonly list?: (context: ServerContext) => readonly Resource[] | Promise<readonly Resource[]>;
  /** Suggests values, by the name of the variable. */
  readonly complete?: Completers;
}

export type RegisteredResource = Registered<Resource, ResourceReader>;
export type RegisteredTemplate = Registered<ResourceTemplate, TemplateReader>;

/** A server's resources, those that have a URI and those that a template stands for. */
export interface Resources {
  readonly used: boolean;
  readonly completes: boolean;
  add(definition: Resource, read: ResourceReader): RegisteredResource;
  addTemplate(definition: ResourceTemplate, read: TemplateReader, options?: TemplateOptions): RegisteredTemplate;
  /** Answers `resources/list`: in the order of registration, what a template lists in the template's place. */
  list(params: JsonObject, context: ServerContext): Promise<JsonObject>;
  /** Answers `resources/templates/list`. */
  listTemplates(params: JsonObject): JsonObject;
  /** Answers `resources/read`: a resource before a template, templates in the order of registration. */
  read(params: JsonObject, context: ServerContext): Promise<JsonObject>;
  /** Whether a resource or a template goes by that URI. Whether a template has anything there, only reading tells. */
  knows(uri: string): boolean;
  /** What a completion is about: a template, by its own text or by a URI that fits it, or a resource without anything to fill in. */
  findTemplate(uri: string): { readonly variables: readonly string[]; readonly complete: Completers } | "plain" | undefined;
}

// Revision 2026-07-28 has -32602 in its place (server/resources, Error Handling).
const RESOURCE_NOT_FOUND = -32002;

export function resourceNotFound(uri: string, era: Era): RpcError {
  return new RpcError(era === "stateless" ? ErrorCode.invalidParams : RESOURCE_NOT_FOUND, "Resource not found", { uri });
}

interface TemplateHandling extends TemplateOptions {
  readonly run: TemplateReader;
}

export function createResources(pageSize: number, changed: () => void): Resources {
  const nextOrder = countUp();
  const plain = createRegistry<Resource, ResourceReader, undefined>({
    kind: "resource",
    keyOf: ({ uri }) => uri,
    check: checkResource,
    prepare: () => undefined,
    changed,
    nextOrder,
  });
  const templates = createRegistry<ResourceTemplate, TemplateHandling, UriTemplate>({
    kind: "resource template",
    keyOf: ({ uriTemplate }) => uriTemplate,
    check: checkResourceTemplate,
    prepare: ({ uriTemplate }) => parseUriTemplate(uriTemplate),
    changed,
    nextOrder,
  });
  let completes = false;

  const fitting = (uri: string) => {
    for (const entry of templates.entries()) {
      const values = entry.prepared.match(uri);
      if (values !== undefined) return { entry, values };
    }
    return undefined;
  };
  // A resource that is registered by itself is listed once, where it was registered.
  const listedBy = async (template: TemplateHandling, context: ServerContext): Promise<readonly Resource[]> => {
    const found = (await template.list?.(context)) ?? [];
    const problem = found.map(checkResource).find((wrong) => wrong !== undefined);
    if (problem !== undefined) throw malformedResult(`a template lists what is no resource: ${describeProblem(problem, "resource")}`);
    return found.filter(({ uri }) => plain.get(uri) === undefined);
  };

  return {
    get used() {
      return plain.used || templates.used;
    },
    get completes() {
      return completes;
    },
    add: plain.add,
    addTemplate(definition, run, options = {}) {
      const { complete = {} } = options;
      // One that is malformed is left to the registry.
      const known = checkResourceTemplate(definition) === undefined ? parseUriTemplate(definition.uriTemplate).variables : undefined;
      const stray = Object.keys(complete).find((name) => known?.includes(name) === false);
      if (stray !== undefined) throw new LocalError("invalid_argument", `${definition.uriTemplate} has no variable ${stray} to complete`);
      const entry = templates.add(definition, { ...options, run });
      completes ||= Object.keys(complete).length > 0;
      return {
        get definition() {
          return entry.definition;
        },
        update: (changes, newRun) => entry.update(changes, newRun === undefined ? undefined : { ...options, run: newRun }),
        remove: entry.remove,
      };
    },
    async list(params, context) {
      const cursor = readCursor("resources", params);
      const found: Placed<Resource>[] = [];
      const listing = templates.entries().map(({ order, handler }) => ({ order, templated: handler }));
      const all = [...plain.entries(), ...listing].sort((left, right) => left.order - right.order);
      for (const entry of all) {
        if (found.length > pageSize) break;
        if (cursor !== undefined && entry.order < cursor.order) continue;
        const { order } = entry;
        const items = "templated" in entry ? await listedBy(entry.templated, context) : [entry.definition];
        items.forEach((item, index) => {
          if (isAfter(cursor, { order, index })) found.push({ order, index, item });
        });
      }
      const { items, next } = takePage("resources", pageSize, found);
      return { resources: items, ...next };
    },
    listTemplates(params) {
      const { items, next } = pageOf("resources/templates", pageSize, params, templates.entries());
      return { resourceTemplates: items, ...next };
    },
    async read(params, context) {
      const problem = checkReadResourceParams(params);
      if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
      const uri = params["uri"] as string; // just checked
      const exact = plain.get(uri);
      if (exact !== undefined) return toResult(uri, exact.definition.mimeType, await exact.handler(uri, context), context);
      const found = fitting(uri);
      if (found === undefined) throw resourceNotFound(uri, context.era);
      const { entry, values } = found;
      return toResult(uri, entry.definition.mimeType, await entry.handler.run(uri, values, context), context);
    },
    knows: (uri) => plain.get(uri) !== undefined || fitting(uri) !== undefined,
    findTemplate(uri) {
      const entry = templates.get(uri) ?? (plain.get(uri) === undefined ? fitting(uri)?.entry : undefined);
      if (entry !== undefined) return { variables: entry.prepared.variables, complete: entry.handler.complete ?? {} };
      return plain.get(uri) === undefined ? undefined : "plain";
    },
  };
}

function toResult(uri: string, mimeType: string | undefined, outcome: ReadOutcome, { era }: ServerContext): JsonObject {
  if (outcome === undefined) throw resourceNotFound(uri, era);
  const about = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof outcome === "string") return { contents: [{ ...about, text: outcome }] };
  if (ArrayBuffer.isView(outcome)) {
    const bytes = new Uint8Array(outcome.buffer, outcome.byteOffset, outcome.byteLength);
    return { contents: [{ ...about, blob: base64Encode(bytes) }] };
  }
  if (isObject(outcome) && isInterim(outcome, era)) return outcome;
  const problem = checkReadResourceResult(outcome);
  if (problem !== undefined) throw malformedResult(`reading ${uri} gave no result: ${describeProblem(problem, "result")}`);
  return outcome;
}

function malformedResult(message: string): LocalError {
  return new LocalError("malformed_result", message);
}
