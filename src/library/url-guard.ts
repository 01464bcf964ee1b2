import { type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { namedBy } from "./argument-names.ts";
import { invalid, readBoolean, readConfig, readPatterns, readStrings } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";
import { firstInRequest, REQUESTS_WITH_ARGUMENTS } from "./request-strings.ts";
import type { FoundString } from "./strings.ts";
import { deceptiveHost } from "./uri/deceptive-host.ts";
import { compileHostPattern, isMetadata, notPublic, type UrlHost } from "./uri/host.ts";
import { hasUser, parseHostPort, parseUrl, schemeOf, trimControls, type Unreadable, type UrlTarget, urlsIn } from "./uri/url.ts";

/** Where URLs in arguments may lead. */
export interface UrlGuardConfig {
  /** Schemes that a URL may have; `http` and `https` unless given. */
  readonly schemes?: readonly string[];
  /** Hosts that pass, public or not: a name, an address, or `*.example.com` for all names below one. */
  readonly allow?: readonly string[];
  /** Hosts that do not pass; wins over `allow`. */
  readonly deny?: readonly string[];
  /** Whether hosts that `allow` does not name pass if they are public. `true` unless given. */
  readonly public?: boolean;
  /** Whether URLs in the middle of a text are judged, or those of cloud metadata alone; `true` unless given. Documents mention `http://localhost:3000`. */
  readonly mentions?: boolean | "metadata";
  /** Names of arguments, or `prefix*`, that hold a URL or a host, beside those that are called so (`url`, `webhook_url`, `host` …). */
  readonly arguments?: readonly string[];
}

const OWNER = "url-guard";
const hosts: JsonObject = { type: "array", items: { type: "string", pattern: "^(?:\\*\\.)?[^*/@\\s]+$" } };

export const urlGuardConfigSchema: JsonObject = {
  type: "object",
  properties: {
    schemes: { type: "array", items: { type: "string", pattern: "^[a-z][a-z0-9+.-]*$" } },
    allow: hosts,
    deny: hosts,
    public: { type: "boolean" },
    mentions: { enum: [true, false, "metadata"] },
    arguments: patternsSchema,
  },
  additionalProperties: false,
};

/**
 * A validator that keeps requests from reaching hosts that are not public (SSRF), by any URL in the arguments of a call or prompt, and by the URI of a
 * resource: private, loopback, link-local and metadata addresses in every spelling, names that stand for them, and URLs that
 * parsers do not agree on. It resolves no name. Throws `invalid_argument` for a wrong config.
 */
export function urlGuard(config: UrlGuardConfig = {}): Interceptor {
  const judgeFor = perCall(config, compileUrlGuard);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses URLs in arguments that reach other than public hosts, or that parsers read in different ways.",
      hooks: [{ events: REQUESTS_WITH_ARGUMENTS, phase: "request" }],
      configSchema: urlGuardConfigSchema,
    },
    ({ payload, event, config: called }) => {
      const judge = judgeFor(called);
      return firstInRequest(event, payload, (found) => {
        const problem = judgeFound(found, judge);
        return problem === undefined ? undefined : deny(`A URL ${problem}`, { path: found.path() });
      }, { names: true, numbers: true }) ?? allow();
    },
  );
}

// Arguments that hold a URL or a host and nothing else. Not `uri`, which may have a scheme of the server's own.
const URL_WORDS: ReadonlySet<string> = new Set(["url", "href", "endpoint", "webhook", "website", "host", "hostname", "proxy"]);
// Arguments that hold a URL, a URI of a server's own, or a name. An address there is opened.
const LINK_WORDS: ReadonlySet<string> = new Set(["uri", "link", "callback", "redirect"]);
// Arguments that name a machine as well as what is written down about one. So a name there may be anything, and an address may be one of a list.
const MACHINE_WORDS: ReadonlySet<string> = new Set(["server", "domain", "origin", "peer", "upstream", "target"]);
const ADDRESS_WORDS: ReadonlySet<string> = new Set(["ip", "ipv", "address", "addr"]);
// Of a picture, or of a packet.
const SOURCE_WORDS: ReadonlySet<string> = new Set(["src"]);
const MACHINE = /^\[?(?=[^\s/?#@]*[.:\u3002\uff0e\uff61]|\d{7,}|0x)[^\s/?#@]{2,253}$/i;
// What most such values without four parts are, though parsers take them for addresses as well.
const NUMBER_OR_VERSION = /^\d+(?:\.\d+){0,2}$/;
// Schemes that libraries for requests or files open (curl, PHP, Java and Python have them all between them). Others name things of a server's own.
const OPENED: ReadonlySet<string> = new Set([
  ...["http", "https", "ws", "wss", "ftp", "ftps", "sftp", "scp", "ssh", "file", "gopher", "gophers", "dict", "ldap", "ldaps", "tftp", "telnet", "smb", "smbs", "cifs", "nfs"],
  ...["imap", "imaps", "pop3", "pop3s", "smtp", "smtps", "rtsp", "rtmp", "mqtt", "jar", "netdoc", "php", "phar", "expect", "glob", "zip", "url", "view-source", "javascript"],
]);
const BREAKS = /[\t\r\n]/;
const HOST_AND_PORT = /^[^/?#\\@:]*:\d{1,5}(?:[/?#]|$)/;
// Parsers take `http:host` for `http://host`.
const WITHOUT_SLASHES = /^(?:https?|wss?|ftp):[^\s/\\]/i;
const MAX_START_CHARS = 2_000;

/** What is wrong with a string that an argument of this name has; undefined where nothing is. */
type JudgeText = (text: string, argument: string | undefined) => string | undefined;

// Numbers below count something: 1.0.0.0 is the first address that hosts have.
const LEAST_ADDRESS = 0x0100_0000;

function judgeFound({ text, member, holder, isNumber }: FoundString, judge: JudgeText): string | undefined {
  if (isNumber === true) return Number(text) >= LEAST_ADDRESS && Number(text) < 2 ** 32 ? judge(text, member) : undefined;
  // What an object under such a name has may be options, too: their names have no dot.
  return judge(text, member ?? (/[.:]|^\d+$/.test(text) ? holder : undefined));
}

function readMentions(value: unknown): boolean | "metadata" {
  if (value === undefined) return true;
  if (value === true || value === false || value === "metadata") return value;
  throw invalid(OWNER, "mentions", 'must be true, false or "metadata"');
}

function compileUrlGuard(value: unknown): JudgeText {
  const config = readConfig(value, ["schemes", "allow", "deny", "public", "mentions", "arguments"], OWNER);
  const schemes = new Set((readStrings(config, "schemes", OWNER) ?? ["http", "https"]).map(readScheme));
  const allowed = readHosts(config, "allow");
  const denied = readHosts(config, "deny");
  const publicPass = readBoolean(config, "public", OWNER) ?? true;
  const mentions = readMentions(ownMember(config, "mentions"));
  const named = compilePatterns(readPatterns(config, "arguments", OWNER) ?? []);

  const hostProblem = (host: UrlHost): string | undefined => {
    if (denied.some((matches) => matches(host))) return "reaches a host that is denied";
    if (allowed.some((matches) => matches(host))) return undefined;
    if (!publicPass) return "reaches a host that is not allowed";
    const what = notPublic(host);
    if (what !== undefined) return `reaches ${what}`;
    const deceptive = deceptiveHost(host);
    // What cannot be read names no host that others have.
    return deceptive === undefined || deceptive === "unreadable" ? undefined : `reaches a host whose name ${deceptive === "mixed" ? "mixes scripts" : "looks like another"}`;
  };
  const targetProblem = (target: UrlTarget | Unreadable): string | undefined => {
    if ("problem" in target) return target.problem;
    if (!schemes.has(target.scheme)) return "has a scheme that is not allowed";
    return target.host === null ? undefined : hostProblem(target.host);
  };
  const metadataProblem = (target: UrlTarget | Unreadable): string | undefined =>
    "problem" in target || target.host === null || !isMetadata(target.host) ? undefined : hostProblem(target.host);
  const hostPortProblem = (text: string): string | undefined => {
    const target = parseHostPort(text);
    return "problem" in target ? target.problem : target.host === null ? undefined : hostProblem(target.host);
  };
  /** What is wrong with the address of a machine; of others, with that of cloud metadata, which is none that anybody keeps a list of. */
  const machineProblem = (text: string, isMachine: boolean): string | undefined => {
    const target = MACHINE.test(text) ? parseHostPort(/^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text) : undefined;
    if (target === undefined || "problem" in target || target.host === null) return undefined;
    return isMetadata(target.host) || (isMachine && !NUMBER_OR_VERSION.test(text) && target.host.readings !== undefined) ? hostProblem(target.host) : undefined;
  };
  const addressProblem = (text: string, argument: string): string | undefined => {
    const isLink = namedBy(LINK_WORDS, argument) || namedBy(SOURCE_WORDS, argument);
    const isMachine = namedBy(LINK_WORDS, argument) || namedBy(MACHINE_WORDS, argument);
    if (!isLink && !isMachine && !namedBy(ADDRESS_WORDS, argument)) return undefined;
    return machineProblem(isLink ? text.replace(/^[/\\]{2}/, "").replace(/[/?#][^]*$/, "") : text, isMachine);
  };
  const wholeProblem = (text: string): string | undefined => {
    const target = parseUrl(text);
    return target && targetProblem(target);
  };
  const valueProblem = (text: string): string | undefined => {
    if (text === "" || /^data:/i.test(text)) return undefined;
    if (BREAKS.test(text)) return "has line breaks in it";
    if (HOST_AND_PORT.test(text) || /^[/\\]{2}/.test(text)) return hostPortProblem(text);
    if (schemeOf(text) !== undefined) return wholeProblem(text);
    return /^[/?#.]/.test(text) ? undefined : hostPortProblem(text);
  };
  const firstProblem = (text: string, judge = targetProblem): string | undefined => {
    for (const target of urlsIn(text)) {
      const problem = judge(target);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

  return (text, argument) => {
    const trimmed = trimControls(text);
    const holdsUrl = argument !== undefined && (named(argument) || namedBy(URL_WORDS, argument));
    if (holdsUrl) return valueProblem(trimmed) ?? firstProblem(trimmed);
    const problem = argument === undefined ? undefined : addressProblem(trimmed, argument);
    if (problem !== undefined) return problem;
    const start = trimmed.slice(0, MAX_START_CHARS);
    // Whoever fetches a value drops the line breaks in it; as a mention, a URL ends there. So both ways are judged.
    const joined = BREAKS.test(start) ? start.replace(/[\t\r\n]/g, "") : start;
    const startsWithUrl = OPENED.has(schemeOf(joined) ?? "");
    if (startsWithUrl) {
      const problem = WITHOUT_SLASHES.test(joined) ? "has no slashes after its scheme" : hasUser(joined) ? "has a user name or password in it" : /\s/.test(trimmed) ? undefined : wholeProblem(trimmed);
      if (problem !== undefined) return problem;
    }
    if (!startsWithUrl && mentions === false) return undefined;
    const judge = startsWithUrl || mentions === true ? targetProblem : metadataProblem;
    return (joined === start ? undefined : firstProblem(joined, judge)) ?? firstProblem(text, judge);
  };
}

function readScheme(scheme: string, index: number): string {
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) throw invalid(OWNER, `schemes[${index}]`, "must be a scheme in lower case, without a colon");
  return scheme;
}

function readHosts(config: JsonObject, member: "allow" | "deny"): readonly ((host: UrlHost) => boolean)[] {
  return (readStrings(config, member, OWNER) ?? []).map((pattern, index) => {
    const compiled = compileHostPattern(pattern, member === "deny" ? "some" : "every");
    if (compiled === undefined) throw invalid(OWNER, `${member}[${index}]`, "must be a host, an address, or *. and a host");
    return compiled;
  });
}
