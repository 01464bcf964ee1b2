// Links between pages, and whether they lead somewhere.
import { dirname, posix } from "node:path";
import { createSlugger } from "./api.ts";

/** What a heading is made an anchor of. */
function anchorsOf(text: string): Set<string> {
  const slug = createSlugger();
  return new Set([...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"))));
}

const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, "");

/** Links to files that are not there, and to headings that a page does not have. */
export function brokenLinks(all: ReadonlyMap<string, string>, exists: (path: string) => boolean): string[] {
  return [...all].flatMap(([path, text]) =>
    [...withoutCode(text).replace(/`[^`\n]*`/g, "").matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : posix.join(dirname(path), file).replace(/\/$/, "");
      if (!exists(target)) return [`${path}: ${link}`];
      const page = all.get(target);
      return anchor === undefined || page === undefined || anchorsOf(page).has(anchor) ? [] : [`${path}: ${link}`];
    }),
  );
}
