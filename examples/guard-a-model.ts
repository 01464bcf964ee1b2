// An agent's calls of its model, guarded by the interceptors that guard its MCP traffic. The model is a script, so nothing leaves this machine.
//   node --import tsx -C mcp-interceptors-source examples/guard-a-model.ts
import { blocksOf, deny, guardFunction, guardStream, isBlocked, localChain, textOf, validator } from "mcp-interceptors";
import type { LlmCompletionRequest, LlmCompletionResponse } from "mcp-interceptors";
import { redact } from "mcp-interceptors/library";
import { check } from "./self-check.ts";

// What a provider's client would be: here it repeats what it was told, and can be made to fail or to say too much.
const received: string[] = [];
function model({ messages }: LlmCompletionRequest): LlmCompletionResponse {
  const asked = textOf(messages.at(-1)?.content ?? "");
  received.push(asked);
  if (asked.includes("overload")) throw new TypeError("the provider is overloaded");
  if (asked.includes("deploy")) {
    const wish = { type: "tool_use", id: "1", name: "shell", input: { command: "deploy" } } as const;
    return { message: { role: "assistant", content: [wish] }, stopReason: "toolUse" };
  }
  return { message: { role: "assistant", content: `You said: ${asked}` }, stopReason: "endTurn", usage: { inputTokens: 8, outputTokens: 12 } };
}

// One policy for both ways to a tool: an MCP call, and a model that asks for one.
const noShell = validator(
  {
    name: "no-shell",
    hooks: [
      { events: ["tools/call"], phase: "request" },
      { events: ["llm/completion"], phase: "response" },
    ],
  },
  ({ payload, event }) => {
    const asksFor = (name: string) =>
      event === "tools/call" ? payload.name === name : blocksOf(payload.message.content).some((block) => block.type === "tool_use" && block.name === name);
    return asksFor("shell") ? deny("shell is not allowed here") : true;
  },
);
const noSecrets = validator(
  { name: "no-secrets", hooks: [{ events: ["llm/completion"], phase: "response" }] },
  ({ payload }) => !/sk-\w{8}/.test(textOf(payload.message.content)),
);

const chain = await localChain([redact(), noShell, noSecrets]);
const ask = guardFunction(model, chain, { event: "llm/completion", context: () => ({ principal: { type: "service", id: "travel-agent" } }) });
const request = (content: string): LlmCompletionRequest => ({ model: "scripted", messages: [{ role: "user", content }] });

/** How an agent tells its policy's no from a failure of its model. */
async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "answered";
  } catch (thrown) {
    return isBlocked(thrown) ? `blocked by ${thrown.result.abortedAt?.interceptor}` : `failed: ${String(thrown)}`;
  }
}

const answer = await ask(request("mail ada@example.com"));
check("the model never sees the address", received, ["mail [REDACTED:email]"]);
check("the answer comes through", textOf(answer.message.content), "You said: mail [REDACTED:email]");
check("a tool that may not be called may not be asked for", await failure(ask(request("deploy it"))), "blocked by no-shell");
check("a failure of the model is no block", await failure(ask(request("overload"))), "failed: TypeError: the provider is overloaded");

// The same, bit by bit. The secret is cut where no delta holds it whole.
const stream = guardStream(
  async function* (_request: LlmCompletionRequest) {
    yield* ["The weather is fine. ", "Write to ada@exam", "ple.com. ", "The key is sk-12", "345678, keep it. ", "Goodbye."];
    return { stopReason: "endTurn" };
  },
  chain,
  { windowChars: 40, overlapChars: 20 },
);
let shown = "";
async function read(): Promise<void> {
  for await (const part of stream(request("tell me everything"))) shown += part;
}
const ended = await failure(read());
check("a stream ends before what it may not say", ended, "blocked by no-secrets");
check("what passed before has come out, masked as a whole answer would be", [/^The weather is fine\. /.test(shown), /ada@|sk-/.test(shown)], [true, false]);
await chain.close();
