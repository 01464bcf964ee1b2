import { CLASS_OF, URL_END_CLASS } from "../detect/characters.ts";
import type { Report } from "./kinds.ts";
import { isPlaceholder } from "./plausible.ts";

const MOST_AUTHORITY = 512;
const ESCAPED = /%[0-9A-Fa-f]{2}/g;

/** The password of a URL or connection string (`postgres://user:password@host`), whose `://` starts at `at`; only a password is hidden, no user or host. */
export function findUrlPassword(text: string, at: number, report: Report): void {
  const start = at + 3;
  const limit = Math.min(text.length, start + MOST_AUTHORITY);
  let colon = -1;
  let sign = -1;
  for (let index = start; index < limit; index++) {
    if ((CLASS_OF[text.charCodeAt(index)]! & URL_END_CLASS) !== 0) break;
    const character = text.charAt(index);
    // Passwords are written unescaped, slashes and all; but a path is no part of them once a host without a user has gone before.
    if ((character === "/" || character === "?" || character === "#") && (colon === -1 || sign !== -1 || isPort(text, colon, index))) break;
    if (character === ":") {
      // Here starts another URL.
      if (text.startsWith("//", index + 1)) break;
      if (colon === -1) colon = index;
    }
    if (character === "@") sign = index;
  }
  if (colon === -1 || sign < colon + 2) return;
  const password = text.slice(colon + 1, sign);
  if (!isPlaceholder(password.replace(ESCAPED, "~"))) report("url-password", colon + 1, sign);
}

function isPort(text: string, colon: number, end: number): boolean {
  return end - colon <= 6 && /^[0-9]*$/.test(text.slice(colon + 1, end));
}

const MOST_USER = 64;

/** The password in `user:password@tcp(host:3306)/database`, as drivers in Go write it. */
export function findDriverPasswords(text: string, report: Report): void {
  for (const mark of ["@tcp(", "@unix("]) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
      const found = USER_AND_PASSWORD.exec(text.slice(Math.max(0, at - MOST_USER - 128), at));
      const password = found?.[1] ?? "";
      if (password !== "" && !isPlaceholder(password)) report("url-password", at - password.length, at);
    }
  }
}

const USER_AND_PASSWORD = /(?:^|[^A-Za-z0-9_.-])[A-Za-z0-9_.-]{1,64}:([^\s"'`<>@]{1,128})$/;
