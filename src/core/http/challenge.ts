/** One challenge of a WWW-Authenticate header (RFC 9110, section 11.6.1): a scheme and its parameters, names in lower case. */
export interface AuthChallenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

// At the start of what is left: a scheme with white space behind it, or at the end of an item. Then name=value, value a token or quoted.
const SCHEME = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?:[ \t]+|(?=,)|$)/;
const PARAMETER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+\-.^_`|~0-9A-Za-z]+))/;
// A token68, which stands in place of parameters: `Negotiate YWJj=`.
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/;
const LONGEST = 16_384;

/**
 * Reads a WWW-Authenticate header, several values joined by commas included. What cannot be read ends the reading: a client needs a challenge
 * that it understands, not a verdict on the header.
 */
export function parseChallenges(header: string): readonly AuthChallenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let rest = header.slice(0, LONGEST);
  for (;;) {
    rest = rest.replace(/^[ \t,]+/, "");
    if (rest === "") return challenges;
    const parameter = PARAMETER.exec(rest);
    const current = challenges.at(-1);
    if (parameter !== null && current !== undefined) {
      const [whole, name = "", quoted, token = ""] = parameter;
      const key = name.toLowerCase();
      // The first one counts: a second may not take its place.
      if (!current.parameters.has(key)) current.parameters.set(key, quoted === undefined ? token : quoted.replace(/\\(.)/g, "$1"));
      rest = rest.slice(whole.length);
      continue;
    }
    const [whole, scheme] = SCHEME.exec(rest) ?? [];
    if (whole === undefined || scheme === undefined) return challenges;
    challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    rest = rest.slice(whole.length);
    if (PARAMETER.exec(rest) === null) rest = rest.replace(TOKEN68, "");
  }
}
