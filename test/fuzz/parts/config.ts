// The gateway's configuration: JSON with comments, and whole files. A file is taken, or refused with the place of what is wrong, and without a secret.
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { readJsonc } from "../../../src/gateway/config/jsonc.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { ConfigError } from "../../../src/gateway/config/problems.ts";
import { randomJson, randomText } from "../../support/random-json.ts";
import type { Random } from "../../support/random.ts";
import { mangle } from "./mangle.ts";
import type { Count, Part } from "./part.ts";

const FOLDER = fileURLToPath(new URL("../../../examples/gateway/", import.meta.url));
const EXAMPLES = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonc")).map((name) => ({ file: FOLDER + name, text: readFileSync(FOLDER + name, "utf8") }));

const COMMENTS = ["// one\n", "//\r\n", "/* two */", "/**/", "/* // \" */", "// /* \n", "/*\n*/"];

/** The tokens of a JSON text; texts in quotes are one each. */
const tokensOf = (text: string) => text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];

function comments(random: Random, count: Count): string | undefined {
  const value = randomJson(random, 3);
  const tokens = tokensOf(randomText(random, value));
  let text = random.pick(["", "", "\ufeff"]);
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    // A comma too many, where it may be.
    if ((token === "}" || token === "]") && before !== undefined && !"[{,".includes(before) && random.below(3) === 0) text += `,${random.below(2) === 0 ? random.pick(COMMENTS) : ""}`;
    text += token + (random.below(4) === 0 ? random.pick(COMMENTS) : random.pick(["", " ", "\n", "\t"]));
  }
  // What is a number or a word must stay one: the next token follows a mark, or space.
  const read = readJsonc(text);
  if (read.fault !== undefined) return `refused: ${read.fault.message}: ${JSON.stringify(text)}`;
  const expected: unknown = JSON.parse(tokens.join(" "));
  if (!isDeepStrictEqual(read.value, expected)) return `read as another value: ${JSON.stringify(text)}`;
  count("read with comments");
  const near = mangle(random, text, ['"', "'", "/", "*", "//", "/*", "*/", ",", "\\", "{", "]", "\n", ":", "1e999"]);
  const { value: found, fault } = readJsonc(near);
  if (fault === undefined) {
    count("damaged and read");
    return withoutSugar(near, found);
  }
  count("fault");
  const lines = near.split(/\r\n|\r|\n/);
  const { line = 0, column = 0 } = fault.place ?? {};
  const inside = line >= 1 && line <= lines.length && column >= 1 && column <= (lines[line - 1] ?? "").length + 1;
  return inside && fault.message !== "" ? undefined : `a fault at ${line}:${column} of ${JSON.stringify(near)}`;
}

// What was read reads the same without comments and commas too many, taken out by one expression.
function withoutSugar(text: string, found: unknown): string | undefined {
  const bare = text.replace(/^\ufeff/, "").replace(/("(?:[^"\\\n\r]|\\.)*")|\/\/[^\n\r]*|\/\*[^]*?\*\//g, (_found, string?: string) => string ?? " ");
  const plain = bare.replace(/("(?:[^"\\\n\r]|\\.)*")|(?<![[{,:]\s*),(?=\s*[\]}])/g, (_found, string?: string) => string ?? " ");
  return isDeepStrictEqual(JSON.parse(plain), found) ? undefined : `read as another value: ${JSON.stringify(text)}`;
}

const SECRETS = ["kX9#canary\"one\\two~/Lq7", "canary-tWo-Zq81-Mn44", "7777777", "https://u:canaryPass99@host.example/x?k=canaryKey55", "canary three ${NOT} 5"];
const ENV = Object.fromEntries(["FILES_FOLDER", "PORT", "LISTEN", "PUBLIC_HOST", "JWKS", "ISSUER", "AUDIENCE", "AUDIT_FILE", "METRICS_PORT", "NOTES_FOLDER", "TOKEN"].map((name, index) => [name, SECRETS[index % SECRETS.length]!]));

/** Long enough that no text has it by chance. */
const SHARE = 9;

function leaks(text: string): string | undefined {
  for (const secret of SECRETS) {
    for (let at = 0; at + SHARE <= secret.length; at++) if (text.includes(secret.slice(at, at + SHARE))) return secret;
    if (secret.length < SHARE && text.includes(secret)) return secret;
  }
  return undefined;
}

const PIECES = ['"', "{", "}", "[", "]", ",", ":", "//", "/*", "*/", "null", "true", "-1", "1e99", '"x"', "{}", "[]", '"${TOKEN}"', "${TOKEN}", "$${", "${", "${file:/nonexistent}", "${file:.}", '"__proto__": 1,', '"use": "nothing",', '"when": 5,', '"when": {"tool": "${TOKEN}", "atLeast": "${TOKEN}"},', "\\", "\n", "\u0000", "upstreams", "interceptors"];

/** A value somewhere in it becomes another one. */
function edit(random: Random, value: unknown, names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || random.below(6) === 0) {
    return random.pick<() => unknown>([() => randomJson(random, 2), () => "${TOKEN}", () => `x\${${random.pick(Object.keys(ENV))}}y`, () => [value], () => ({ [random.pick(names)]: value }), () => null, () => -1, () => "${file:/nonexistent}"])();
  }
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[random.below(keys.length)];
  const kind = random.below(8);
  if (key === undefined || kind === 0) return Array.isArray(copy) ? [...copy, random.pick(names)] : { ...copy, [random.pick([...names, "__proto__x", "${TOKEN}"])]: random.pick([1, "x", {}, [], "${TOKEN}"]) };
  if (kind === 1) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete copy[key];
    return copy;
  }
  copy[key] = edit(random, copy[key], names);
  return copy;
}

async function files(random: Random, count: Count): Promise<string | undefined> {
  const { file, text: whole } = random.pick(EXAMPLES);
  let text = whole;
  if (random.below(3) === 0) text = mangle(random, whole, PIECES);
  else {
    let value = readJsonc(whole).value;
    const names = [...new Set(EXAMPLES.flatMap((one) => one.text.match(/(?<=")[a-zA-Z$-]+(?="\s*:)/g) ?? []))];
    for (let edits = 1 + random.below(3); edits > 0; edits--) value = edit(random, value, names);
    text = JSON.stringify(value, null, random.below(3)) ?? "";
  }
  try {
    const { config } = await loadConfig(file, { env: random.below(4) === 0 ? {} : ENV, text });
    count("taken");
    return typeof config === "object" && typeof config.upstreams === "object" ? undefined : `taken without upstreams: ${text}`;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    count("refused");
    if (thrown.problems.length === 0) return `refused without a reason: ${text}`;
    const lines = text.split(/\r\n|\r|\n/);
    for (const { line = 0, column = 0, pointer, message } of thrown.problems) {
      if (line < 1 || line > lines.length || column < 1 || column > (lines[line - 1] ?? "").length + 1) return `${pointer} ${message} is told at ${line}:${column}: ${text}`;
      if (message === "" || (pointer !== "" && !pointer.startsWith("/"))) return `told badly: ${pointer} ${message}: ${text}`;
    }
    const secret = leaks(thrown.message);
    return secret === undefined ? undefined : `${secret} is told in ${thrown.message}`;
  }
}

// What needs no process, no module and no file to be opened.
const READY_MADE: Readonly<Record<string, object>> = {
  redact: { types: ["email"], replacement: "x", allow: ["a@b.example"] },
  "tool-filter": { deny: ["a", "b*"], rules: [{ type: "user", claims: { role: "x" }, deny: ["c"] }] },
  "secret-guard": { action: "block", known: ["${TOKEN}"] },
  "text-hygiene": {},
  "url-guard": { allow: ["a.example"] },
  "path-guard": { allow: ["/srv"] },
  "command-guard": {},
  "size-limit": { maxBytes: 5000, events: ["tools/call"] },
  "rate-limit": { perMinute: 3, tools: ["a"] },
  "schema-guard": {},
  "injection-signals": { blockAt: 3 },
  webhook: { url: "https://hook.example/${TOKEN}", headers: { authorization: "Bearer ${TOKEN}" } },
};

async function plans(random: Random, count: Count): Promise<string | undefined> {
  const use = random.pick(Object.keys(READY_MADE));
  const item = edit(random, { use, config: READY_MADE[use], name: "n", mode: "active" }, ["config", "deny", "allow", "hooks", "grants", "priorityHint", "timeoutMs", "phase", "upstreams", "roots", "header"]);
  // Nothing else is to be started or read: an upstream is not, as long as nobody calls.
  const text = JSON.stringify({ upstreams: { one: { command: "none" } }, interceptors: [typeof item === "object" && item !== null && !Array.isArray(item) ? { ...item, use, module: undefined, command: undefined, url: undefined } : item] });
  const said: string[] = [];
  try {
    const loaded = await loadConfig(EXAMPLES[0]!.file, { env: ENV, text });
    const built = await buildPlan(loaded, { pools: createPools(), log: ({ message }) => void said.push(message), chainLog: ({ message }) => void said.push(message), dry: true });
    said.push(...built.warnings);
    await built.close();
    count("planned");
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    count("not planned");
    said.push(thrown.message);
  }
  const secret = leaks(said.map((line) => line.replaceAll("***", "\u0000")).join("\n"));
  return secret === undefined ? undefined : `${secret} is told in ${said.join("\n")} of ${text}`;
}

export const configPart: Part = {
  name: "config",
  cases: 500,
  least: { "read with comments": 100, "damaged and read": 15, fault: 80, taken: 10, refused: 150, planned: 15, "not planned": 60 },
  run: (random, count) => random.pick([comments, files, files, plans])(random, count),
};
