/** Kinds of variants that an official SDK judges otherwise than we do, and why. A rule that matches nothing fails. */
export interface Rule {
  readonly sdk: "1.x" | "2.x" | "both";
  readonly theirs: "accepts" | "refuses";
  readonly reason: string;
  readonly about: RegExp;
}

const both = { sdk: "both" } as const;
const only1 = { sdk: "1.x" } as const;
const only2 = { sdk: "2.x" } as const;

export const RULES: readonly Rule[] = [
  // What we let pass.
  { ...both, theirs: "refuses", reason: "strings are not decoded", about: /\/(data|blob|lastModified) text$/ },
  { ...both, theirs: "refuses", reason: "URLs are not parsed", about: /^elicitation\/create request \/url text$/ },
  { ...both, theirs: "refuses", reason: "later revisions may allow other URIs for roots", about: /^roots\/list result \/roots\/\*\/uri text$/ },
  { ...both, theirs: "refuses", reason: "later revisions add block types", about: /\/content(\/\*)?(\/content\/\*)?\/type text$/ },
  { ...both, theirs: "refuses", reason: "2026-07-28 has no elicitationId", about: /^elicitation\/create request \/elicitationId absent$/ },
  { ...both, theirs: "refuses", reason: "that enum holds strings says the list itself", about: /\/items\/type absent$/ },
  { ...both, theirs: "refuses", reason: "JSON-RPC answers with the id null where it could not read one", about: /^message \/id null$/ },
  { ...both, theirs: "refuses", reason: "schemas are checked by whoever compiles them", about: /\/inputSchema\/required(\/\*)? / },
  { ...only1, theirs: "refuses", reason: "2020-12 knows true and false as schemas; other values, see above", about: /\/inputSchema\/properties\/a / },
  { ...only1, theirs: "refuses", reason: "2026-07-28 allows any schema for results", about: /\/outputSchema(\/\S+)? / },
  { ...only1, theirs: "refuses", reason: "2026-07-28 allows any JSON for structured content", about: /\/structuredContent / },
  // What we do not.
  { ...both, theirs: "accepts", reason: "every revision demands the list; they read a missing one as empty", about: /^tools\/call result \/content absent$/ },
  {
    ...only1,
    theirs: "accepts",
    reason: "2025-11-25 demands the list; 1.x reads a missing one as empty",
    about: /^sampling\/createMessage request \/messages\/\*\/content\/\*\/content absent$/,
  },
  { ...both, theirs: "accepts", reason: "no revision allows null; they read it as absent", about: /^elicitation\/create result \/content null$/ },
  { ...only1, theirs: "accepts", reason: "a list is no object", about: /^initialize (request|result) \/capabilities\/\S+ list$/ },
  { ...only1, theirs: "accepts", reason: "a list is no object", about: /^sampling\/createMessage request \/metadata list$/ },
  { ...both, theirs: "accepts", reason: "their union falls back to a plain text field", about: /\/properties\/a\/(enum|enumNames|oneOf)(\/\S+)? / },
  { ...both, theirs: "accepts", reason: "they have not spelt out $schema", about: /\/\$schema (?!text)/ },
  { ...both, theirs: "accepts", reason: "they have not spelt out this title", about: /\/(ref|arguments\/\*)\/title / },
  { ...both, theirs: "accepts", reason: "with both text and blob, theirs looks at the one that fits", about: /\/resource\/(text|blob) / },
  {
    ...both,
    theirs: "accepts",
    reason: "they have not spelt out these members of 2026-07-28 in the types that they export",
    about: /\/(resultType|ttlMs|cacheScope|requestState|inputResponses(\/\S+)?) /,
  },
  {
    ...both,
    theirs: "accepts",
    reason: "they have not spelt out these members of _meta in the types that they export",
    about: /\/_meta\/io\.modelcontextprotocol\/(protocolVersion|clientCapabilities|subscriptionId) /,
  },
  { ...only2, theirs: "accepts", reason: "as above", about: /\/_meta\/io\.modelcontextprotocol\/(clientInfo|serverInfo|logLevel|related-task)(\/\S+)? / },
];
