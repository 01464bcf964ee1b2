import { Buffer } from "node:buffer";
import type { Random } from "../../support/random.ts";

export interface Piece { readonly text: string; readonly secrets: readonly string[] }
export type Maker = (random: Random) => Piece;
export type Make = (random: Random) => string;

const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const digits = "0123456789";
export const base62 = digits + upper + lower;

/** What the letter of a slot such as `«%x24»` draws from. */
const classes: Readonly<Record<string, string>> = {
  d: digits, n: "23456789", z: "123456789", h: "0123456789abcdef", H: "0123456789ABCDEF", l: lower, u: upper, L: lower + upper, k: lower + digits, K: upper + digits,
  x: base62, w: `${base62}_-`, b: `${upper}234567`, g: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", B: `${base62}+/`,
};

export function chars(random: Random, alphabet: string, length: number): string {
  let text = "";
  while (text.length < length) text += alphabet[random.below(alphabet.length)]!;
  return text;
}

export const between = (random: Random, low: number, high: number): number => low + random.below(high - low + 1);
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;
const two = (value: number): string => String(value).padStart(2, "0");

/** `#` is any digit, `N` one from 2, `Z` one from 1; the rest stands for itself. */
export function numbered(random: Random, shape: string): string {
  return shape.replace(/[#NZ]/gu, (sign) => String(sign === "#" ? random.below(10) : sign === "N" ? between(random, 2, 9) : between(random, 1, 9)));
}

export const firstNames = ["Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Femke", "Goran", "Hana", "Ines", "Jonas", "Keiko", "Lars", "Mirela", "Noor", "Oskar", "Priya",
  "Quentin", "Rosa", "Sven", "Tomasz"];
export const lastNames = ["Okafor", "Lindqvist", "Moreau", "Tanaka", "Baumann", "Oliveira", "Petrov", "Haddad", "Novak", "Castillo", "Whitfield", "Kowalska",
  "Ferrante", "Jensen", "Adeyemi", "Brandt"];
export const words = ["amber", "basket", "copper", "delta", "ember", "forest", "garnet", "harbor", "island", "juniper", "kettle", "lantern", "meadow", "nectar",
  "orchard", "pepper", "quartz", "river", "saddle", "timber",
  "umbra", "velvet", "willow", "yonder", "zephyr"];
const services = ["billing", "checkout", "ingest", "mailer", "search", "gateway", "reports", "scheduler", "identity", "catalog"];
const files = ["src/app.ts", "lib/client.py", "config/settings.yml", "cmd/server/main.go", "app/models/user.rb", "pom.xml", "deploy/values.yaml", "Program.cs",
  "index.php", "src/main.rs"];

const date: Make = (random) => `${between(random, 2015, 2026)}-${two(between(random, 1, 12))}-${two(between(random, 1, 28))}`;
const time: Make = (random) => `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}`;
const hex = (random: Random, length: number): string => chars(random, classes["h"]!, length);
export const uuid: Make = (random) => `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${random.pick(["8", "9", "a", "b"])}${hex(random, 3)}-${hex(random, 12)}`;

const slots: Readonly<Record<string, Make>> = {
  first: (random) => random.pick(firstNames),
  last: (random) => random.pick(lastNames),
  user: (random) => random.pick(["app", "svc_orders", "reporting", "root", "admin", "deploy", "etl", "postgres", "sa", "web"]),
  word: (random) => random.pick(words),
  service: (random) => random.pick(services),
  file: (random) => random.pick(files),
  host: (random) => `${random.pick(services)}-${between(random, 1, 9)}.${random.pick(["internal", "example.net", "corp.example", "svc.cluster.local", "example.com"])}`,
  date, time, uuid,
  stamp: (random) => `${date(random)}T${time(random)}.${chars(random, digits, 3)}Z`,
  small: (random) => String(between(random, 2, 99)),
  int: (random) => String(between(random, 100, 99_999)),
  port: (random) => String(between(random, 1024, 65_535)),
  semver: (random) => `${random.below(20)}.${random.below(40)}.${random.below(30)}`,
  level: (random) => random.pick(["INFO", "WARN", "ERROR", "DEBUG", "TRACE"]),
};

/** Puts values into the slots of a template: one of `own`, one that is known by name, or drawn characters (`«%h8»`, `«%x20-40»`). */
export function fill(random: Random, template: string, own: Readonly<Record<string, string>> = {}): string {
  return template.replace(/«([^»]+)»/gu, (_, name: string) => own[name] ?? slots[name]?.(random) ?? drawn(random, name));
}

function drawn(random: Random, name: string): string {
  const [, kind = "", low = "", high = low] = /^%([a-zA-Z])(\d+)(?:-(\d+))?$/u.exec(name) ?? [];
  const alphabet = classes[kind];
  if (alphabet === undefined) throw new Error(`no slot ${name}`);
  return chars(random, alphabet, between(random, Number(low), Number(high)));
}

/** One of the templates around a value; `secret` is the part of the value that counts. */
export function around(random: Random, templates: readonly string[], value: string, secret: string = value): Piece {
  // A quote within a value would end a literal early.
  const fit = value.includes("'") ? templates.filter((template) => !template.includes("'")) : templates;
  return { text: fill(random, random.pick(fit), { v: value }), secrets: [secret] };
}

export const negative = (templates: readonly string[], own?: (random: Random) => Readonly<Record<string, string>>): Maker =>
  (random) => ({ text: fill(random, random.pick(templates), own?.(random)), secrets: [] });

/** By weight, so that rare shapes stay rare. */
export function weighted<T>(random: Random, items: readonly (readonly [number, T])[]): T {
  let left = random.below(items.reduce((sum, [weight]) => sum + weight, 0));
  return (items.find(([weight]) => (left -= weight) < 0) ?? items[0]!)[1];
}

export function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

/** The six characters at the end of a token of GitHub or npm. */
export function tokenChecksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  while (rest > 0) {
    text = base62[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text.padStart(6, "0");
}

export const base64 = (text: string): string => Buffer.from(text).toString("base64");
export const base64url = (text: string): string => Buffer.from(text).toString("base64url");
export const hexOf = (text: string): string => Buffer.from(text).toString("hex");
export const unpadded = (text: string): string => text.replace(/=+$/u, "");
export const bytes = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => random.below(256)));
export const inLines = (text: string, width: number, end: string): string => (text.match(new RegExp(`.{1,${width}}`, "gu")) ?? []).join(end);

/** Random, with a large letter, a small one and a digit, so that chance makes no word or number of it. */
export function mixed(random: Random, length: number, alphabet: string = base62): string {
  for (;;) {
    const text = chars(random, alphabet, length);
    if (/[a-z].*[a-z]/u.test(text) && /[A-Z].*[A-Z]/u.test(text) && /\d.*\d/u.test(text) && /^[a-zA-Z\d].*[a-zA-Z\d]$/u.test(text)) return text;
  }
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** Passwords as people and generators make them; without quotes, spaces and what ends a value in most syntaxes. */
export function password(random: Random): string {
  const word = random.pick(words);
  return weighted<Make>(random, [
    [5, () => mixed(random, between(random, 10, 24))],
    [4, () => mixed(random, between(random, 12, 22), `${base62}!*_-+~^`)],
    [2, () => `${capital(word)}${random.below(2)}${random.pick(words)}${between(random, 10, 99)}`],
    [2, () => `${capital(word).replaceAll("e", "3").replaceAll("a", "4").replaceAll("o", "0")}_${between(random, 1000, 9999)}x`],
    [2, () => `${word}-${capital(random.pick(words))}-${random.pick(words)}${between(random, 10, 99)}`],
    [1, () => `q${chars(random, lower + digits, between(random, 14, 30))}7`],
  ])(random);
}
