/** Messages of the corpus that an official SDK judges otherwise than we do, and why we stay with ours. */
export interface Difference {
  readonly sdk: "1.x" | "2.x" | "both";
  readonly theirs: "accepts" | "refuses";
  readonly reason: string;
  readonly ids: readonly string[];
}

export const DIFFERENCES: readonly Difference[] = [
  {
    sdk: "both",
    theirs: "refuses",
    reason: "Our validators check shapes and leave the meaning of strings to whoever decodes them; a guard must not decode every blob.",
    ids: ["tools/call result: a picture with data that is not base64", "resources/read result: a blob that is not base64"],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "What a JSON Schema may say is the business of whoever compiles it.",
    ids: ["tools/list result: a text for the required arguments"],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "Later revisions add block types, as 2025-03-26 and 2025-06-18 did. A program in the middle lets them pass.",
    ids: ["tools/call result: a block of a type to come", "sampling/createMessage request: a block of a type to come"],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "Follows from open block types: what sampling does not list is a type that we do not know there.",
    ids: ["sampling/createMessage request: a resource, which sampling does not list"],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "Revision 2026-07-28 has dropped elicitationId; one schema serves all revisions.",
    ids: ["elicitation/create request: a page without id (2026-07-28)"],
  },
  {
    sdk: "1.x",
    theirs: "refuses",
    reason: "Revision 2026-07-28 allows any JSON here, and 1.x ends with 2025-11-25.",
    ids: [
      "tools/list result: an output schema that is no object at its root",
      "tools/call result: structured content that is no object (2026-07-28)",
      "tools/call result: null for structured content (2026-07-28)",
      "sampling/createMessage request: a result of a tool that is no object (2026-07-28)",
    ],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "JSON-RPC 2.0 answers a request whose id could not be read with the id null, and servers do.",
    ids: ["message: an error with the id null"],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "The specification gives an empty result the members of any result, unknown ones included.",
    ids: ["resources/subscribe result: an empty result with members of its own"],
  },
  {
    sdk: "both",
    theirs: "refuses",
    reason: "The specification wants a file URI for now and says that this may change, so it is a rule for code, not for the shape.",
    ids: ["roots/list result: a root that is no file, as it may be later"],
  },
  {
    sdk: "both",
    theirs: "accepts",
    reason: "Their union falls back to a plain text field, which knows neither enum nor oneOf. The specification wants texts and named values there.",
    ids: ["elicitation/create request: a number among the choices", "elicitation/create request: a choice with a name alone"],
  },
  {
    sdk: "both",
    theirs: "accepts",
    reason: "They read null as absent here, for clients that err. No revision allows it.",
    ids: ["elicitation/create result: null for content"],
  },
  {
    sdk: "both",
    theirs: "accepts",
    reason: "They read a missing list as an empty one. Every revision demands it.",
    ids: ["tools/call result: no content"],
  },
  {
    sdk: "1.x",
    theirs: "accepts",
    reason: "They read a missing list as an empty one. The specification demands it.",
    ids: ["sampling/createMessage request: a result of a tool without content"],
  },
  {
    sdk: "1.x",
    theirs: "accepts",
    reason: "They take a list for an object here. The specification wants an object.",
    ids: ["sampling/createMessage request: a list for metadata"],
  },
  {
    sdk: "both",
    theirs: "accepts",
    reason: "They have not spelt out this member of 2026-07-28 in the types that they export, so it passes there as an unknown one.",
    ids: [
      "tools/call result: a number for resultType",
      "tools/call request: a number for requestState",
      "tools/call request: a list for inputResponses",
      "tools/call request: a text for an answer",
      "tools/list result: a fraction for ttlMs",
      "resources/read result: a text for ttlMs",
      "prompts/list result: a number for cacheScope",
      "notifications/prompts/list_changed notification: a boolean for a subscription",
      "notifications/resources/updated notification: an object for a subscription",
    ],
  },
  {
    sdk: "2.x",
    theirs: "accepts",
    reason: "As above, for a method that 1.x does not have.",
    ids: [
      "server/discover request: an unknown log level",
      "server/discover request: a client without name",
      "server/discover request: a number for the version",
      "server/discover result: a negative ttlMs",
      "server/discover result: an unknown cacheScope",
      "server/discover result: a server without version",
    ],
  },
];
