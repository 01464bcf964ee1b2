import { isHex } from "../detect/characters.ts";

/** An IPv4 address as a 32-bit number, or the eight groups of an IPv6 address. */
export type IpAddress = number | readonly number[];

/**
 * An IPv4 address in any spelling that URL parsers and `inet_aton` take: one to four parts, each decimal, octal (`0177`) or hexadecimal
 * (`0x7f`), the last one filling what is left. Undefined for anything else.
 */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split(".");
  if (parts.length > 4) return undefined;
  const numbers = parts.map(parseNumber);
  const last = numbers.pop();
  if (last === undefined || last >= 256 ** (4 - numbers.length)) return undefined;
  let address = last;
  for (const [index, part] of numbers.entries()) {
    if (part === undefined || part > 255) return undefined;
    address += part * 256 ** (3 - index);
  }
  return address;
}

/** Whether a host has to be an IPv4 address or nothing: its last label is a number (WHATWG URL, "ends in a number"). */
export function endsInNumber(host: string): boolean {
  const last = host.slice(host.lastIndexOf(".") + 1);
  return /^(?:\d+|0x[0-9a-f]*)$/i.test(last);
}

function parseNumber(part: string): number | undefined {
  if (part === "" || part.length > 64) return undefined;
  if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part, 16);
  if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8);
  return /^(?:0|[1-9]\d*)$/.test(part) ? Number(part) : undefined;
}

/** The eight groups of an IPv6 address without brackets, with IPv4 at its end or not. A zone (`%eth0`) is refused. */
export function parseIpv6(text: string): readonly number[] | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (mayEndInIpv4 && index === parts.length - 1 && part.includes(".")) {
      const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(part) ? parseIpv4(part) : undefined;
      if (ipv4 === undefined) return undefined;
      groups.push(ipv4 >>> 16, ipv4 & 0xffff);
    } else {
      if (part === "" || part.length > 4 || ![...part].every((digit) => isHex(digit.charCodeAt(0)))) return undefined;
      groups.push(Number.parseInt(part, 16));
    }
  }
  return groups;
}

/** What an address is that is not a public one, for a message; undefined for a public one. */
export function specialAddress(address: IpAddress): string | undefined {
  return typeof address === "number" ? specialIpv4(address) : specialIpv6(address);
}

export const METADATA = "an address of cloud metadata";
const LOOPBACK = "a loopback address";
const PRIVATE = "a private address";
const LINK_LOCAL = "a link-local address";
const MULTICAST = "a multicast address";
const RESERVED = "a reserved address";

// The IANA registry of special-purpose addresses: first address, bits of the prefix, what it is. Metadata services that have a range of their own
// come first: AWS and others, Alibaba, Oracle, and Azure's, which is a public one.
const IPV4_RANGES: readonly (readonly [first: string, bits: number, what: string])[] = [
  ["169.254.169.254", 32, METADATA],
  ["169.254.170.2", 32, METADATA],
  ["100.100.100.200", 32, METADATA],
  ["192.0.0.192", 32, METADATA],
  ["168.63.129.16", 32, METADATA],
  ["0.0.0.0", 8, "an address of this host"],
  ["10.0.0.0", 8, PRIVATE],
  ["100.64.0.0", 10, "a shared (carrier-grade NAT) address"],
  ["127.0.0.0", 8, LOOPBACK],
  ["169.254.0.0", 16, LINK_LOCAL],
  ["172.16.0.0", 12, PRIVATE],
  ["192.0.0.0", 24, RESERVED],
  ["192.0.2.0", 24, "an address for documentation"],
  ["192.88.99.0", 24, RESERVED],
  ["192.168.0.0", 16, PRIVATE],
  ["198.18.0.0", 15, "an address for benchmarks"],
  ["198.51.100.0", 24, "an address for documentation"],
  ["203.0.113.0", 24, "an address for documentation"],
  ["224.0.0.0", 4, MULTICAST],
  ["240.0.0.0", 4, RESERVED],
];
const RANGES = IPV4_RANGES.map(([first, bits, what]) => ({ first: parseIpv4(first)!, size: 2 ** (32 - bits), what }));

function specialIpv4(address: number): string | undefined {
  return RANGES.find(({ first, size }) => address >= first && address < first + size)?.what;
}

function specialIpv6(groups: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const embedded = g * 0x1_0000 + h;
  if ((a | b | c | d | e | f | g) === 0 && h <= 1) return h === 1 ? LOOPBACK : "an address of this host";
  // IPv4-mapped, IPv4-compatible, IPv4-translated, and NAT64: the IPv4 address in them is what is reached.
  if ((a | b | c | d | e) === 0 && (f === 0xffff || f === 0)) return specialIpv4(embedded);
  if ((a | b | c | d) === 0 && e === 0xffff && f === 0) return specialIpv4(embedded);
  if (a === 0x64 && b === 0xff9b) return (c | d | e | f) === 0 ? specialIpv4(embedded) : PRIVATE;
  if ((a & 0xfe00) === 0xfc00) return a === 0xfd00 && b === 0xec2 ? METADATA : PRIVATE;
  if ((a & 0xffc0) === 0xfe80) return LINK_LOCAL;
  if ((a & 0xffc0) === 0xfec0) return PRIVATE;
  if ((a & 0xff00) === 0xff00) return MULTICAST;
  if (a === 0x2002 || (a === 0x2001 && b === 0)) return "an address of a tunnel (6to4, Teredo)";
  if (a === 0x2001 && b === 0xdb8) return "an address for documentation";
  if ((a === 0x2001 && b < 0x200) || (a === 0x3fff && b < 0x1000) || a < 0x2000 || a > 0x3fff) return RESERVED;
  // ISATAP: an interface of an IPv4 address.
  if ((e === 0 || e === 0x200) && f === 0x5efe) return specialIpv4(embedded);
  return undefined;
}

/** The address that is reached by one: the IPv4 address in an IPv6 address that leads to it (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP), or itself. */
export function reachedAddress(address: IpAddress): IpAddress {
  if (typeof address === "number") return address;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address;
  const last = g * 0x1_0000 + h;
  if ((a | b | c | d | e) === 0 && (f === 0xffff || (f === 0 && last > 1))) return last;
  if ((a | b | c | d) === 0 && e === 0xffff && f === 0) return last;
  if (a === 0x64 && b === 0xff9b) return last;
  if (a === 0x2002) return b * 0x1_0000 + c;
  // Teredo has its client's address inverted.
  if (a === 0x2001 && b === 0) return (~last) >>> 0;
  return (e === 0 || e === 0x200) && f === 0x5efe ? last : address;
}

/** An IPv4 address of four decimal parts at the start of a name, with dots or dashes between them, as wildcard DNS has them: `10-0-0-1.example.com`. */
export function leadingIpv4(name: string): number | undefined {
  const found = /^(\d{1,3})([.-])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?=\.)/.exec(name);
  if (found === null) return undefined;
  const [, first, , ...others] = found;
  return parseIpv4([first, ...others].map((part) => String(Number(part))).join("."));
}
