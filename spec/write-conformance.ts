// Writes spec/CONFORMANCE.md from requirements.json, vectors/ and contradictions.json. `npm run generate` runs it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SPEC = fileURLToPath(new URL(".", import.meta.url));
export const REPORT = join(SPEC, "CONFORMANCE.md");

const LEVELS = ["MUST", "SHOULD", "MAY"] as const;

interface Requirement {
  readonly id: string;
  readonly level: (typeof LEVELS)[number];
  readonly source: "SEP-2624" | "reading";
  readonly section: string;
  readonly text: string;
  readonly proofs: readonly string[];
}

/** A place where the SEP contradicts itself, or says nothing; all but the last member in words for its authors. */
export interface Point {
  readonly id: string;
  readonly kind: "contradiction" | "silence";
  /** Whether two honest readings differ in what passes a guard. */
  readonly hole: boolean;
  /** Headings of the SEP. */
  readonly where: readonly string[];
  readonly problem: string;
  readonly reading: string;
  readonly because: string;
  readonly proposal: string;
  /** Ids of requirements.json. */
  readonly requirements: readonly string[];
}

export interface Material {
  readonly requirements: readonly Requirement[];
  /** Each vector's id, by the file that holds it, below `vectors/`. */
  readonly vectors: ReadonlyMap<string, string>;
  readonly document: string;
  readonly points: readonly Point[];
}

export function readMaterial(): Material {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(SPEC, path), "utf8"));
  const files = readdirSync(join(SPEC, "vectors"), { recursive: true, encoding: "utf8" }).sort();
  const vectors = new Map<string, string>();
  for (const file of files.filter((name) => name.endsWith(".json") && name !== "fixtures.json")) {
    for (const { id } of (read(`vectors/${file}`) as { vectors: { id: string }[] }).vectors) vectors.set(id, file);
  }
  const { requirements } = read("requirements.json") as { requirements: Requirement[] };
  return { requirements, vectors, ...(read("contradictions.json") as { document: string; points: Point[] }) };
}

/** The whole page. */
export function conformanceText(material: Material): string {
  const { requirements, vectors, document, points } = material;
  const open = requirements.filter(({ proofs }) => proofs.length === 0);
  return [
    "# Conformance",
    "",
    "Written by `npm run generate` from `requirements.json`, `vectors/` and `contradictions.json`: do not edit it by hand.",
    "",
    `What ${document}, demands, and what our reading adds where it is silent, requirement by requirement, with what proves that this package holds to it. \`npm test\``,
    "runs every proof. Vectors can be run by any implementation; `README.md` says how. Where tests alone are named, the matter is one of bytes, functions, logs or",
    "several connections, which a vector cannot hold. What the SEP asks of organizations (compliance of their logs) is no matter of code, and is not listed.",
    "",
    "## In numbers",
    "",
    ...table(["level", "requirements", "shown by vectors", "shown by tests alone", "open"], LEVELS.map((level) => countsOf(level, requirements))),
    "",
    `${vectors.size} vectors: ${kindsOf(vectors)}.`,
    "",
    "## Open",
    "",
    ...(open.length === 0 ? ["Nothing."] : open.map(({ id, level, text }) => `- \`${id}\` (${level}): ${text}`)),
    "",
    ...chapter("What the SEP demands", "The section is that of the SEP.", "SEP-2624", material),
    ...chapter("What our reading adds", "The section is that of our reading: 1 names, 2 payload, 3 policy, 4 order, 5 verdicts, 6 failures, 7 errors, 8 context, 9 what is intercepted, 10 methods.", "reading", material),
    ...pointsChapter(points),
  ].join("\n");
}

function chapter(title: string, note: string, source: Requirement["source"], { requirements, vectors }: Material): string[] {
  const rows = requirements
    .filter((requirement) => requirement.source === source)
    .map(({ id, level, section, text, proofs }) => [`\`${id}\``, level, section, text, proofs.length === 0 ? "**open**" : proofsOf(proofs, vectors)]);
  return [`## ${title}`, "", note, "", ...table(["id", "level", "section", "what", "proof"], rows), ""];
}

/** Vectors counted by file, tests by name, each with a link. */
function proofsOf(proofs: readonly string[], vectors: Material["vectors"]): string {
  const byFile = new Map<string, number>();
  const tests: string[] = [];
  for (const proof of proofs) {
    const [, path, name] = /^test (\S+): (.+)$/.exec(proof) ?? [];
    if (path !== undefined && name !== undefined) tests.push(`[${path.split("/").at(-1)}](../test/${path}): ${name}`);
    else if (vectors.has(proof)) byFile.set(vectors.get(proof)!, (byFile.get(vectors.get(proof)!) ?? 0) + 1);
  }
  const files = [...byFile].map(([file, count]) => `[${file.replace(/\.json$/, "")}](vectors/${file}) ${count}`);
  return [...files, ...tests].join(", ");
}

function pointsChapter(points: readonly Point[]): string[] {
  const holes = points.filter(({ hole }) => hole).length;
  const contradictions = points.filter(({ kind }) => kind === "contradiction").length;
  const lines = [
    "## Where the SEP contradicts itself or is silent",
    "",
    `${points.length} points for its authors: ${contradictions} contradictions and ${points.length - contradictions} silences. ${holes} open a hole: two honest readings differ in what passes a guard, or in what`,
    "leaks from it. Each has the place, the problem, our reading with its reason, and words that would settle it.",
    "",
  ];
  for (const [at, { id, kind, hole, where, problem, reading, because, proposal, requirements }] of points.entries()) {
    lines.push(
      `### ${at + 1}. \`${id}\` (${kind}${hole ? ", a hole" : ""})`,
      "",
      `- **Where:** ${where.join("; ")}`,
      `- **Problem:** ${problem}`,
      `- **Our reading:** ${reading}`,
      `- **Reason:** ${because}`,
      `- **Proposal:** ${proposal}`,
      `- **Requirements:** ${requirements.map((requirement) => `\`${requirement}\``).join(", ")}`,
      "",
    );
  }
  return lines;
}

function countsOf(level: Requirement["level"], requirements: readonly Requirement[]): string[] {
  const all = requirements.filter((requirement) => requirement.level === level);
  const isTest = (proof: string) => proof.startsWith("test ");
  const byVector = all.filter(({ proofs }) => proofs.some((proof) => !isTest(proof))).length;
  const open = all.filter(({ proofs }) => proofs.length === 0).length;
  return [level, all.length, byVector, all.length - byVector - open, open].map(String);
}

function kindsOf(vectors: Material["vectors"]): string {
  const counts = new Map<string, number>();
  for (const id of vectors.keys()) {
    const kind = id.slice(0, id.indexOf("/"));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(REPORT, conformanceText(readMaterial()));
