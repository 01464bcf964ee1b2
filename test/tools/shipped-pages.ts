// Which files the package holds, and its pages without the links that lead out of it: to tests and sources, which only a checkout has.
import { readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const ALWAYS = ["package.json", "README.md", "LICENSE"];
const FOLDERS = ["src", "spec", "examples", "dist"];

/** The files that npm takes by the member `files` of the manifest, whose patterns may have stars, two of them for any folders. */
export function shippedFiles(root: string, patterns: readonly string[]): ReadonlySet<string> {
  const isShipped = [...ALWAYS, ...patterns].map((pattern) => new RegExp(`^${pattern.replace(/[.+]/g, "\\$&").replace(/\*\*\/|\*/g, (star) => (star === "*" ? "[^/]*" : "(?:.*/)?"))}(?:/|$)`));
  const found = FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path.replaceAll("\\", "/")}`));
  return new Set([...readdirSync(root), ...found].filter((path) => isShipped.some((shipped) => shipped.test(path))));
}

const CODE_OR_LINK = /^(`{3,})[^]*?^\1$|`[^`\n]*`|\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^()\s]+)\)/gm;

/** The page at the path with the text alone of each link that leads to no file, and no folder of files, that is shipped. */
export function withoutLinksOutside(text: string, path: string, shipped: ReadonlySet<string>): string {
  return text.replace(CODE_OR_LINK, (whole: string, _fence: string | undefined, words: string | undefined, link: string | undefined) => {
    if (words === undefined || link === undefined || /^(?:[a-z]+:|#)/.test(link)) return whole;
    const target = posix.join(dirname(path), link.split("#")[0]!).replace(/\/$/, "");
    return shipped.has(target) || [...shipped].some((file) => file.startsWith(`${target}/`)) ? whole : words;
  });
}
