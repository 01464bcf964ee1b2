import type { JsonObject } from "../core/base/json.ts";
import { invalid, readStrings } from "./config.ts";
import { type FilePath, foldPathCase, hasSteps, isUnder, type PathRules, readPath } from "./uri/path.ts";

/** Where systems and programs keep keys and passwords, and the files that are no files. */
const SECRET_PATHS: readonly string[] = [
  ...["/proc", "/sys", "/dev", "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/master.passwd", "/etc/sudoers", "/etc/sudoers.d", "/root"],
  ...["/etc/kubernetes", "/run/secrets", "/var/run/secrets", "/run/docker.sock", "/var/run/docker.sock"],
  ...[".ssh", ".gnupg", ".aws/credentials", ".azure", ".kube/config", ".docker/config.json", ".config/gcloud", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".vault-token"],
];

/** A list of paths in a config. */
export const pathsSchema: JsonObject = { type: "array", items: { type: "string", pattern: "^[^*]+$" } };

/** The members `allow` and `deny` of a config. */
export interface PathLists {
  /** Whether a path lies under an entry of `allow`; undefined where there is no such list. */
  readonly isAllowed: ((path: FilePath) => boolean) | undefined;
  /** Whether a path lies under an entry of `deny`, or, if that is relative, has its steps anywhere. Case does not count. */
  isDenied(path: FilePath): boolean;
  /** Whether an entry of `deny` lies under a path. */
  holdsDenied(path: FilePath): boolean;
}

/** Reads both. Where systems keep secrets is denied unless the config says otherwise. Throws `invalid_argument` for an entry that is no plain path. */
export function readPathLists(config: JsonObject, rules: PathRules, owner: string): PathLists {
  const allowed = readPaths(config, "allow", rules, owner);
  const denied = (readPaths(config, "deny", rules, owner) ?? SECRET_PATHS.flatMap((path) => readingsOf(path, rules) ?? [])).map((path) => foldPathCase(withoutPrivate(path)));
  return {
    isAllowed: allowed && ((path) => allowed.some((prefix) => isUnder(path, prefix))),
    isDenied(path) {
      const folded = foldPathCase(withoutPrivate(path));
      return denied.some((entry) => (entry.root === "" ? hasSteps(folded, entry.steps) : isUnder(folded, entry)));
    },
    holdsDenied(path) {
      const folded = foldPathCase(withoutPrivate(path));
      return denied.some((entry) => isUnder(entry, folded));
    },
  };
}

const LINKED: ReadonlySet<string> = new Set(["etc", "var", "tmp"]);

// Where macOS has what its `/etc`, `/var` and `/tmp` link to.
function withoutPrivate(path: FilePath): FilePath {
  const [first = "", second = ""] = path.steps;
  return path.root === "/" && first.toLowerCase() === "private" && LINKED.has(second.toLowerCase()) ? { root: path.root, steps: path.steps.slice(1) } : path;
}

// An entry may be meant as it stands or percent-decoded, as the paths that are held against it.
function readPaths(config: JsonObject, member: "allow" | "deny", rules: PathRules, owner: string): readonly FilePath[] | undefined {
  return readStrings(config, member, owner)?.flatMap((text, index) => {
    const readings = readingsOf(text, rules);
    if (readings === undefined) throw invalid(owner, `${member}[${index}]`, "must be a path without .., ~ and *");
    return readings;
  });
}

function readingsOf(text: string, rules: PathRules): readonly FilePath[] | undefined {
  const readings = text === "" || text.includes("*") ? undefined : readPath(text, rules);
  return readings === undefined || "problem" in readings ? undefined : readings;
}
