// The text of src/API.md: every public name with its doc comment and its declaration, as the compiler emits it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PINNED, type EntryPointNames } from "../structure/exports.ts";
import { codeOf } from "../structure/imports.ts";
import { ENTRY_MODULES, type Declarations, type Declared } from "./declarations.ts";

export const API = fileURLToPath(new URL("../../src/API.md", import.meta.url));

interface Section {
  readonly title: string;
  readonly about: string;
  readonly names: readonly Named[];
}

interface Named {
  readonly name: string;
  readonly declared: Declared;
  /** False for what an earlier section has described. */
  readonly described: boolean;
}

const ABOUT: Readonly<Record<string, string>> = {
  ".": "All that runs anywhere.",
  "./chain": "Interceptors and chains alone, for hosts that have a protocol stack of their own.",
  "./library": "Ready-made interceptors; [their README](library/README.md) says what each does.",
  "./conformance": "The vectors of SEP-2624 as functions.",
  "./web": "Message ports and HTTP by `fetch`.",
  "./node": "Standard streams, child processes, HTTP and worker threads on Node.",
  "./gateway": "The gateway and what `wrap` does, for programs; [its README](gateway/README.md) says what it does.",
};

const pinned = JSON.parse(readFileSync(PINNED, "utf8")) as Readonly<Record<string, EntryPointNames>>;
const byName = (a: string, b: string): number => a.toLowerCase().localeCompare(b.toLowerCase(), "en") || (a < b ? -1 : 1);

/** Public names without a doc comment, as `ENTRY NAME`. */
export function undocumented(declarations: Declarations): string[] {
  return sections(declarations).flatMap(({ title, names }) => names.filter(({ declared }) => declared.doc === "").map(({ name }) => `${title} ${name}`));
}

/** The whole page. */
export function apiPage(declarations: Declarations): string {
  const all = sections(declarations);
  const inner = innerTypes(declarations, all);
  const anchors = new Map<Declared, string>();
  const anchorOf = createSlugger();
  for (const heading of ["API", "Contents"]) anchorOf(heading);
  const titles = [...all, { title: INNER, names: inner.map((declared) => ({ name: declared.name, declared, described: true })) }].map(({ title, names }) => {
    const anchor = anchorOf(title);
    for (const { name, declared, described } of names) if (described) anchors.set(declared, anchorOf(name));
    return [title, anchor] as const;
  });
  const link = (text: string, declared: Declared) => `[\`${text}\`](#${anchors.get(declared)})`;
  const describe = ({ name, declared }: Pick<Named, "name" | "declared">) => {
    const doc = declared.doc.replace(/\{@link\s+([\w$]+)[^}]*\}/g, (_, target: string) => {
      const found = declarations.named(declared.file, target);
      return found !== undefined && anchors.has(found) ? link(target, found) : `\`${target}\``;
    });
    return `### ${name}\n\n${doc === "" ? "" : `${doc}\n\n`}\`\`\`ts\n${tidy(declared.code)}\n\`\`\`\n`;
  };
  const contents = all.map(({ title, names }, index) => `**[${title}](#${titles[index]![1]})**: ${names.map(({ name, declared }) => link(name, declared)).join(" · ")}\n`);
  const bodies = all.map(({ title, about, names }) => {
    const before = names.filter(({ described }) => !described);
    const again = before.length === 0 ? "" : ` Of the names above it has ${before.length}: ${before.map(({ name, declared }) => link(name, declared)).join(" · ")}.`;
    return `## ${title}\n\n${about}${again}\n\n${names.filter(({ described }) => described).map(describe).join("\n")}`;
  });
  return `${HEAD}\n## Contents\n\n${contents.join("\n")}\n${bodies.join("\n")}\n## ${INNER}\n\n${inner.map((declared) => describe({ name: declared.name, declared })).join("\n")}`;
}

const INNER = "Types without an export";
const HEAD = `# API

Every public name, by entry point, with its declaration as the compiler emits it. \`npm run docs -- api\` has written this page from the sources, and a test fails where
it is stale. What is named in a signature and cannot be imported is [at the end](#types-without-an-export). How parts belong together is told in the [README](../README.md), what
goes wrong in [errors](ERRORS.md).
`;

function sections(declarations: Declarations): Section[] {
  const seen = new Set<Declared>();
  return [...ENTRY_MODULES].map(([entry, file]) => {
    const { values = [], types = [] } = pinned[entry] ?? {};
    const names = [...values, ...types].sort(byName).map((name) => {
      const declared = declarations.exported(file, name);
      if (declared === undefined) throw new Error(`${file} has no declaration of ${name}`);
      const described = !seen.has(declared);
      seen.add(declared);
      return { name, declared, described };
    });
    return { title: entry.replace(/^\./, "mcp-interceptors"), about: ABOUT[entry] ?? "", names };
  });
}

/** What declarations name and nobody can import, those that these name included, by name. */
function innerTypes(declarations: Declarations, all: readonly Section[]): Declared[] {
  const known = new Set(all.flatMap(({ names }) => names.map(({ declared }) => declared)));
  const found = new Set<Declared>();
  const look = ({ code, file }: Declared): void => {
    for (const [name] of codeOf(code).matchAll(/(?<![.\w$])[A-Za-z_$][\w$]*/g)) {
      const declared = declarations.named(file, name);
      if (declared === undefined || known.has(declared) || found.has(declared) || !/^(?:interface|type|class|abstract)\b/.test(declared.code)) continue;
      found.add(declared);
      look(declared);
    }
  };
  for (const declared of known) look(declared);
  return [...found].sort((a, b) => byName(a.name, b.name) || byName(a.file, b.file));
}

/** Anchors as GitHub makes them: lower case, without punctuation, numbered where they come again. */
export function createSlugger(): (heading: string) => string {
  const taken = new Map<string, number>();
  return (heading) => {
    const slug = heading.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
    const before = taken.get(slug) ?? 0;
    taken.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
}

/** Half the indentation, and without what marks private members. */
function tidy(code: string): string {
  return code
    .split("\n")
    .filter((line) => !/^\s*(?:#private;|private )/.test(line))
    .map((line) => line.replace(/^(?: {4})+/, (spaces) => " ".repeat(spaces.length / 2)).replace(/\{@link\s+([\w$]+)[^}]*\}/g, "`$1`"))
    .join("\n");
}
