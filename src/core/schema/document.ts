import { describeError, LocalError } from "../base/errors.ts";
import { cloneJson, formatPointer, isObject, ownMember, parsePointer, type JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { DRAFT_2020_12, eachSubschema, findDialect, isLoneRef, type Dialect } from "./dialect.ts";
import type { Check } from "./run.ts";
import { decodeFragment, resolveUri, splitFragment } from "./uri.ts";

/** One schema at one place of one document. */
export interface Node {
  readonly schema: unknown;
  readonly document: Document;
  /** From the root of the document. */
  readonly pointer: string;
  readonly place: Place;
  readonly resource: Resource;
  /** What problems call this place; a bare pointer in the main document. */
  readonly location: string;
  /** Set once, when the node is compiled. */
  check: Check;
  /** Steps that applying it costs at least: its keywords, listed names and constants. */
  weight: number;
  queued: boolean;
  /** Subschemas applied to the same value; a way round along them would never end. */
  readonly inPlace: Node[];
}

/** A schema with an identity of its own, and the anchors in it (2020-12 core, section 4.3.5). */
export interface Resource {
  readonly uri: string;
  readonly root: Node;
  readonly dialect: Dialect;
  readonly anchors: Map<string, Node>;
  readonly dynamicAnchors: Map<string, Node>;
}

export interface Document {
  /** Undefined for the schema being compiled. */
  readonly uri: string | undefined;
  readonly root: unknown;
  readonly nodes: Node[];
}

/**
 * A place in a document, and those below it by their steps. A map by pointers would do, but for a long name with many schemas below it: each of
 * their pointers is as long, and engines tell texts of more than 16,383 characters apart by comparing them (5,000 schemas took 42 s on Node 20).
 */
interface Place {
  node: Node | undefined;
  below: Map<string, Place> | undefined;
}

function newPlace(): Place {
  return { node: undefined, below: undefined };
}

function stepInto(place: Place, step: string): Place {
  place.below ??= new Map();
  let next = place.below.get(step);
  if (next === undefined) place.below.set(step, (next = newPlace()));
  return next;
}

/** The schema being compiled and the extra documents that its references reach; nothing is ever fetched. */
export interface Store {
  readonly root: Node;
  readonly resources: ReadonlyMap<string, Resource>;
  /** The node at `steps` below `parent`. Throws where the keyword there is of another shape. */
  child(parent: Node, ...steps: (string | number)[]): Node;
  /** The target of a reference from `node`, or a text that says why there is none. */
  resolve(reference: string, node: Node): Node | string;
}

const unset: Check = () => {
  throw new LocalError("invalid_argument", "a schema was used before it was compiled");
};

/** Each schema in a resource may have an identifier that begins with the resource's, so a long one is there many times. */
const MAX_URI_CHARS = 4_096;

/** Why something is malformed that stands where a schema should. */
export const NO_SCHEMA = "must be a schema: an object or a boolean";

/** The error for a schema that cannot be used, with the place as a JSON pointer in text and details. */
export function malformed(location: string, reason: string, cause?: unknown): LocalError {
  return new LocalError("invalid_argument", `the schema is unusable: ${location === "" ? "its root" : location} ${reason}`, {
    details: { pointer: location, reason },
    cause,
  });
}

export function createStore(schema: unknown, documents: ReadonlyMap<string, unknown>, limits: Limits): Store {
  const resources = new Map<string, Resource>();
  let count = 0;

  function addNode(document: Document, place: Place, pointer: string, subschema: unknown, parent: Resource | undefined, base: string): Node {
    if (++count > limits.maxSubschemas) throw malformed(pointer, `goes past ${limits.maxSubschemas} subschemas`);
    const location = document.uri === undefined ? pointer : `${document.uri}#${pointer}`;
    const node = (resource: Resource): Node => ({
      schema: subschema, document, pointer, place, resource, location, check: unset, weight: 1, queued: false, inPlace: [],
    });
    const own = ownResource(subschema, parent, base, location, node);
    const made = own?.root ?? node(parent!); // without a parent, ownResource has made one
    document.nodes.push(made);
    place.node = made;
    if (isObject(subschema)) addAnchors(subschema, made);
    return made;
  }

  function ownResource(
    subschema: unknown,
    parent: Resource | undefined,
    base: string,
    location: string,
    node: (resource: Resource) => Node,
  ): Resource | undefined {
    const members = isObject(subschema) ? subschema : {};
    const dialect = readDialect(members, parent, location);
    const id = isLoneRef(members, dialect) ? undefined : ownMember(members, "$id");
    if (id !== undefined && typeof id !== "string") throw malformed(`${location}/$id`, "must be a string");
    const { uri: path, fragment = "" } = splitFragment(id ?? "");
    if (fragment !== "" && dialect.draft !== "draft-07") throw malformed(`${location}/$id`, "must not have a fragment");
    if (parent !== undefined && path === "") return undefined;
    const uri = resolveUri(base, path);
    if (uri.length > MAX_URI_CHARS) throw malformed(`${location}/$id`, `makes an identifier of more than ${MAX_URI_CHARS} characters`);
    const resource: { -readonly [K in keyof Resource]: Resource[K] } = {
      // The two refer to each other; the root follows on the next line, before anyone reads it.
      uri, dialect, anchors: new Map(), dynamicAnchors: new Map(), root: undefined as unknown as Node,
    };
    resource.root = node(resource);
    if (resources.has(uri) && parent !== undefined && resources.get(uri)?.root.document === resource.root.document) {
      throw malformed(`${location}/$id`, "names a schema that has been named before");
    }
    if (!resources.has(uri)) resources.set(uri, resource);
    return resource;
  }

  function readDialect(members: JsonObject, parent: Resource | undefined, location: string): Dialect {
    // A document that names no dialect is read as the one that refers to it.
    const inherited = parent?.dialect ?? resources.values().next().value?.dialect ?? DRAFT_2020_12;
    const name = ownMember(members, "$schema");
    // Inside a resource the keyword has no say, 2020-12 core section 8.1.1.
    if (name === undefined || (parent !== undefined && !Object.hasOwn(members, "$id"))) return inherited;
    const found = typeof name === "string" ? findDialect(name, documents) : "must be a string";
    if (typeof found === "string") throw malformed(`${location}/$schema`, found);
    return found;
  }

  function addAnchors(members: JsonObject, node: Node): void {
    const { resource, location } = node;
    const add = (name: unknown, keyword: string, anchors: Map<string, Node>) => {
      if (typeof name !== "string" || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(name)) {
        throw malformed(`${location}/${keyword}`, "must be a name of letters, digits, '-', '.' and '_'");
      }
      if ((anchors.get(name) ?? node) !== node) throw malformed(`${location}/${keyword}`, "names an anchor that has been named before");
      anchors.set(name, node);
    };
    if (resource.dialect.draft === "draft-07") {
      const id = ownMember(members, "$id");
      if (typeof id !== "string" || isLoneRef(members, resource.dialect)) return;
      const { fragment = "" } = splitFragment(id);
      if (fragment !== "") add(fragment, "$id", resource.anchors);
      return;
    }
    if (Object.hasOwn(members, "$anchor")) add(members["$anchor"], "$anchor", resource.anchors);
    if (!Object.hasOwn(members, "$dynamicAnchor")) return;
    add(members["$dynamicAnchor"], "$dynamicAnchor", resource.anchors);
    add(members["$dynamicAnchor"], "$dynamicAnchor", resource.dynamicAnchors);
  }

  function index(start: Node): void {
    const open = [start];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const { schema: members, document, pointer, resource } = node;
      if (!isObject(members) || isLoneRef(members, resource.dialect) && pointer !== "") continue;
      eachSubschema(members, resource.dialect, (subschema, keyword, step) => {
        const steps = step === undefined ? [keyword] : [keyword, step];
        const place = steps.reduce((at: Place, next) => stepInto(at, String(next)), node.place);
        if (place.node === undefined) open.push(addNode(document, place, pointer + formatPointer(steps), subschema, resource, resource.uri));
      });
    }
  }

  function addDocument(source: unknown, uri: string | undefined): Node {
    let root: unknown;
    try {
      root = cloneJson(source, limits.maxDepth, limits.maxMessageBytes);
    } catch (error) {
      const pointer = error instanceof LocalError ? error.details?.["pointer"] : undefined;
      throw malformed(`${uri === undefined ? "" : `${uri}#`}${typeof pointer === "string" ? pointer : ""}`, describeError(error), error);
    }
    const node = addNode({ uri, root, nodes: [] }, newPlace(), "", root, undefined, uri ?? "");
    if (uri !== undefined && !resources.has(uri)) resources.set(uri, node.resource);
    index(node);
    return node;
  }

  /** Follows a pointer through whatever lies there, and makes a node where the index has none: a reference makes it a schema. */
  function follow(from: Node, pointer: string): Node | string {
    const steps = parsePointer(pointer);
    if (steps === undefined) return "is no JSON pointer";
    let value: unknown = from.schema;
    let { place } = from;
    let nearest = from;
    for (const step of steps) {
      if (Array.isArray(value) ? !/^(?:0|[1-9]\d*)$/.test(step) || !(step in value) : !isObject(value) || !Object.hasOwn(value, step)) {
        return "points to nothing";
      }
      value = (value as JsonObject)[step]; // a list or an object, which has this step
      place = stepInto(place, step);
      nearest = place.node ?? nearest;
    }
    if (place.node !== undefined) return place.node;
    const made = addNode(from.document, place, from.pointer + formatPointer(steps), value, nearest.resource, nearest.resource.uri);
    index(made);
    return made;
  }

  const root = addDocument(schema, undefined);
  return {
    root,
    resources,
    child(parent, ...steps) {
      let place: Place | undefined = parent.place;
      for (const step of steps) place = place?.below?.get(String(step));
      if (place?.node === undefined) throw malformed(parent.location + formatPointer(steps), NO_SCHEMA);
      return place.node;
    },
    resolve(reference, node) {
      const { uri, fragment = "" } = splitFragment(resolveUri(node.resource.uri, reference));
      let resource = uri === node.resource.uri ? node.resource : resources.get(uri);
      if (resource === undefined && documents.has(uri)) resource = addDocument(documents.get(uri), uri).resource;
      if (resource === undefined) return "refers to a document that is not at hand; nothing is fetched";
      const name = decodeFragment(fragment);
      if (name === undefined) return "has a malformed fragment";
      if (name === "" || name.startsWith("/")) return follow(resource.root, name);
      return resource.anchors.get(name) ?? "names no anchor of the document";
    },
  };
}
