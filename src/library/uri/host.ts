import { endsInNumber, type IpAddress, leadingIpv4, METADATA, parseIpv4, parseIpv6, reachedAddress, specialAddress } from "./ip-address.ts";

/** The host of a URL as whoever fetches it will read it. */
export interface UrlHost {
  readonly name: string;
  /** Of an address: the addresses that it may be, as some read leading zeros as octal, others as decimal. */
  readonly readings?: readonly IpAddress[];
}

const MAX_HOST_CHARS = 1_000;
// What cannot be seen, such as soft hyphens, zero-width characters and variation selectors of any plane: host names may not have it, and parsers drop it.
const IGNORED = /\p{Default_Ignorable_Code_Point}/u;
const OTHER_DOTS = /[\u3002\uff0e\uff61]/g;
// Everything that a host may not have (WHATWG URL, forbidden domain code points), and the rest of ASCII that no name in the DNS has.
const FORBIDDEN = /[^-.0-9A-Z_a-z\u00a1-\u{10ffff}]/u;

/**
 * The text of a host as parsers fold it: percent-decoded, other writings of letters, digits and dots (full-width, circled) as ASCII, lower case.
 * Undefined where its escapes are broken, it is too long, or it has characters that some parsers drop.
 */
export function foldHost(raw: string): string | undefined {
  if (raw.length > MAX_HOST_CHARS) return undefined;
  let text = raw;
  if (raw.includes("%")) {
    try {
      text = decodeURIComponent(raw);
    } catch {
      return undefined;
    }
  }
  if (IGNORED.test(text)) return undefined;
  // The dots once before, as one of them has no ASCII form of its own, and once after, for those that a form contains.
  return text.replace(OTHER_DOTS, ".").normalize("NFKC").replace(OTHER_DOTS, ".").toLowerCase();
}

/** The host in a folded text, `[…]` of an IPv6 address included. Undefined for what cannot be one. One dot at its end is dropped. */
export function parseHost(folded: string): UrlHost | undefined {
  if (folded.startsWith("[")) {
    const address = folded.endsWith("]") ? parseIpv6(folded.slice(1, -1)) : undefined;
    return address === undefined ? undefined : { name: folded, readings: [address] };
  }
  const name = folded.endsWith(".") ? folded.slice(0, -1) : folded;
  if (name === "" || FORBIDDEN.test(name) || name.split(".").some((label) => label === "" || label.length > 63)) return undefined;
  if (!endsInNumber(name)) return name.length > 253 ? undefined : { name };
  const address = parseIpv4(name);
  if (address === undefined) return undefined;
  const decimal = parseIpv4(name.replace(/(^|\.)0+(?=\d)/g, "$1"));
  return { name, readings: decimal === undefined || decimal === address ? [address] : [address, decimal] };
}

const SPECIAL_NAMES: ReadonlySet<string> = new Set(["metadata.goog", "metadata.google.internal", "instance-data.ec2.internal"]);
// Names that no public server has (RFC 6761, RFC 8375, and what networks and clusters use).
const PRIVATE_SUFFIXES = ["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "svc", "consul", "onion", "in-addr.arpa", "ip6.arpa"];
// Public names that resolve to whatever address stands in them, or to this host.
const WILDCARD_DNS = [
  ...["nip.io", "sslip.io", "xip.io", "xip.name", "ip6.name", "backname.io", "1u.ms", "rbndr.us"],
  ...["localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "localho.st", "fuf.me", "traefik.me"],
];

/** Why a host is not a public one, for a message; undefined where it is. */
export function notPublic(host: UrlHost): string | undefined {
  if (host.readings !== undefined) {
    for (const reading of host.readings) {
      const what = specialAddress(reading);
      if (what !== undefined) return what;
    }
    return undefined;
  }
  const { name } = host;
  if (SPECIAL_NAMES.has(name)) return "a name of cloud metadata";
  if (!name.includes(".") || PRIVATE_SUFFIXES.some((suffix) => isBelow(name, suffix))) return "a name of this host or of a private network";
  if (WILDCARD_DNS.some((suffix) => isBelow(name, suffix))) return "a name that stands for any address";
  const inName = leadingIpv4(name);
  if (inName !== undefined && specialAddress(inName) !== undefined) return "a name that stands for a private address";
  return undefined;
}

/** Whether a host is that of a cloud's metadata service, from which its machines get their credentials. */
export function isMetadata({ name, readings }: UrlHost): boolean {
  return readings === undefined ? SPECIAL_NAMES.has(name) : readings.some((reading) => specialAddress(reading) === METADATA);
}

function isBelow(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

/**
 * Host patterns of a config: a host, an address, or `*.example.com` for all names below one. Undefined for what is none. What is allowed must be the address in
 * `every` reading; what is denied in `some`, or reach it by another, as an IPv6 address does that has it in it.
 */
export function compileHostPattern(pattern: string, how: "every" | "some" = "every"): ((host: UrlHost) => boolean) | undefined {
  const below = pattern.startsWith("*.");
  const text = below ? pattern.slice(2) : pattern;
  const folded = foldHost(text.includes(":") && !text.startsWith("[") ? `[${text}]` : text);
  const wanted = folded === undefined ? undefined : parseHost(folded);
  if (wanted === undefined) return undefined;
  if (wanted.readings !== undefined) {
    if (below || wanted.readings.length !== 1) return undefined;
    const [address = 0] = wanted.readings;
    if (how === "every") return ({ readings }) => readings?.every((reading) => String(reading) === String(address)) === true;
    const reached = String(reachedAddress(address));
    return ({ readings }) => readings?.some((reading) => String(reachedAddress(reading)) === reached) === true;
  }
  return (host) => host.readings === undefined && (below ? host.name.endsWith(`.${wanted.name}`) : host.name === wanted.name);
}
