import { hasLatinLookAlike, mixesScripts, passesForLatin } from "../look-alike.ts";
import { foldHost, parseHost, type UrlHost } from "./host.ts";
import { decodeLabel } from "./punycode.ts";

/**
 * Why the name of a host is not what it looks like, in Punycode or not: a label mixes scripts (`g\u0456thub.com`, with a Cyrillic letter), or is made of look-alikes or has one of Latin (`xn--gthub-n4a.com`, with a
 * dotless i) under a domain of Latin letters, but for the domains of languages that write so. `unreadable`
 * where its Punycode stands for nothing that a label may have.
 */
export function deceptiveHost({ name, readings }: UrlHost): "mixed" | "look-alike" | "unreadable" | undefined {
  if (readings !== undefined) return undefined;
  const labels = name.split(".");
  // Under a domain of their own script, words that have such letters alone are words.
  const isLatin = /^[a-z]+$/.test(labels.at(-1) ?? "");
  const hasDotlessI = /^(?:tr|az)$/.test(labels.at(-1) ?? "");
  for (const label of labels) {
    const letters = decodeLabel(label);
    // What folding would change is nothing that a label may stand for.
    if (letters === undefined || (letters !== label && (foldHost(letters) !== letters || parseHost(letters) === undefined))) return "unreadable";
    if (mixesScripts(letters)) return "mixed";
    if (isLatin && (passesForLatin(letters) || (!hasDotlessI && hasLatinLookAlike(letters)))) return "look-alike";
  }
  return undefined;
}
