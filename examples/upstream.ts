// A small MCP server to try things on: a team's address book, on stdio. It knows nothing of interceptors.
//   node --import tsx -C mcp-interceptors-source examples/upstream.ts
import { McpServer, RpcError } from "mcp-interceptors";
import { stdioTransport } from "mcp-interceptors/node";

interface Contact {
  readonly id: number;
  name: string;
  email: string;
  phone: string;
  note: string;
}

const contacts = new Map<number, Contact>(
  [
    { id: 1, name: "Ada Example", email: "ada@example.org", phone: "+1 202-555-0143", note: "prefers mail" },
    { id: 2, name: "Grace Sample", email: "grace@example.org", phone: "+44 20 7946 0958", note: "back on Monday" },
    { id: 3, name: "Alan Specimen", email: "alan@example.org", phone: "+1 202-555-0187", note: "" },
  ].map((contact) => [contact.id, contact]),
);

const server = new McpServer({ name: "address-book", version: "1.0.0" });

server.tool(
  {
    name: "find_contacts",
    description: "Contacts whose name contains a text; all of them for an empty one.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    outputSchema: { type: "object", properties: { contacts: { type: "array", items: { type: "object" } } }, required: ["contacts"] },
  },
  ({ text }) => {
    const wanted = String(text).toLowerCase();
    const found = [...contacts.values()].filter(({ name }) => name.toLowerCase().includes(wanted));
    return {
      content: [{ type: "text", text: found.map(({ name, email, phone }) => `${name}: ${email}, ${phone}`).join("\n") || "nobody" }],
      structuredContent: { contacts: found },
    };
  },
);

server.tool(
  {
    name: "set_note",
    description: "Writes a note about a contact.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, note: { type: "string", maxLength: 200 } },
      required: ["id", "note"],
    },
  },
  ({ id, note }) => {
    contactOf(id).note = String(note);
    return "noted";
  },
);

server.tool(
  {
    name: "delete_contact",
    description: "Removes a contact for good.",
    inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    annotations: { destructiveHint: true },
  },
  ({ id }) => {
    const { id: known, name } = contactOf(id);
    contacts.delete(known);
    return `${name} is gone`;
  },
);

function contactOf(id: unknown): Contact {
  const contact = contacts.get(Number(id));
  if (contact === undefined) throw new RpcError(-32602, `There is no contact ${String(id)}`);
  return contact;
}

await server.connect(stdioTransport()).closed;
