import { parseUrl } from "./url.ts";

/** A path as whoever opens it will read it: steps from a root, or from wherever the server stands. */
export interface FilePath {
  /** `/`, a drive in upper case (`C:`), or the empty string for a relative path. */
  readonly root: string;
  /** Without empty ones and `.`; in lower case on a drive. */
  readonly steps: readonly string[];
}

/** A path that must not be opened, and why, for a message. */
export interface BadPath {
  readonly problem: string;
}

export interface PathRules {
  /** Whether each path is one of Windows, not only those with a drive or a backslash. */
  readonly windows: boolean;
}

const MAX_PATH_CHARS = 32_768;
const MAX_DECODINGS = 4;

/**
 * All readings of a path: as it stands, percent-decoded once and more often, and with other writings of dots and slashes as ASCII, since one of the
 * programs that it goes through may do so. Bad if one of the readings is: `..`, a NUL or another control character, a home directory, another
 * host, and what Windows takes for something else than it looks like.
 */
export function readPath(text: string, rules: PathRules): readonly FilePath[] | BadPath {
  if (text.length > MAX_PATH_CHARS) return { problem: "is too long" };
  const readings: FilePath[] = [];
  const plain = text.replace(/[\uff05\ufe6a]/g, "%");
  const isFileUri = /^file:/i.test(plain);
  let current = isFileUri ? ofFileUri(plain) : plain;
  for (let round = 0; typeof current === "string" && round <= MAX_DECODINGS; round++) {
    for (const written of new Set([current, foldPath(current)])) {
      const path = parsePath(isFileUri ? withDrive(written) : written, rules);
      if ("problem" in path) return path;
      readings.push(path);
      // Elsewhere a backslash is a character of a name.
      if (written.includes("\\") && !rules.windows && !path.root.endsWith(":")) readings.push(withSteps(written.startsWith("/") ? "/" : "", written.split("/")));
    }
    const decoded = decode(current);
    if (decoded === current) return readings;
    current = decoded;
  }
  return typeof current === "string" ? { problem: "is percent-encoded too many times" } : current;
}

/** The path of a `file:` URI, percent-encoded as it stands. */
function ofFileUri(text: string): string | BadPath {
  const target = parseUrl(text);
  if (target === undefined || "problem" in target) return { problem: "is a file URI that cannot be read" };
  if (target.host !== null && target.host.name !== "localhost") return { problem: "is on another host" };
  if (/[?#]/.test(text)) return { problem: "is a file URI with a query or fragment" };
  return text.slice("file:".length).replace(/^\/\/(?:localhost)?(?=\/)/i, "");
}

// `/c:/x`, `/c|/x`, and `/c%3A/x`, which is what editors write, are `c:/x`.
function withDrive(path: string): string {
  return path.replace(/^\/?([a-z])(?::|\||%3a|%7c)/i, "$1:");
}

// Escapes that are no UTF-8 (`%c0%ae`, an overlong dot) and those of no standard (`%u002e`) are read in different ways. A `%` without two digits
// after it is an ordinary character.
function decode(text: string): string | BadPath {
  if (!text.includes("%")) return text;
  if (/%u[0-9a-f]{4}/i.test(text)) return { problem: "has an escape that is no UTF-8" };
  let broken = false;
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      broken = true;
      return run;
    }
  });
  return broken ? { problem: "has an escape that is no UTF-8" } : decoded;
}

/** Full-width and other look-alikes of dots, slashes and backslashes as ASCII; what cannot be seen is left out. */
function foldPath(text: string): string {
  if (!/[^\u0000-\u007f]/.test(text)) return text;
  return text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[\u2044\u2215\u29f8\u2571\u1735]/g, "/")
    .replace(/[\u2216\u29f5\u29f9\u2572]/g, "\\");
}

const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9\u00b9\u00b2\u00b3]|lpt[1-9\u00b9\u00b2\u00b3])(?:[ .:]|$)/i;
const SHORT_NAME = /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/;

function parsePath(text: string, rules: PathRules): FilePath | BadPath {
  if (/[\u0000-\u001f\u007f]/.test(text)) return { problem: "has a control character in it" };
  if (/^[/\\]{2}/.test(text)) return { problem: "is on another host, or a device" };
  if (/^~[-.\w]*(?:[/\\]|$)/.test(text)) return { problem: "starts at a home directory" };
  if (/^(?:\$\{?[A-Z_]|%[A-Z_]+%)/.test(text)) return { problem: "starts with a variable" };
  const drive = /^[a-z]:/i.exec(text)?.[0];
  const rest = drive === undefined ? text : text.slice(2);
  if (drive !== undefined && rest !== "" && !/^[/\\]/.test(rest)) return { problem: "is relative to a drive" };
  const windows = rules.windows || drive !== undefined || text.includes("\\");
  const steps = rest.split(/[/\\]/);
  for (const step of steps) {
    if (isUpwards(step)) return { problem: "leads upwards" };
    if (/:(?::|\$)/.test(step) || (windows && step.includes(":"))) return { problem: "names a stream" };
    if (windows && RESERVED.test(step)) return { problem: "names a device" };
    if (windows && SHORT_NAME.test(step)) return { problem: "has a short name in it" };
    if (windows && step !== "." && /[ .]$/.test(step)) return { problem: "has a name that ends with a dot or a space" };
  }
  const root = drive !== undefined ? drive.toUpperCase() : /^[/\\]/.test(rest) ? "/" : "";
  const path = withSteps(root, steps);
  return drive === undefined ? path : foldPathCase(path);
}

// Windows drops spaces and dots at the end of a name, some servers what follows a semicolon; `...` is a pattern of some tools.
function isUpwards(step: string): boolean {
  return /^\s*\.\s*\.[\s.]*(?:;|$)/.test(step) && step !== "...";
}

/**
 * Why a URI of any scheme must not be taken for a place in a tree: a step upwards in one of its readings, in its path or query, or escapes that cannot be read.
 * Undefined where nothing is wrong.
 */
export function uriProblem(uri: string): string | undefined {
  if (uri.length > MAX_PATH_CHARS) return "is too long";
  let current: string | BadPath = uri.replace(/[\uff05\ufe6a]/g, "%");
  for (let round = 0; typeof current === "string" && round <= MAX_DECODINGS; round++) {
    // Parsers drop control characters, or end there.
    const written = foldPath(current).replace(/[\u0000-\u001f\u007f]/g, "");
    if (written.split(/[/\\:?#&=]/).some(isUpwards)) return "leads upwards";
    const decoded = decode(current);
    if (decoded === current) return undefined;
    current = decoded;
  }
  return typeof current === "string" ? "is percent-encoded too many times" : current.problem;
}

function withSteps(root: string, steps: readonly string[]): FilePath {
  return { root, steps: steps.filter((step) => step !== "" && step !== ".") };
}

/** Whether a path is the prefix or lies under it. */
export function isUnder(path: FilePath, prefix: FilePath): boolean {
  return path.root === prefix.root && prefix.steps.every((step, index) => path.steps[index] === step);
}

/** Whether these steps come one after the other anywhere in a path. */
export function hasSteps(path: FilePath, steps: readonly string[]): boolean {
  return path.steps.some((_, from) => steps.every((step, index) => path.steps[from + index] === step));
}

/** A path as it compares where case does not count. */
export function foldPathCase({ root, steps }: FilePath): FilePath {
  return { root, steps: steps.map(foldCase) };
}

function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
