import type { Report } from "./kinds.ts";
import { distinctChars } from "./plausible.ts";

// Addresses of hooks let in whoever has them: what is secret of them is their path.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const HOOK = new RegExp(
  [
    `(?:[a-z0-9-]{1,60}\\.webhook\\.office\\.com/webhookb2|outlook\\.office(?:365)?\\.com/webhook)/(${UUID}@${UUID}/IncomingWebhook/[0-9a-f]{32}/${UUID}(?:/[A-Za-z0-9_-]{20,80})?)`,
    "hooks\\.slack\\.com/(?:workflows|triggers)/([TE][A-Z0-9]{6,14}/[A-Z0-9]{6,20}(?:/[0-9]{10,20})?/[A-Za-z0-9]{20,40})",
    "(?:[a-z]{1,10}\\.)?discord(?:app)?\\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})",
  ].join("|"),
  "iy",
);

const FEWEST_CHARACTERS = 8;

/** The secret part of a hook of Teams, Slack or Discord whose `://` starts at `at`. */
export function findHookUrl(text: string, at: number, report: Report): void {
  HOOK.lastIndex = at + "://".length;
  const found = HOOK.exec(text);
  if (found === null) return;
  const secret = found[1] ?? found[2] ?? found[3] ?? "";
  const end = found.index + found[0].length;
  // Templates repeat a letter or two.
  if (distinctChars(secret.replace(/[/@-]/g, "")) >= FEWEST_CHARACTERS) report("provider-token", end - secret.length, end);
}
