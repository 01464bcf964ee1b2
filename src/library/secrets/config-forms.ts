import type { Report } from "./kinds.ts";
import { isPlaceholder } from "./plausible.ts";
import { kindOfName } from "./secret-names.ts";
import { isSecretValue } from "./secret-value.ts";

// Passwords that codes, connection strings and settings write in ways of their own.

export function findConfigForms(text: string, report: Report): void {
  // Capitals and semicolons are rarer than small letters, so searches that start with one are faster.
  for (let at = text.indexOf("WIFI:"); at !== -1; at = text.indexOf("WIFI:", at + 5)) findWifi(text, at, report);
  for (const word of ["ENV ", "SetEnv "]) for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) findVariable(text, at, report);
  for (let at = text.indexOf(PART); at !== -1; at = text.indexOf(PART, at + PART.length)) if (text.endsWith("form-data", at)) findPart(text, at + PART.length, report);
  // No such address is without an @, and few texts have one.
  if (text.includes("@")) for (let at = text.indexOf(DRIVER); at !== -1; at = text.indexOf(DRIVER, at + DRIVER.length)) findOracle(text, at, report);
}

const SET_VARIABLE = /(?:ENV|SetEnv)[ \t]{1,8}([A-Za-z0-9_]{2,60})[ \t]{1,8}["']?([^\s"']{4,128})["']?(?=[ \t]{0,8}(?:[\r\n]|$))/y;

/** `ENV POSTGRES_PASSWORD …` of Docker, `SetEnv DB_PASSWORD …` of Apache. */
function findVariable(text: string, at: number, report: Report): void {
  SET_VARIABLE.lastIndex = at;
  const found = SET_VARIABLE.exec(text);
  if (found !== null) reportNamed(text, found[1] ?? "", found[2] ?? "", SET_VARIABLE.lastIndex, report);
}

const PART = '; name="';
const OF_PART = /([A-Za-z0-9_.[\]-]{2,60})"\r?\n(?:[A-Za-z-]{1,40}: [^\r\n]{0,100}\r?\n){0,3}\r?\n([^\r\n]{4,128})(?=\r?\n|$)/y;

/** A part of `multipart/form-data`. */
function findPart(text: string, from: number, report: Report): void {
  OF_PART.lastIndex = from;
  const found = OF_PART.exec(text);
  if (found !== null) reportNamed(text, (found[1] ?? "").replace(/\]$/, ""), found[2] ?? "", OF_PART.lastIndex, report);
}

/** Reports the last `value` before `end` if it is a secret of that name. */
function reportNamed(text: string, name: string, value: string, end: number, report: Report): void {
  const kind = kindOfName(name);
  const start = kind === undefined ? -1 : text.lastIndexOf(value, end - value.length);
  if (start !== -1 && isSecretValue(value, { isPassword: kind === "password", isTight: true, isQuoted: false, isLine: true })) report("assignment", start, start + value.length);
}

const MOST_CODE = 400;
const WIFI_PASSWORD = /^WIFI:(?:[A-OQ-Z][0-9]?:(?:\\.|[^;\\\n]){0,100};){0,8}P:((?:\\.|[^;\\\n]){1,128});/;

/** `WIFI:T:WPA;S:home;P:secret;;`, as QR codes have it. */
function findWifi(text: string, at: number, report: Report): void {
  const found = WIFI_PASSWORD.exec(text.slice(at, at + MOST_CODE));
  const password = found?.[1];
  if (found === null || password === undefined || isPlaceholder(unquoted(password))) return;
  const end = at + found[0].length - 1;
  report("assignment", end - password.length, end);
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}

const DRIVER = "jdbc:oracle:";
const ORACLE = /^jdbc:oracle:(?:thin|oci8?):[A-Za-z0-9_.$#-]{1,64}\/("[^"\n]{1,128}"|[^\s"'`<>@]{1,128})@/;

/** `jdbc:oracle:thin:user/password@//host` */
function findOracle(text: string, at: number, report: Report): void {
  const found = ORACLE.exec(text.slice(at, at + MOST_CODE));
  const password = found?.[1];
  if (found === null || password === undefined || isPlaceholder(unquoted(password))) return;
  const end = at + found[0].length - 1;
  report("url-password", end - password.length, end);
}

const VARIABLE = /^variable "([A-Za-z0-9_-]{1,60})"\s{0,9}\{/;
const DEFAULT = /^[^{}]{0,400}?\bdefault\s{0,20}=\s{0,9}"((?:\\.|[^"\\\n$]){4,256})"/;

/** The `default` of a variable of Terraform that is named like a secret; its `variable "` is at `at`. */
export function findDefault(text: string, at: number, report: Report): void {
  const head = VARIABLE.exec(text.slice(at, at + MOST_CODE));
  const kind = head === null ? undefined : kindOfName(head[1] ?? "");
  if (head === null || kind === undefined) return;
  const from = at + head[0].length;
  const found = DEFAULT.exec(text.slice(from, from + 2 * MOST_CODE));
  const value = found?.[1];
  if (found === null || value === undefined || !isSecretValue(value, { isPassword: kind === "password", isTight: true, isQuoted: true, isLine: true })) return;
  const end = from + found[0].length - 1;
  report("assignment", end - value.length, end);
}
