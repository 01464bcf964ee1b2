import type { Verb } from "./verb.ts";

interface Listed {
  /** One line for the list of verbs. */
  readonly summary: string;
  load(): Promise<Verb>;
}

/** A verb, with what the list of all says of it. */
export type ListedVerb = Verb & Pick<Listed, "summary">;

// In the order in which the help lists them. A verb is loaded when it is named: together they are most of the package.
const VERBS: ReadonlyMap<string, Listed> = new Map<string, Listed>([
  ["wrap", { summary: "put interceptors in front of an MCP server on stdio", load: async () => (await import("./wrap.ts")).wrap }],
  ["gateway", { summary: "serve MCP servers through interceptors, as a file says", load: async () => (await import("./gateway.ts")).gateway }],
  ["check", { summary: "check such a file, and print what is guarded by what", load: async () => (await import("./check.ts")).check }],
  ["list", { summary: "list the interceptors of a server, a module or a configuration", load: async () => (await import("./list.ts")).list }],
  ["invoke", { summary: "call one interceptor, and show what it says", load: async () => (await import("./invoke.ts")).invoke }],
  ["chain", { summary: "run one message through a chain, and show each step", load: async () => (await import("./chain.ts")).chain }],
  ["explain", { summary: "say which rules of a configuration apply to a message, and why", load: async () => (await import("./explain.ts")).explain }],
  ["test", { summary: "run tests of a configuration: messages, and what becomes of them", load: async () => (await import("./test.ts")).test }],
  ["record", { summary: "write a session with an MCP server on stdio to a file, for replay and bench", load: async () => (await import("./record.ts")).record }],
  ["replay", { summary: "run a recorded session through a configuration, or two, and show the differences", load: async () => (await import("./replay.ts")).replay }],
  ["bench", { summary: "measure what the interceptors of a configuration cost per message", load: async () => (await import("./bench.ts")).bench }],
  ["doctor", { summary: "look for what is wrong with a configuration as it runs, and say what to do", load: async () => (await import("./doctor.ts")).doctor }],
  ["init", { summary: "put a gateway before the servers in a client's file", load: async () => (await import("./init.ts")).init }],
  ["vendor", { summary: "copy what an entry point needs into another project", load: async () => (await import("./vendor.ts")).vendor }],
  ["audit", { summary: "check and count the audit logs of a gateway", load: async () => (await import("./audit.ts")).audit }],
  ["conformance", { summary: "measure an implementation against the vectors of SEP-2624", load: async () => (await import("./conformance.ts")).conformance }],
  ["fixture-server", { summary: "a server that hosts the interceptors of those vectors", load: async () => (await import("./fixture-server.ts")).fixtureServerVerb }],
  ["fixture-adapter", { summary: "a program that answers vectors about chains with our engine", load: async () => (await import("./fixture-adapter.ts")).fixtureAdapter }],
]);

/** All verbs that do something, with a line about each. */
export const SUMMARIES: ReadonlyMap<string, string> = new Map([...VERBS].map(([name, { summary }]) => [name, summary]));

/** The verb of that name, if there is one. */
export async function loadVerb(name: string): Promise<ListedVerb | undefined> {
  const listed = VERBS.get(name);
  return listed && { ...(await listed.load()), summary: listed.summary };
}

export async function loadVerbs(): Promise<readonly ListedVerb[]> {
  return Promise.all([...VERBS.values()].map(async ({ summary, load }) => ({ ...(await load()), summary })));
}
