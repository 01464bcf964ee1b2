import { CORPORA } from "../library/corpus/corpora.ts";
import { findInRealText } from "../library/corpus/real-text.ts";
import { measure, PII_DETECTORS, rates, SECRET_DETECTORS } from "../library/corpus/sample.ts";
import { SENSITIVE_TYPES } from "../../src/library/detect/scan.ts";
import { measured } from "./measured.ts";
import type { Measured } from "./results.ts";
import { startWorker } from "./worker.ts";

const SEED = 1;

const SAMPLES = [
  ["Plain", "prose"],
  ["Numbers", "prose with numbers"],
  ["Log", "log lines"],
  ["Json", "JSON within a text"],
  ["Addresses", "a sentence with an address and a number each"],
] as const;

interface Times {
  readonly redact: number;
  readonly secrets: number;
  readonly parse: number;
}

/** What `redact` and `secret-guard` take beside `JSON.parse`, what they find over the corpora, and over real text. */
export async function compareDetection(): Promise<Record<string, Measured>> {
  return { ...(await compareSpeed()), ...compareQuality(), ...countRealText() };
}

const number = (value: number, unit: Measured["unit"], what: string): Measured => measured(unit)(value, what);

async function compareSpeed(): Promise<Record<string, Measured>> {
  const worker = await startWorker("detect-worker.mjs");
  // The worker's own words.
  const found = (await worker.measure({})) as Record<string, Times>;
  worker.stop();
  const rows: Record<string, Measured> = {};
  for (const [name, text] of SAMPLES) {
    const { redact, secrets, parse } = found[name]!;
    rows[`redactText${name}`] = number(redact / parse, "×", `\`redact\` on ${text} / \`JSON.parse\` of it`);
    rows[`secretText${name}`] = number(secrets / parse, "×", `\`secret-guard\` on ${text} / \`JSON.parse\``);
    rows[`detectText${name}`] = number((redact + secrets) / parse, "×", `both on ${text} / \`JSON.parse\``);
    rows[`redactCost${name}`] = number(redact, "µs/kB", `\`redact\` on ${text}`);
    rows[`secretCost${name}`] = number(secrets, "µs/kB", `\`secret-guard\` on ${text}`);
  }
  return rows;
}

function compareQuality(): Record<string, Measured> {
  const rows: Record<string, Measured> = {};
  for (const [name, generate] of CORPORA) {
    const scores = measure(generate(SEED));
    for (const [key, what, detectors] of [["pii", "personal data", PII_DETECTORS], ["secret", "secrets", SECRET_DETECTORS]] as const) {
      const { precision, recall } = rates([...scores].filter(([detector]) => detectors.some((one) => one === detector)).map(([, score]) => score));
      rows[`${key}Precision-${name}`] = number(precision * 100, "%", `precision on ${what}, ${name} corpus`);
      rows[`${key}Recall-${name}`] = number(recall * 100, "%", `recall on ${what}, ${name} corpus`);
    }
  }
  return rows;
}

function countRealText(): Record<string, Measured> {
  const { chars, findings } = findInRealText();
  const perMegabyte = (wanted: (type: string) => boolean) => (findings.filter(({ type }) => wanted(type)).length / chars) * 1e6;
  const pii: readonly string[] = SENSITIVE_TYPES;
  return {
    realEmails: number(perMegabyte((type) => type === "email"), "/MB", "e-mail addresses in real text (of authors, and in tests)"),
    realIps: number(perMegabyte((type) => type === "ip"), "/MB", "IP addresses in real text (half of them in packages about these)"),
    realNumbers: number(perMegabyte((type) => pii.includes(type) && type !== "email" && type !== "ip"), "/MB", "phone, card, account and security numbers in real text"),
    realSecrets: number(perMegabyte((type) => !pii.includes(type)), "/MB", "secrets in real text, where there are none but in tests"),
  };
}
