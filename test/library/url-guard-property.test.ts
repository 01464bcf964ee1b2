import assert from "node:assert/strict";
import { BlockList, isIPv6 } from "node:net";
import { test } from "node:test";
import { urlGuard } from "../../src/library/url-guard.ts";
import { seededRandom, type Random } from "../support/random.ts";
import { verdictOnCall } from "./verdict-of.ts";

const guard = urlGuard();

// An oracle that shares no code with src: Node's own URL parser says where a fetch would go.
const closed = new BlockList();
for (const [address, bits] of [["0.0.0.0", 8], ["10.0.0.0", 8], ["100.64.0.0", 10], ["127.0.0.0", 8], ["169.254.0.0", 16], ["172.16.0.0", 12], ["192.168.0.0", 16], ["224.0.0.0", 3]] as const) closed.addSubnet(address, bits, "ipv4");
for (const [address, bits] of [["::", 127], ["fc00::", 7], ["fe80::", 10], ["ff00::", 8]] as const) closed.addSubnet(address, bits, "ipv6");

function reaches(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if (!["http:", "https:"].includes(url.protocol)) return undefined;
  const host = url.hostname.replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return host;
  const address = host.replace(/^\[|\]$/g, "");
  if (isIPv6(address)) return closed.check(address, "ipv6") || /^::ffff:(?:7f|a|c0a8|a9fe)/.test(address) ? host : undefined;
  return /^[\d.]+$/.test(host) && closed.check(host, "ipv4") ? host : undefined;
}

const SPELLINGS: readonly ((bytes: readonly number[]) => string)[] = [
  (bytes) => bytes.join("."),
  ([a = 0, b = 0, c = 0, d = 0]) => String(((a * 256 + b) * 256 + c) * 256 + d),
  ([a = 0, b = 0, c = 0, d = 0]) => `0x${(((a * 256 + b) * 256 + c) * 256 + d).toString(16)}`,
  (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
  (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join("."),
  (bytes) => bytes.map((byte) => `000${byte.toString(8)}`).join("."),
  ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${(b * 256 + c) * 256 + d}`,
  ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b}.${c * 256 + d}`,
  (bytes) => `[::ffff:${bytes.join(".")}]`,
  ([a = 0, b = 0, c = 0, d = 0]) => `[::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
];
const HOSTS = ["localhost", "LOCALHOST", "a.localhost", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[0:0:0:0:0:0:0:1]", "example.com", "8.8.8.8"];
const ADDRESSES = [[127, 0, 0, 1], [10, 1, 2, 3], [169, 254, 169, 254], [192, 168, 0, 1], [172, 20, 1, 1], [8, 8, 8, 8], [0, 0, 0, 0]];
// Full-width, bold, and sans-serif digits.
const ZEROS = [0xff10, 0x1d7ce, 0x1d7e2];

function randomHost(random: Random): string {
  const { below, pick } = random;
  if (below(3) === 0) return pick(HOSTS);
  let host = pick(SPELLINGS)(pick(ADDRESSES));
  if (below(3) === 0) host = host.replace(/\d/g, (digit) => (below(2) === 0 ? digit : String.fromCodePoint(pick(ZEROS) + Number(digit))));
  if (below(4) === 0) host = host.replaceAll(".", pick(["。", "．", "｡", "%2e"]));
  if (below(4) === 0) host = host.replace(/[0-9a-z]/gi, (letter) => (below(3) === 0 ? `%${letter.charCodeAt(0).toString(16)}` : letter));
  return below(5) === 0 ? `${host}.` : host;
}

const SCHEMES = ["http", "https", "HTTP", "hTTps"];
const SLASHES = ["://", "://", "://", ":/", ":", ":///", ":\\\\", ":/\\", "://\t", ":\n//", "://example.com@", "://a:b@", "://@", "://example.com\\@", "://example.com /@", "://example.com @", "://%61@", "://\u00ad", "://\u200b"];
const ENDS = ["", "/", ":80", ":80/", "?a", "#a", "\\", "/x@example.com", "?@example.com", "#@example.com", ":", ":080/", "\t/", "\\@example.com", " ", "\n"];

function randomUrl(random: Random): string {
  const { pick } = random;
  let text = pick(SCHEMES) + pick(SLASHES) + randomHost(random) + pick(ENDS);
  if (random.below(6) === 0) {
    const at = random.below(text.length + 1);
    text = text.slice(0, at) + pick(["\t", "\n", "\r", "\u0000", " ", "\u00ad", "%", "@", "/", "\\", ".", "#", "?"]) + text.slice(at);
  }
  return random.below(8) === 0 ? ` ${text}` : text;
}

test("refuses every URL that Node's parser takes to a host that is not public", () => {
  let reaching = 0;
  for (let seed = 1; seed <= 20_000; seed++) {
    const url = randomUrl(seededRandom(seed));
    const host = reaches(url);
    if (host === undefined) continue;
    reaching++;
    assert.notEqual(verdictOnCall(guard, { url }), "pass", `seed ${seed}: ${JSON.stringify(url)} reaches ${host}`);
    assert.notEqual(verdictOnCall(guard, { anything: url }), "pass", `seed ${seed}, as any argument: ${JSON.stringify(url)} reaches ${host}`);
  }
  assert.ok(reaching > 2_000, `${reaching} URLs reach such a host`);
});
