// Headers: what is written reads as it was, and nothing that is nearly right passes for it.
import { decodeHeaderValue, encodeHeaderValue } from "../../../src/core/wire/header-value.ts";
import { createHostCheck } from "../../../src/core/http/host-check.ts";
import { accepts, isJsonType } from "../../../src/core/http/media-type.ts";
import { paramHeadersOf } from "../../../src/core/http/param-headers.ts";
import { checkParamHeaders, checkRoutingHeaders, routingHeaders } from "../../../src/core/http/routing-headers.ts";
import { decodeEventId, encodeEventId } from "../../../src/core/http/sse-encoder.ts";
import type { RequestMessage } from "../../../src/core/wire/message.ts";
import type { Random } from "../../support/random.ts";
import { mangle } from "./mangle.ts";
import type { Count, Part } from "./part.ts";

const PIECES = ["=", "?", "=?base64?", "?=", "A", "a", " ", "\t", "\u00a0", "\u000b", "\ufeff", "\u0000", "\n", "é", "\u212a", "ſ", ";", ",", '"', "\\", "/", "*", ":", ".", "0", "1", "-", "_", "@", "[", "]", "%"];
const TEXTS = ["", "a", "ping", "tools/call", "a b", " a", "a ", "\ta", "é", "😀", "\ud800", "\n", "a\r\nx-evil: 1", "\u0000", "=?base64?YQ==?=", "=?base64?=", "=?BASE64?YQ==?=", "=?base64?YQ==", "\u007f", "100", "1e2", "true"];

const drawText = (random: Random) => (random.below(2) === 0 ? random.pick(TEXTS) : mangle(random, random.pick(TEXTS), [...PIECES, ...TEXTS]));
const trim = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, "");

// What a header's value means, by Buffer; it has one spelling.
function meaningOf(value: string): string | undefined {
  const trimmed = trim(value);
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(trimmed)?.[1];
  if (encoded === undefined) return trimmed.startsWith("=?base64?") && trimmed.endsWith("?=") ? undefined : /^[\t\x20-\x7e]*$/.test(trimmed) ? trimmed : undefined;
  const bytes = Buffer.from(encoded, "base64");
  const text = bytes.toString("utf8");
  return bytes.toString("base64") === encoded && Buffer.from(text).equals(bytes) ? text : undefined;
}

function values(random: Random, count: Count): string | undefined {
  const text = drawText(random);
  const value = encodeHeaderValue(text);
  count("value");
  if (!/^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(value)) return `${JSON.stringify(value)} is no header value`;
  const whole = Buffer.from(text).toString("utf8"); // a half of a surrogate pair becomes U+FFFD
  if (decodeHeaderValue(value) !== whole) return `${JSON.stringify(text)} comes back as ${JSON.stringify(decodeHeaderValue(value))}`;
  const near = mangle(random, value, PIECES);
  const found = decodeHeaderValue(near);
  if (found === undefined) count("no value");
  return found === meaningOf(near) ? undefined : `${JSON.stringify(near)} is read as ${JSON.stringify(found)}`;
}

const SCHEMA = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    deep: { type: "object", properties: { level: { type: "integer", "x-mcp-header": "Level" } } },
    flag: { type: ["boolean", "null"], "x-mcp-header": "flag" },
  },
};

function routing(random: Random, count: Count): string | undefined {
  const params = paramHeadersOf(SCHEMA).headers ?? [];
  const method = random.pick(["tools/call", "prompts/get", "resources/read", "ping", drawText(random)]);
  const [level, flag] = [random.pick<unknown>([0, -3, 1e21, 1.5, 2 ** 53, "7", undefined, null]), random.pick<unknown>([true, false, null, undefined, "true"])];
  const args = { region: random.pick<unknown>([drawText(random), undefined, 5]), deep: random.below(4) > 0 ? { level } : level, flag };
  const name = drawText(random);
  const message: RequestMessage = {
    jsonrpc: "2.0", id: 1, method,
    params: { name, uri: name, arguments: args, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
  };
  const text = JSON.stringify(message);
  // As it is read off the wire, so that both sides see the same.
  const sent = JSON.parse(Buffer.from(text).toString("utf8")) as RequestMessage;
  const headers = new Map(routingHeaders(sent, params));
  const check = (given: ReadonlyMap<string, string>) => checkRoutingHeaders(given, sent) ?? (method === "tools/call" ? checkParamHeaders(given, sent.params?.["arguments"], params) : undefined);
  const whole = !/\\u(?:d[89a-f]|fffd)|�/i.test(text);
  const refused = check(headers);
  // A number that has no header cannot be sent, and nor can half a character.
  const sendable = whole && !(typeof args.deep === "number") && !(method === "tools/call" && typeof level === "number" && Math.abs(level) > Number.MAX_SAFE_INTEGER && typeof args.deep === "object");
  if (sendable && refused !== undefined) return `${refused.message}: ${text} ${JSON.stringify([...headers])}`;
  if (refused !== undefined) return undefined;
  count("routed");
  const [header = "", value = ""] = random.pick([...headers]);
  const near = random.below(5) === 0 ? undefined : mangle(random, value, PIECES);
  const changed = new Map(headers);
  if (near === undefined) changed.delete(header);
  else changed.set(header, near);
  const bare = header === "mcp-protocol-version";
  const [meant, was] = bare ? [near === undefined ? undefined : trim(near), value] : [near === undefined ? undefined : meaningOf(near), meaningOf(value)];
  const sentNumber = header === "mcp-param-level" ? level : header === "mcp-param-region" ? args.region : undefined;
  const number = typeof sentNumber === "number" && meant !== undefined && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(meant) && Number(meant) === sentNumber;
  const optional = near === undefined && (header === "mcp-name" && !["tools/call", "prompts/get", "resources/read"].includes(method));
  const passes = check(changed) === undefined;
  if (passes === (meant === was || number || optional)) {
    if (!passes) count("near miss");
    return undefined;
  }
  return `${header} ${JSON.stringify(near)} ${passes ? "passes" : "is refused"} for ${text}`;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"';
const MEDIA = new RegExp(`^[ \\t]*${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*[ \\t]*$`);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})=(?:(${TOKEN})|(${QUOTED}))`, "g");
const TYPES = ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/json;charset=latin1", 'application/json; a="b;c=\\"d"; charset=utf8', "application/jsonp", "text/plain", "application/json; charset=utf-8; charset=latin1", 'application/json;charset="utf\\-8"'];

// RFC 9110, sections 5.6.6 and 8.3.1, by one expression.
function meansJson(type: string): boolean {
  if (!MEDIA.test(type) || trim(type.split(";")[0]!).toLowerCase() !== "application/json") return false;
  const parameters = [...type.matchAll(PARAMETER)].map(([, name = "", token, quoted = ""]) => [name.toLowerCase(), token ?? quoted.slice(1, -1).replace(/\\([^])/g, "$1")] as const);
  if (new Set(parameters.map(([name]) => name)).size < parameters.length) return false;
  return /^utf-?8$/i.test(parameters.find(([name]) => name === "charset")?.[1] ?? "utf-8");
}

function types(random: Random, count: Count): string | undefined {
  const type = random.below(3) === 0 ? random.pick(TYPES) : mangle(random, random.pick(TYPES), PIECES);
  const found = isJsonType(type);
  count(found ? "JSON" : "no JSON");
  if (found !== meansJson(type)) return `${JSON.stringify(type)} is ${found ? "" : "not "}taken for JSON`;
  // Of ranges that are well formed the most specific one decides.
  const ranges = Array.from({ length: 1 + random.below(4) }, () => ({
    range: random.pick(["application/json", "text/event-stream", "application/*", "*/*", "text/html", "APPLICATION/json"]),
    weight: random.pick([undefined, "0", "0.0", "0.000", "0.001", "1", "1.0", "0.5"]),
    more: random.pick(["", "", ';x="a,b"', ";level=1"]),
  }));
  const accept = ranges.map(({ range, weight, more }) => `${random.pick(["", " ", "\t"])}${range}${more}${weight === undefined ? "" : random.pick([`;q=${weight}`, ` ; Q=${weight}`])}`).join(",");
  const fits = ["application/json", "application/*", "*/*"].map((range) => ranges.filter((one) => one.range.toLowerCase() === range)).find((some) => some.length > 0) ?? [];
  const allowed = fits.some(({ weight }) => weight === undefined || Number(weight) > 0);
  count(allowed ? "accepted" : "not accepted");
  if (accepts(accept, "application/json") !== allowed) return `${JSON.stringify(accept)} is ${allowed ? "not " : ""}taken to accept JSON`;
  accepts(mangle(random, accept, PIECES), "application/json");
  return undefined;
}

const HOSTS = ["localhost", "127.0.0.1", "[::1]", "mcp.example.com", "kiosk.example.com:8443"];

function hosts(random: Random, count: Count): string | undefined {
  const check = createHostCheck({ allowedHosts: HOSTS, allowedOrigins: ["https://app.example.com", "vscode-webview://kiosk"] });
  const spell = (text: string) => (random.below(3) === 0 ? text.toUpperCase() : text);
  const near = (text: string) => (random.below(2) === 0 ? text : mangle(random, text, [...PIECES, "evil.example", "localhost", "//", "http://", ":80"]));
  const host = near(spell(random.pick(HOSTS)) + random.pick(["", "", ":3000", ":", ":123456", ":0x50", "."]));
  const origin = near(random.pick(["https://", "http://", "HTTPS://", "file://", ""]) + spell(random.pick([...HOSTS, "app.example.com", "kiosk", "null"])) + random.pick(["", "", ":443", "/"]));
  const ascii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const good = (authority: string) => {
    const [, name = "", port] = /^(.*?)(?::([0-9]{1,5}))?$/s.exec(ascii(authority))!;
    return HOSTS.some((allowed) => (/[^\]]:\d+$/.test(allowed) ? allowed === `${name}:${port}` : allowed === name));
  };
  const page = /^https?:\/\/([^]*)$/.exec(ascii(origin))?.[1];
  const expected = good(host) && (["https://app.example.com", "vscode-webview://kiosk"].includes(ascii(origin)) || (page !== undefined && good(page)));
  const passes = check.refusal(new Map([["host", host], ["origin", origin]])) === undefined;
  count(passes ? "let in" : "kept out");
  // Twice: what was let in once is remembered.
  const again = check.refusal(new Map([["host", host], ["origin", origin]])) === undefined;
  return passes === expected && again === expected ? undefined : `Host ${JSON.stringify(host)} and Origin ${JSON.stringify(origin)} are ${passes ? "let in" : "kept out"}`;
}

function eventIds(random: Random, count: Count): string | undefined {
  const id = encodeEventId(random.below(1e6), random.below(1e6));
  const near = random.below(3) === 0 ? id : mangle(random, id, PIECES);
  const read = decodeEventId(near);
  count(read === undefined ? "no event id" : "event id");
  return read === undefined ? (near === id ? `${id} is not read` : undefined) : encodeEventId(read.stream, read.place) === near ? undefined : `${near} is read as ${JSON.stringify(read)}`;
}

export const headersPart: Part = {
  name: "headers",
  cases: 3_000,
  least: { value: 500, "no value": 100, routed: 300, "near miss": 200, JSON: 60, "no JSON": 300, accepted: 200, "not accepted": 100, "let in": 10, "kept out": 300, "event id": 200, "no event id": 200 },
  run: (random, count) => random.pick([values, routing, types, hosts, eventIds])(random, count),
};
