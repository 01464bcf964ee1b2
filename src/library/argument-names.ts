/**
 * Whether an argument is called by one of these words: the last word of its name, whatever the name's style (`targetUrl`, `target_url`,
 * `target-url`, `URL`, `urls`). What the words say is a guess by convention.
 */
export function namedBy(words: ReadonlySet<string>, name: string): boolean {
  const last = /(?:[A-Z]+s?|[A-Z]?[a-z]+)[^A-Za-z]*$/.exec(name.slice(-MAX_NAME_CHARS))?.[0].replace(/[^A-Za-z]+$/, "").toLowerCase();
  return last !== undefined && (words.has(last) || PLURALS.some(([ending, one]) => last.endsWith(ending) && words.has(last.slice(0, -ending.length) + one)));
}

// `urls`, `branches`, `directories`.
const PLURALS: readonly (readonly [ending: string, one: string])[] = [["s", ""], ["es", ""], ["ies", "y"]];

const MAX_NAME_CHARS = 100;
