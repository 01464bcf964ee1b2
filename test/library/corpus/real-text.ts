// What the detectors find in real text: the text files of the packages that the tests against other SDKs install. Run by itself, it lists what it finds,
// by type, for people to judge: `real-text.ts PATTERN FOLDER`, where only lines that match the pattern are shown, and another folder is read.
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createScanner, SENSITIVE_TYPES } from "../../../src/library/detect/scan.ts";
import { createFindSecrets } from "../../../src/library/secrets/scan.ts";

export const REAL_TEXT_FOLDER = fileURLToPath(new URL("../../interop/node_modules", import.meta.url));

const MOST_BYTES = 4 * 1024 * 1024;

export interface Finding {
  readonly file: string;
  readonly type: string;
  readonly text: string;
  /** What stands before it, and after it. */
  readonly before: string;
  readonly after: string;
}

export interface RealText {
  readonly files: number;
  /** Of all texts, in UTF-16 units. */
  readonly chars: number;
  readonly findings: readonly Finding[];
}

/** Reads all files below a folder that are UTF-8 text of at most 4 MiB. */
export function findInRealText(folder = REAL_TEXT_FOLDER): RealText {
  const pii = createScanner(SENSITIVE_TYPES);
  const findSecrets = createFindSecrets();
  const findings: Finding[] = [];
  let files = 0;
  let chars = 0;
  const root = realpathSync(folder);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || statSync(path).size > MOST_BYTES) continue;
    const bytes = readFileSync(path);
    if (bytes.includes(0)) continue;
    const text = bytes.toString("utf8");
    files++;
    chars += text.length;
    for (const { type, start, end } of [...pii.find(text), ...findSecrets(text)]) {
      const found = { type, text: text.slice(start, end), before: text.slice(Math.max(0, start - 40), start), after: text.slice(end, end + 20) };
      findings.push({ file: path.slice(root.length + 1), ...found });
    }
  }
  return { files, chars, findings };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pattern = new RegExp(process.argv[2] ?? "");
  const { files, chars, findings } = findInRealText(process.argv[3]);
  for (const { file, type, text, before, after } of findings) {
    const line = `${type}\t${JSON.stringify(before)} >>> ${JSON.stringify(text.slice(0, 80))} <<< ${JSON.stringify(after)}\t${file}`;
    if (pattern.test(line)) console.log(line);
  }
  const counts = new Map<string, number>();
  for (const { type } of findings) counts.set(type, (counts.get(type) ?? 0) + 1);
  console.log(`${files} files, ${(chars / 1e6).toFixed(1)} million characters; ${[...counts].map(([type, count]) => `${type} ${count}`).join(", ")}`);
}
