// Tools and a prompt that ask the client on their way. Each handler serves every revision: up to 2025-11-25 a question is a request to the
// client, in 2026-07-28 a result that the client comes back from.
import { elicit, roots, sample, type CreateMessageParams, type ElicitParams, type McpServer, type ServerContext } from "mcp-interceptors";
import { addTool, texts } from "./pieces.ts";

export function addQuestions(server: McpServer): void {
  addForms(server);
  addSingleQuestions(server);
  addConversations(server);
}

const NAME: ElicitParams = { message: "What is your name?", requestedSchema: texts("name") };
const CONFIRM: ElicitParams = {
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
};

function prompt(words: string, maxTokens = 100): CreateMessageParams {
  return { messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens };
}

function shown(content: unknown): string {
  return JSON.stringify(content ?? null);
}

function addForms(server: McpServer): void {
  server.tool({ name: "test_sampling", description: "Asks the client's model.", inputSchema: texts("prompt") }, async (args, { sample }) => {
    const { content } = await sample(prompt(String(args["prompt"])));
    return `LLM response: ${shown(content)}`;
  });
  server.tool({ name: "test_elicitation", description: "Asks the user.", inputSchema: texts("message") }, async (args, { elicit }) => {
    const { action, content } = await elicit({ message: String(args["message"]), requestedSchema: texts("username", "email") });
    return `User response: action=${action}, content=${shown(content)}`;
  });

  const formTool = (name: string, description: string, form: ElicitParams) =>
    addTool(server, name, description, async (_args, { elicit }) => {
      const { action, content } = await elicit(form);
      return `Elicitation completed: action=${action}, content=${shown(content)}`;
    });
  formTool("test_elicitation_sep1034_defaults", "Asks by a form that is filled in already.", {
    message: "Is this right?",
    requestedSchema: {
      type: "object",
      properties: {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
    },
  });
  const options = ["option1", "option2", "option3"];
  const titled = (what: string) => ["First", "Second", "Third"].map((nth, index) => ({ const: `value${index + 1}`, title: `${nth} ${what}` }));
  formTool("test_elicitation_sep1330_enums", "Asks for choices in all ways that there are.", {
    message: "Choose",
    requestedSchema: {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
      },
    },
  });
}

function addSingleQuestions(server: McpServer): void {
  // What always reads the same need not be tied to its answer: nothing has to travel through the client (2026-07-28).
  const alone = (key: string) => ({ key, sealed: false });
  addTool(server, "test_input_required_result_elicitation", "Greets by name.", async (_args, { elicit }) => {
    const { content } = await elicit(NAME, alone("user_name"));
    return `Hello, ${String(content?.["name"])}!`;
  });
  addTool(server, "test_input_required_result_sampling", "Asks a model for a capital.", async (_args, { sample }) => {
    const { content } = await sample(prompt("What is the capital of France?"), alone("capital_question"));
    return `The model says ${shown(content)}`;
  });
  addTool(server, "test_input_required_result_list_roots", "Names the roots.", async (_args, { listRoots }) => {
    const { roots } = await listRoots(alone("client_roots"));
    return roots.map(({ uri }) => uri).join(", ");
  });
  server.prompt({ name: "test_input_required_result_prompt", description: "Needs to know more." }, async (_args, { elicit }) => {
    const question = { message: "What context should the prompt use?", requestedSchema: texts("context") };
    const { content } = await elicit(question, alone("user_context"));
    return `Answer in the context of ${String(content?.["context"])}.`;
  });

  addTool(server, "test_streaming_elicitation", "Asks for a name.", async (_args, { elicit }) => (await elicit(NAME)).action);
  // A client without a model is told what it lacks (-32021).
  addTool(server, "test_missing_capability", "Cannot do without a model.", async (_args, { sample }) => (await sample(prompt("Hello"))).model);
  // This one looks first.
  addTool(server, "test_input_required_result_capabilities", "Asks what can be asked.", async (_args, { ask, client }) => {
    const { sampling, elicitation } = client.capabilities;
    const answers = await Promise.all([
      ...(sampling === undefined ? [] : [ask(sample(prompt("Hello")), { key: "greeting" })]),
      ...(elicitation === undefined ? [] : [ask(elicit(NAME), { key: "user_name" })]),
    ]);
    return `${answers.length} answers`;
  });
}

/** Several questions, side by side and one after the other: what has been answered travels through the client, under a seal. */
function addConversations(server: McpServer): void {
  const confirmed = async (_args: unknown, { elicit }: ServerContext) => {
    const { content } = await elicit(CONFIRM, { key: "confirm" });
    return content?.["ok"] === true ? "state-ok" : "not confirmed";
  };
  addTool(server, "test_input_required_result_request_state", "Remembers that it has asked.", confirmed);
  addTool(server, "test_input_required_result_tampered_state", "Notices a state that was changed.", confirmed);
  addTool(server, "test_input_required_result_multiple_inputs", "Asks three things at once.", async (_args, { ask }) => {
    const [user, greeting, where] = await Promise.all([
      ask(elicit(NAME), { key: "user_name" }),
      ask(sample(prompt("Generate a greeting", 50)), { key: "greeting" }),
      ask(roots(), { key: "client_roots" }),
    ]);
    return `${shown(greeting.content)}, ${String(user.content?.["name"])}, in ${where.roots.length} roots`;
  });
  addTool(server, "test_input_required_result_multi_round", "Asks one thing after the other.", async (_args, { elicit }) => {
    const first = await elicit({ message: "Step 1: What is your name?", requestedSchema: texts("name") }, { key: "step1" });
    const second = await elicit({ message: "Step 2: What is your favorite color?", requestedSchema: texts("color") }, { key: "step2" });
    return `${String(first.content?.["name"])} likes ${String(second.content?.["color"])}`;
  });
}
