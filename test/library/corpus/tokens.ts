import { base62, crc32 } from "../../../src/library/secrets/checksum.ts";
import type { Random } from "../../support/random.ts";

export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const DIGITS = "0123456789";
export const ALNUM = UPPER + LOWER + DIGITS;
export const HEX = "0123456789abcdef";
const URL_SAFE = `${ALNUM}-_`;

export function chars(random: Random, alphabet: string, length: number): string {
  let text = "";
  for (let count = 0; count < length; count++) text += alphabet[random.below(alphabet.length)];
  return text;
}

/** Random letters and digits that end in a letter or digit. */
function body(random: Random, length: number): string {
  return chars(random, URL_SAFE, length - 1) + chars(random, ALNUM, 1);
}

function checked(random: Random): string {
  const payload = chars(random, ALNUM, 30);
  return payload + base62(crc32(payload)).padStart(6, "0");
}

/** By format: a token that its provider might have given out. */
export const TOKENS: Readonly<Record<string, (random: Random) => string>> = {
  github: (random) => `gh${random.pick([..."pousr"])}_${checked(random)}`,
  githubFine: (random) => `github_pat_${chars(random, ALNUM, 22)}_${chars(random, ALNUM, 59)}`,
  npm: (random) => `npm_${checked(random)}`,
  stripe: (random) => `${random.pick(["sk", "rk"])}_${random.pick(["live", "test"])}_${chars(random, ALNUM, random.pick([24, 99]))}`,
  aws: (random) => `${random.pick(["AKIA", "ASIA"])}${chars(random, `${UPPER}234567`, 16)}`,
  google: (random) => `AIza${body(random, 35)}`,
  slack: (random) => `xox${random.pick([..."bp"])}-${chars(random, DIGITS, 12)}-${chars(random, DIGITS, 13)}-${chars(random, ALNUM, 24)}`,
  openai: (random) => `sk-${random.pick(["", "proj-"])}${chars(random, ALNUM, 48)}`,
  anthropic: (random) => `sk-ant-api03-${body(random, 93)}AA`,
  gitlab: (random) => `glpat-${body(random, 20)}`,
  sendgrid: (random) => `SG.${body(random, 22)}.${body(random, 43)}`,
  twilio: (random) => `SK${chars(random, HEX, 32)}`,
  pypi: (random) => `pypi-AgEIcHlwaS5vcmc${body(random, 140)}`,
  docker: (random) => `dckr_pat_${body(random, 27)}`,
  huggingFace: (random) => `hf_${chars(random, UPPER + LOWER, 34)}`,
  telegram: (random) => `${1 + random.below(9)}${chars(random, DIGITS, 8)}:AA${body(random, 33)}`,
  discord: (random) => `${random.pick([..."MNO"])}${chars(random, ALNUM, 23)}.${body(random, 6)}.${body(random, 27)}`,
  mailgun: (random) => `key-${chars(random, HEX, 32)}`,
  shopify: (random) => `shpat_${chars(random, HEX, 32)}`,
  digitalOcean: (random) => `dop_v1_${chars(random, HEX, 64)}`,
  linear: (random) => `lin_api_${chars(random, ALNUM, 40)}`,
};

export function token(random: Random): string {
  return random.pick(Object.values(TOKENS))(random);
}

export function base64(text: string, form: "padded" | "unpadded" | "url"): string {
  const padded = Buffer.from(text, "utf8").toString("base64");
  if (form === "padded") return padded;
  return form === "url" ? Buffer.from(text, "utf8").toString("base64url") : padded.replace(/=+$/, "");
}

export function jwt(random: Random): string {
  const header = JSON.stringify({ alg: random.pick(["HS256", "RS256", "ES256"]), ...(random.below(2) === 0 && { typ: "JWT" }) });
  const claims = JSON.stringify({ sub: chars(random, DIGITS, 8), iat: 1_700_000_000 + random.below(90_000_000), name: random.pick(["Ada", "Bo", "Cy"]) });
  return [base64(header, "url"), base64(claims, "url"), body(random, random.pick([43, 86]))].join(".");
}

export function pem(random: Random, isWhole: boolean): string {
  const label = random.pick(["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"]);
  const lines = Array.from({ length: 3 + random.below(12) }, () => chars(random, `${ALNUM}+/`, 64));
  return [`-----BEGIN ${label}-----`, ...lines, ...(isWhole ? [`${chars(random, ALNUM, 30)}==`, `-----END ${label}-----`] : [])].join("\n");
}

/** What people take for good passwords: no blank, a letter and a digit or mark at least. */
export function password(random: Random): string {
  const words = ["hunter", "dragon", "Sommer", "winter", "Passw0rd", "monkey", "qwerty", "Tr0ub4dor"];
  return random.pick([
    () => random.pick(words) + chars(random, DIGITS, 2 + random.below(3)),
    () => random.pick(words) + chars(random, DIGITS, 2) + random.pick([..."!$*^~"]),
    () => chars(random, ALNUM, 11) + chars(random, DIGITS, 1) + random.pick([..."!$*^~"]) + chars(random, LOWER, 2),
    () => `${chars(random, LOWER, 5)}-${chars(random, DIGITS, 3)}-${chars(random, LOWER, 5)}`,
  ])();
}
