import { LocalError } from "../base/errors.ts";
import type { HeaderList, HeaderMap } from "./exchange.ts";

// A page that a browser shows may send requests to any address that its own name is made to resolve to (DNS rebinding). Such a request has that
// name in Host and in Origin, and by these it is refused, before anything of its body is read.

/** Which names and pages a server over HTTP is there for, against DNS rebinding (MCP, Transports, Security Warning). */
export interface HostCheckOptions {
  /**
   * Names, or names with a port, that requests may be for, such as `mcp.example.com` or `localhost:3000`; without a port, any will do. `"any"` does
   * not look, for servers that no browser can reach by a name of somebody else's. Default: `localhost`, `127.0.0.1` and `[::1]`.
   */
  readonly allowedHosts?: readonly string[] | "any";
  /**
   * Origins of pages that may call, such as `https://app.example.com`; they get CORS headers. Pages from one of `allowedHosts` may call too, as far
   * as their browser lets them; those get none. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

export interface HostCheck {
  /** What is wrong with a request's Host or Origin, or nothing. */
  refusal(headers: HeaderMap): string | undefined;
  /** The CORS headers of an answer; none where the page's origin is not on the list. */
  cors(headers: HeaderMap): HeaderList;
  /** The headers that answer a browser's question beforehand. */
  preflight(headers: HeaderMap): HeaderList;
}

const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether an address to listen on is one that this machine alone reaches. */
export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || LOOPBACK_HOSTS.includes(address);
}

/** The names that clients call a server by which listens on a loopback address, that address among them. */
export function loopbackHosts(address = "127.0.0.1"): readonly string[] {
  return [...LOOPBACK_HOSTS, address.includes(":") && !address.startsWith("[") ? `[${address}]` : address];
}

interface Authority {
  readonly name: string;
  readonly port: string | undefined;
}

/** Reads `name`, `name:port`, `[v6]` or `[v6]:port`, in lower case. `undefined` for what is none of these, whatever it starts with. */
export function parseAuthority(text: string): Authority | undefined {
  // Case is folded after the look: there are letters beyond ASCII that fold into it.
  const match = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_](?:[0-9A-Za-z._-]*[0-9A-Za-z_])?)(?::([0-9]{1,5}))?$/.exec(text);
  return match === null ? undefined : { name: (match[1] ?? "").toLowerCase(), port: match[2] };
}

const NONE: HeaderList = [];
const ASCII = /^[\x21-\x7e]*$/;
const EXPOSED = "Mcp-Session-Id, WWW-Authenticate";
const METHODS = "POST, GET, DELETE";

export function createHostCheck({ allowedHosts = LOOPBACK_HOSTS, allowedOrigins = [] }: HostCheckOptions): HostCheck {
  if (allowedHosts !== "any" && !Array.isArray(allowedHosts)) throw new LocalError("invalid_argument", 'allowedHosts is a list of names, or "any"');
  if (!Array.isArray(allowedOrigins)) throw new LocalError("invalid_argument", "allowedOrigins is a list of origins");
  const hosts = allowedHosts === "any" ? undefined : allowedHosts.map(parseAllowedHost);
  const origins = new Set(allowedOrigins.map(parseAllowedOrigin));
  const allows = (text: string) => {
    const authority = parseAuthority(text);
    return authority !== undefined && (hosts?.some(({ name, port }) => name === authority.name && (port === undefined || port === authority.port)) ?? true);
  };
  const isListed = (origin: string) => ASCII.test(origin) && origins.has(origin.toLowerCase());
  // A server sees few different values, over and over; only good ones are remembered, so that the list is bounded by who may call.
  const remembering = (check: (value: string) => boolean) => {
    const good = new Set<string>();
    return (value: string) => {
      if (good.has(value)) return true;
      if (!check(value)) return false;
      if (good.size < 1_000) good.add(value);
      return true;
    };
  };
  const hostAllowed = remembering(allows);
  const originAllowed = remembering((origin) => {
    if (isListed(origin)) return true;
    const scheme = /^https?:\/\//i.exec(origin);
    // Where any host will do, a page's origin proves nothing unless it is listed.
    return scheme !== null && hosts !== undefined && allows(origin.slice(scheme[0].length));
  });

  return {
    refusal(headers) {
      if (hosts !== undefined) {
        const host = headers.get("host");
        if (host === undefined) return "the header Host is missing";
        if (!hostAllowed(host)) return "the header Host names a server that this one is not (allowedHosts)";
      }
      const origin = headers.get("origin");
      if (origin !== undefined && !originAllowed(origin)) return "requests from pages of this Origin are not allowed (allowedOrigins)";
      return undefined;
    },
    cors(headers) {
      if (origins.size === 0) return NONE;
      const origin = headers.get("origin");
      // Caches must tell apart who asked, whether or not they may read the answer.
      if (origin === undefined || !isListed(origin)) return [["vary", "Origin"]];
      return [["vary", "Origin"], ["access-control-allow-origin", origin], ["access-control-expose-headers", EXPOSED]];
    },
    preflight(headers) {
      const cors = this.cors(headers);
      if (cors.length < 2) return cors;
      // Names that the page asks for: Mcp-Param-* headers cannot be listed beforehand.
      const wanted = headers.get("access-control-request-headers");
      const allowed = wanted !== undefined && /^[\w!#$%&'*+.^`|~, -]{1,4096}$/.test(wanted) ? wanted : "Content-Type";
      return [...cors, ["access-control-allow-methods", METHODS], ["access-control-allow-headers", allowed], ["access-control-max-age", "600"]];
    },
  };
}

// Both are told by JavaScript, too, which lets any value through.
function parseAllowedHost(text: string): Authority {
  const authority = typeof text === "string" ? parseAuthority(text) : undefined;
  if (authority === undefined) throw new LocalError("invalid_argument", `allowedHosts takes names such as example.com or [::1]:3000; got ${JSON.stringify(text)}`);
  return authority;
}

function parseAllowedOrigin(text: string): string {
  const lower = typeof text === "string" ? text.toLowerCase() : "";
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//.exec(lower);
  if (scheme === null || parseAuthority(lower.slice(scheme[0].length)) === undefined) {
    throw new LocalError("invalid_argument", `allowedOrigins takes origins such as https://app.example.com; got ${JSON.stringify(text)}`);
  }
  return lower;
}
