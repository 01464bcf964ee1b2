import type { Random } from "../../support/random.ts";
import { around, type Kind, type Make, placed } from "./first.ts";
import { identifierText } from "./identifiers.ts";
import type { SECRET_DETECTORS } from "./sample.ts";
import { ALNUM, base64, chars, DIGITS, HEX, jwt, LOWER, password, pem, token, UPPER } from "./tokens.ts";

const word = (random: Random) => random.pick(["alpha", "kilo", "river", "north", "maple", "delta", "ocean"]);
const TEMPLATES = ["<your-token>", "${TOKEN}", "********", "{{ token }}", "$API_KEY", "xxxxxxxx", "changeme", "%TOKEN%", "your-api-key-here", "[REDACTED]", "..."];

/** A secret among words that are made for it. */
function within(random: Random, secret: string, texts: readonly ((secret: string) => string)[]): { text: string; secrets: string[] } {
  return { text: random.pick(texts)(secret), secrets: [secret] };
}

const negative = (make: (random: Random) => string): Make => (random) => ({ text: make(random), secrets: [] });

function notToken(random: Random): string {
  return around(
    random,
    random.pick([
      () => `ghp_${chars(random, ALNUM, 12)}`,
      () => `ghp_${"x".repeat(36)}`,
      () => `npm_config_${word(random)}_${word(random)}`,
      () => `sk-${word(random)}-${word(random)}-${word(random)}-${word(random)}`,
      () => `AKIA${chars(random, UPPER, 6)}`,
      () => `glpat-<token>`,
      () => `hf_${word(random)}_${word(random)}_model_name_for_tests`,
      () => `key-${word(random)}-${word(random)}`,
      () => `xoxb-your-token-goes-here`,
      () => `AIza${"X".repeat(35)}`,
      () => `pypi-${word(random)}`,
    ])(),
    "ref",
  );
}

function privateKey(random: Random): { text: string; secrets: string[] } {
  const key = pem(random, random.below(3) > 0);
  return within(random, key, [(block) => block, (block) => `Here it is:\n${block}\n`, (block) => `cat key.pem\n${block}`, (block) => `key: |\n${block}\n`]);
}

function notPrivateKey(random: Random): string {
  const lines = Array.from({ length: 3 }, () => chars(random, `${UPPER}${LOWER}`, 12).toLowerCase());
  return random.pick([
    () => `-----BEGIN PUBLIC KEY-----\n${lines.join("\n")}\n-----END PUBLIC KEY-----`,
    () => `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----`,
    () => `A file that starts with "-----BEGIN PRIVATE KEY-----" holds the ${word(random)} key.`,
    () => `Never share your PRIVATE KEY with ${word(random)}.`,
    () => `-----BEGIN RSA PRIVATE KEY-----`,
  ])();
}

function notJwt(random: Random): string {
  return around(
    random,
    random.pick([
      () => `${word(random)}.${word(random)}.${word(random)}`,
      () => `com.example.${word(random)}.${word(random)}Handler`,
      () => `${base64(JSON.stringify({ a: word(random) }), "url")}.${word(random)}.${word(random)}`,
      () => `v1.${chars(random, DIGITS, 3)}.${chars(random, DIGITS, 3)}`,
      () => `eyJ.${word(random)}.${word(random)}`,
    ])(),
    "ref",
  );
}

function urlPassword(random: Random): { text: string; secrets: string[] } {
  const scheme = random.pick(["postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https", "ftp", "smtp"]);
  const host = random.pick(["db.example.com:5432", "localhost", "10.0.0.7:6379", `${word(random)}.internal`]);
  const user = scheme === "redis" ? random.pick(["", "default"]) : word(random);
  const secret = password(random);
  const url = `${scheme}://${user}:${secret}@${host}/${word(random)}`;
  return { text: random.pick([() => around(random, url, "url"), () => `DATABASE_URL=${url}`, () => `git clone ${url}.git`, () => `cannot connect to "${url}"`])(), secrets: [secret] };
}

function notUrlPassword(random: Random): string {
  return around(
    random,
    random.pick([
      () => `https://${word(random)}.example.com:8443/a@b`,
      () => `postgres://${word(random)}@localhost:5432/x`,
      () => `postgres://user:${random.pick(TEMPLATES.slice(0, 5)).replaceAll(" ", "")}@localhost/x`,
      () => `https://example.com/${word(random)}:${word(random)}/@${word(random)}`,
      () => `ssh://git@${word(random)}.example.com/x.git`,
      () => `http://localhost:3000/${word(random)}?a=b@c`,
    ])(),
    "url",
  );
}

function authorization(random: Random): { text: string; secrets: string[] } {
  const basic = base64(`${word(random)}:${password(random)}`, "padded");
  const bearer = random.pick([() => chars(random, ALNUM, 24) + chars(random, DIGITS, 2), () => chars(random, HEX, 31) + "7", () => jwt(random)])();
  const isBasic = random.below(2) === 0;
  const scheme = isBasic ? "Basic" : "Bearer";
  return within(random, isBasic ? basic : bearer, [
    (value) => `Authorization: ${scheme} ${value}`,
    (value) => `curl -H "Authorization: ${scheme} ${value}" https://api.example.com/${word(random)}`,
    (value) => JSON.stringify({ headers: { authorization: `${scheme} ${value}` } }),
    (value) => `> authorization: ${scheme} ${value}\n> accept: */*`,
    (value) => `request sent with ${scheme} ${value} and refused`,
  ]);
}

function notAuthorization(random: Random): string {
  return random.pick([
    () => `The server wants Bearer authentication, or Basic ${word(random)}.`,
    () => `Authorization: Bearer ${random.pick(TEMPLATES)}`,
    () => `WWW-Authenticate: Basic realm="${word(random)}"`,
    () => `WWW-Authenticate: Bearer error="invalid_token"`,
    () => `Basic information about ${word(random)}`,
    () => `The bearer of this ${word(random)} letter`,
    () => `Authorization: Bearer <access_token>`,
  ])();
}

const SECRET_NAMES = ["password", "DB_PASSWORD", "db.password", "passwd", "client_secret", "apiKey", "API_KEY", "x-api-key", "secretKey", "ACCESS_TOKEN", "auth_token", "aws_secret_access_key"];

function assignment(random: Random): { text: string; secrets: string[] } {
  const name = random.pick(SECRET_NAMES);
  const secret = /pass/i.test(name) ? password(random) : random.pick([() => chars(random, HEX, 30) + "4e", () => chars(random, ALNUM, 30) + "x7Q", () => chars(random, `${ALNUM}+/`, 38) + "k2"])();
  return within(random, secret, [
    (value) => `${name}=${value}`,
    (value) => `export ${name}="${value}"`,
    (value) => `${name}: ${value}`,
    (value) => JSON.stringify({ host: word(random), [name]: value, port: 5432 }),
    (value) => JSON.stringify({ env: { [name]: value } }, undefined, 2),
    (value) => `const ${name} = '${value}';`,
    (value) => `Server=${word(random)};User Id=sa;${name}=${value};Encrypt=true`,
    (value) => `${name} = ${value}`,
    (value) => `login failed with ${name}=${value} after 3 tries`,
    (value) => `| user | ada |\n| ${name} | ${value} |\n`,
    (value) => `| user | ${name} |\n|---|---|\n| ada | ${value} |\n`,
    (value) => `user,${name}\nada,${value}\n`,
  ]);
}

function notAssignment(random: Random): string {
  const name = random.pick(SECRET_NAMES);
  return random.pick([
    () => `${name}=${random.pick(TEMPLATES)}`,
    () => `"${name}": "${random.pick(["string", "password", "required", "", "none", "test"])}"`,
    () => `${name}: string;`,
    () => `const ${name} = getSecret("${word(random)}");`,
    () => `${name} = process.env.${name.toUpperCase()}`,
    () => `max_tokens: ${random.below(9000)}`,
    () => `nextPageToken=${chars(random, ALNUM, 16)}`,
    () => `The ${name}: ask ${word(random)} for it.`,
    () => `if (${name} === ${word(random)}.value) return;`,
    () => `${name}: options.${word(random)}Value,`,
    () => `tokenCount=${random.below(900)}`,
    () => `| ${name} | varchar(${random.below(900)}) |\n| user | ${word(random)}${random.below(9)} |\n`,
    () => `| user | ${name} |\n|---|---|\n| ada | ${random.pick(["required", "optional", "string(64)"])} |\n`,
    () => `user, ${name},\n${word(random)}, ${word(random)}${random.below(99)} and more`,
    () => `"${name}": { "type": "string" }`,
  ])();
}

function notRandom(random: Random): string {
  if (random.below(4) === 0) return identifierText(random);
  const hex = (length: number) => chars(random, HEX, length);
  return around(
    random,
    random.pick([
      () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      () => hex(40),
      () => hex(64),
      () => hex(32),
      () => `sha512-${chars(random, `${ALNUM}+/`, 86)}==`,
      () => `sha256:${hex(64)}`,
      () => `data:image/png;base64,iVBORw0KGgo${chars(random, `${ALNUM}+/`, 80)}`,
      () => `getThe${word(random)}OfTheNext${word(random)}FromTheList`,
      () => `/usr/lib/${word(random)}/${word(random)}/x86_64-linux-gnu/${word(random)}.so`,
      () => `org.example.${word(random)}.${word(random)}.AbstractFactoryBean`,
      () => `https://example.com/${word(random)}/${word(random)}-${word(random)}-${random.below(99)}`,
      () => `${UPPER}${LOWER}${DIGITS}`,
    ])(),
    "ref",
  );
}

function encoded(random: Random): { text: string; secrets: string[] } {
  const secret = random.pick([token, password])(random);
  const plain = random.pick([`user=me&password=${secret}`, JSON.stringify({ user: "me", password: secret })]);
  // Escapes leave letters as they are: of what is written so, the secret itself is what must not be seen.
  const escaped = encodeURIComponent(secret);
  return random.pick([
    ...[base64(plain, "padded"), base64(plain, "unpadded"), base64(plain, "url"), hexOf(plain), hexOf(plain).toUpperCase()].map((run) => () => ({
      text: around(random, run, "blob"),
      secrets: [run],
    })),
    () => ({ text: `GET /login?next=${encodeURIComponent(`/x?password=${secret}`)} HTTP/1.1`, secrets: [escaped] }),
    () => ({ text: `{"message":${JSON.stringify(JSON.stringify({ user: "me", password: secret }))}}`, secrets: [secret] }),
  ])();
}

function hexOf(text: string): string {
  return Buffer.from(text, "utf8").toString("hex");
}

function harmless(random: Random): string {
  const plain = `${word(random)} and ${word(random)} went to ${word(random)}, and ${word(random)} stayed`;
  return around(
    random,
    random.pick([
      () => base64(plain, "padded"),
      () => base64(plain, "url"),
      () => Buffer.from(plain, "utf8").toString("hex"),
      () => encodeURIComponent(plain),
      () => JSON.stringify(JSON.stringify({ note: plain, path: "a/b" })),
      () => encodeURIComponent(`https://example.com/${word(random)}?next=/a/b`),
    ])(),
    "blob",
  );
}

export const SECRETS: Readonly<Record<(typeof SECRET_DETECTORS)[number], Kind>> = {
  "provider-token": { positive: placed(token, "token"), negative: negative(notToken) },
  "private-key": { positive: privateKey, negative: negative(notPrivateKey) },
  jwt: { positive: placed(jwt, "session"), negative: negative(notJwt) },
  "url-password": { positive: urlPassword, negative: negative(notUrlPassword) },
  authorization: { positive: authorization, negative: negative(notAuthorization) },
  assignment: { positive: assignment, negative: negative(notAssignment) },
  "high-entropy": { positive: placed((random) => chars(random, ALNUM, 32 + random.below(20)), "grant"), negative: negative(notRandom) },
  encoded: { positive: encoded, negative: negative(harmless) },
};
