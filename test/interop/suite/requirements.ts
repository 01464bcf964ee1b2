// What a revision requires of a leg, as the suite itself lists it.

export type Leg = "server" | "client";

export interface Requirements {
  /** Scenarios that must pass. */
  readonly required: readonly string[];
  /** Scenarios that are run and reported, but count for nothing; with the suite's reason. */
  readonly unscored: ReadonlyMap<string, string>;
}

const TITLES: Readonly<Record<Leg, string>> = { server: "Server scenarios", client: "Client scenarios" };

/** Reads `conformance list --requirements REVISION`. Throws where it finds nothing that is required: then the format is another. */
export function parseRequirements(listing: string, leg: Leg): Requirements {
  const required: string[] = [];
  const unscored = new Map<string, string>();
  let section = "";
  let reason = "";
  for (const line of listing.split("\n")) {
    const [, indent = "", name, of] = /^( +)- (\S+)(?: \[(\w+)\])?$/.exec(line) ?? [];
    if (name === undefined) {
      if (/^\S/.test(line)) section = line;
      reason = /^ +(\S+) \(\d+\):$/.exec(line)?.[1] ?? reason;
    } else if (indent.length === 2 && section.startsWith(TITLES[leg])) required.push(name);
    else if (of === leg) unscored.set(name, reason);
  }
  if (required.length === 0) throw new Error(`the suite lists nothing that is required of a ${leg}:\n${listing}`);
  return { required, unscored };
}
