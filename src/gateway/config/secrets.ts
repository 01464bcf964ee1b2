import { resolve } from "node:path";
import { describeError, LocalError } from "../../core/base/errors.ts";
import { DEFAULT_MAX_DEPTH, formatPointer, isObject, setMember, type JsonObject } from "../../core/base/json.ts";
import type { ChainLog } from "../../core/chain/report.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { readRegularFile } from "../../node/read-file.ts";
import { ConfigError, type ConfigProblem, type Problems } from "./problems.ts";

/** What a configuration has taken from outside, and may never show. */
export interface Secrets {
  /** The same text with `***` for each secret in it. Values of fewer than six characters are no secrets; above 1,000 the oldest are forgotten. */
  hide(text: string): string;
  /**
   * A value as it may be shown: a copy with every text in it hidden, names of members too. To be taken before a text is made of a value: what escapes, cuts or
   * wraps a text leaves of a secret what nobody finds any more.
   */
  hideIn<T>(value: T): T;
  /** Something that says the same as an error without them: the error itself, where it says none. */
  hideInError(error: unknown): unknown;
  /** Notes a value as secret. */
  add(value: string): void;
}

const SHORTEST = 6;

const MOST = 1_000;

// A message, and what it is told with.
const MOST_LEVELS = 2 * DEFAULT_MAX_DEPTH;

export function createSecrets(): Secrets {
  const known = new Map<string, readonly string[]>();
  let made: readonly string[] | undefined;
  // Longest first, so that one which holds another goes whole. Many may be added before any is looked for.
  const forms = () => (made ??= [...new Set([...known.values()].flat())].sort((left, right) => right.length - left.length));
  const hide = (text: string) => forms().reduce((hidden, form) => hidden.replaceAll(form, "***"), text);
  const hideWithin = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return hide(value);
    if (typeof value !== "object" || value === null) return value;
    // Deeper than any message; a ring, most likely.
    if (depth > MOST_LEVELS) return "…";
    const within = (one: unknown) => hideWithin(one, depth + 1);
    if (Array.isArray(value)) return value.map(within);
    if (value instanceof Map) return new Map([...value].map(([name, one]) => [within(name), within(one)]));
    if (value instanceof Set) return new Set([...value].map(within));
    const copy: JsonObject = {};
    for (const [name, one] of Object.entries(value)) setMember(copy, hide(name), within(one));
    return copy;
  };
  return {
    hide,
    // The copy has the shape of what it is made of, other classes than these apart, which nothing that is shown holds.
    hideIn: <T>(value: T) => (known.size === 0 ? value : (hideWithin(value, 0) as T)),
    hideInError(error) {
      const text = describeError(error);
      const hidden = hide(text);
      if (hidden === text) return error;
      if (error instanceof ConfigError) return new ConfigError(hideWithin(error.problems, 0) as readonly ConfigProblem[], error.what);
      return error instanceof LocalError ? new LocalError(error.code, hidden) : hidden;
    },
    add(value) {
      if (value.length < SHORTEST) return;
      known.delete(value);
      known.set(value, formsOf(value).filter((form) => form.length >= SHORTEST));
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
      made = undefined;
    },
  };
}

/** As it stands in a text, in JSON, in JSON that a text of JSON holds, as a part of a host's name, and of a path, a user's name and a query of a URL. */
function formsOf(secret: string): readonly string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const url = new URL("http://h/");
  url.username = secret;
  url.pathname = secret;
  return [secret, quoted, JSON.stringify(quoted).slice(1, -1), secret.toLowerCase(), url.pathname.slice(1), url.username, new URLSearchParams({ v: secret }).toString().slice(2)];
}

/** The same log, without secrets. */
export function hidingLog(log: Log, { hideIn, hideInError }: Pick<Secrets, "hideIn" | "hideInError">): Log {
  return ({ level, error, ...entry }) => log({ ...hideIn(entry), level, ...(error === undefined ? {} : { error: hideInError(error) }) });
}

/** The same log of a chain, without secrets. */
export function hidingChainLog(log: (entry: ChainLog) => void, { hideIn, hideInError }: Pick<Secrets, "hideIn" | "hideInError">): (entry: ChainLog) => void {
  return ({ level, phase, reason, thrown, ...entry }) => log({ ...hideIn(entry), level, ...(phase && { phase }), ...(reason && { reason }), ...(thrown === undefined ? {} : { thrown: hideInError(thrown) }) });
}

export interface ResolveOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What relative paths are relative to. */
  readonly folder: string;
  readonly secrets: Secrets;
  readonly problems: Problems;
}

export interface Resolved {
  readonly value: unknown;
  /** Absolute paths of the files that were read. */
  readonly files: readonly string[];
}

const MAX_FILE_BYTES = 64 * 1024;

// `$${` keeps the braces; `${` opens a reference, which ends at the next brace.
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/**
 * Puts in what texts refer to: `${NAME}` the variable of the environment, `${NAME:-otherwise}` with a default where it is not set or empty,
 * `${file:PATH}` the content of a file without the line end after it. `$${` stands for `${`. Names of members are left alone. A copy.
 */
export function resolveReferences(config: unknown, { env, folder, secrets, problems }: ResolveOptions): Resolved {
  const files = new Set<string>();

  const lookUp = (reference: string): { readonly value: string; readonly secret: boolean } | string => {
    if (reference.startsWith("file:")) {
      const path = resolve(folder, reference.slice("file:".length));
      files.add(path);
      return readSecretFile(path);
    }
    const match = VARIABLE.exec(reference);
    if (match === null) return "holds a reference that is none: it takes ${NAME}, ${NAME:-default} or ${file:PATH}, and $${ stands for a plain ${";
    const [, name = "", otherwise] = match;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== "" || otherwise === undefined)) return { value, secret: true };
    if (otherwise !== undefined) return { value: otherwise, secret: false };
    return `needs the environment variable ${name}, which is not set; set it, or give a default as in \${${name}:-default}`;
  };

  const resolveText = (text: string, path: readonly (string | number)[]): string =>
    text.replace(REFERENCE, (whole: string, reference: string | undefined, closing: string | undefined) => {
      if (reference === undefined) return "${";
      const found = closing === "" ? "holds ${ without a } after it; $${ stands for a plain ${" : lookUp(reference);
      if (typeof found === "string") {
        problems.add(formatPointer(path), found);
        return whole;
      }
      if (found.secret) secrets.add(found.value);
      return found.value;
    });

  const walk = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof value === "string") return value.includes("${") ? resolveText(value, path) : value;
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    // What a module hands over may hold more than data.
    if (!isObject(value) || !isRecord(value)) return value;
    const copy: JsonObject = {};
    for (const name of Object.keys(value)) setMember(copy, name, walk(value[name], [...path, name]));
    return copy;
  };

  return { value: walk(config, []), files: [...files] };
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function readSecretFile(path: string): { readonly value: string; readonly secret: true } | string {
  try {
    return { value: readRegularFile(path, MAX_FILE_BYTES).toString("utf8").replace(/\r?\n$/, ""), secret: true };
  } catch (thrown) {
    if (thrown instanceof LocalError) return `refers to ${path}, which ${thrown.message}`;
    return `refers to a file that cannot be read: ${describeError(thrown)}`;
  }
}
