import { resolve } from "node:path";
import { describeError, LocalError } from "../../core/base/errors.ts";
import { formatPointer, isObject, setMember, type JsonObject } from "../../core/base/json.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { readRegularFile } from "../../node/read-file.ts";
import type { Problems } from "./problems.ts";

/** What a configuration has taken from outside, and may never show. */
export interface Secrets {
  /** The same text with `***` for each secret in it. Values of fewer than six characters are no secrets; above 1,000 the oldest are forgotten. */
  hide(text: string): string;
  /** Something that says the same as an error without them: the error itself, where it says none. */
  hideIn(error: unknown): unknown;
  /** Notes a value as secret. */
  add(value: string): void;
}

const SHORTEST = 6;

const MOST = 1_000;

export function createSecrets(): Secrets {
  const known = new Set<string>();
  // Longest first, so that one which holds another goes whole.
  let forms: readonly string[] = [];
  const hide = (text: string) => forms.reduce((hidden, form) => hidden.replaceAll(form, "***"), text);
  return {
    hide,
    hideIn(error) {
      const text = describeError(error);
      const hidden = hide(text);
      if (hidden === text) return error;
      return error instanceof LocalError ? new LocalError(error.code, hidden) : hidden;
    },
    add(value) {
      if (value.length < SHORTEST) return;
      known.delete(value);
      known.add(value);
      const [oldest] = known;
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
      // As it stands in a text, as it would in JSON, and as a part of a host's name.
      forms = [...new Set([...known].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), one.toLowerCase()]))].sort((left, right) => right.length - left.length);
    },
  };
}

/** The same log, without secrets. */
export function hidingLog(log: Log, { hide, hideIn }: Secrets): Log {
  return ({ error, ...entry }) => log({ ...entry, message: hide(entry.message), ...(error === undefined ? {} : { error: hideIn(error) }) });
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
