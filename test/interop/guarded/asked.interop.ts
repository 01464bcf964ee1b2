// What servers ask of their clients, between official clients and official servers: changed and blocked on its way, as a request of the server's
// in the handshake revisions and as part of a result in 2026-07-28, by `wrap` and by a guard in either process.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Interceptor } from "../../../src/core/interceptor/define.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import type { Json, MatrixClient } from "../matrix/driver.ts";
import { library } from "../matrix/library.ts";
import { openMemory, PAIRS, startOf, type Opened, type Pair } from "../matrix/pairs.ts";
import { CLI } from "../official/paths.ts";

const POLICY_MODULE = join(import.meta.dirname, "policy-module.mjs");
// The interceptors are JavaScript, as `wrap` loads them.
const { createPolicy } = (await import(pathToFileURL(join(import.meta.dirname, "policy.mjs")).href)) as { createPolicy(): readonly Interceptor[] };

async function guard(role: "client" | "server"): Promise<(transport: Transport) => Transport> {
  const chain = await library.localChain(createPolicy());
  return (transport) => library.guardTransport(transport, { role, chain: { current: () => chain } });
}

const behindWrap = (posture: string) => async ({ server }: Pair): Promise<Opened> => ({
  link: startOf(server, [process.execPath, CLI, "wrap", "--quiet", "--posture", posture, "--interceptors", POLICY_MODULE, "--"]),
  close: () => Promise.resolve(),
});
const PLACES: readonly { readonly name: string; open(pair: Pair): Promise<Opened> }[] = [
  { name: "wrap, posture client", open: behindWrap("client") },
  { name: "wrap, posture server", open: behindWrap("server") },
  { name: "a guard around the client's transport", open: async (pair) => openMemory(pair, { client: await guard("client") }) },
  { name: "a guard around the server's transport", open: async (pair) => openMemory(pair, { server: await guard("server") }) },
];

interface Question {
  readonly tool: string;
  readonly args: Json;
  readonly method: string;
  /** The first revision that has the method; all by default. */
  readonly since?: string;
  /** What the tool makes of the client's answer, and of the changed one. */
  readonly plain: string;
  readonly changedQuestion: string;
  readonly changedAnswer: string;
}
const QUESTIONS: readonly Question[] = [
  {
    tool: "ask_model",
    args: { prompt: "the question" },
    method: "sampling/createMessage",
    plain: 'said to "the question"',
    changedQuestion: 'said to "changed question"',
    changedAnswer: "changed answer",
  },
  {
    tool: "ask_user",
    args: { message: "the question" },
    method: "elicitation/create",
    since: "2025-06-18",
    plain: "Hello Ada",
    changedQuestion: "Hello Ada",
    changedAnswer: "Hello changed answer",
  },
  {
    tool: "ask_roots",
    args: {},
    method: "roots/list",
    plain: "root=file:///tmp/root",
    changedQuestion: "root=file:///tmp/root",
    changedAnswer: "changed answer=file:///changed",
  },
];

/** What the tool answered, or that it failed, and what the client was asked meanwhile. */
async function put(client: MatrixClient, deed: string, { tool, args }: Question): Promise<{ answer: unknown; asked: readonly string[]; question: string }> {
  await client.call("echo", { text: deed });
  const from = client.heard.all.length;
  const answer = await client.call(tool, args).then(
    (result) => (result["isError"] === true ? { failed: JSON.stringify(result) } : (result["content"] as readonly Json[])[0]?.["text"]),
    (thrown: unknown) => ({ failed: String(thrown) }),
  );
  const asked = client.heard.all.slice(from).flatMap((what) => (what.kind === "asked" ? [what] : []));
  return { answer, asked: asked.map(({ method }) => method), question: JSON.stringify(asked.map(({ params }) => params)) };
}

const GUARDED = PAIRS.filter(({ client, server }) => client.label !== "ours" && server.label !== "ours");

describe("what a server asks of its client, both official ones", { concurrency: 4 }, () => {
  for (const pair of GUARDED) {
    for (const { name, open } of PLACES) {
      it(`is changed and blocked by ${name}: client ${pair.client.label}, server ${pair.server.label}, ${pair.version}`, { timeout: 60_000 }, async () => {
        const { link, close } = await open(pair);
        const client = await pair.client.open(link, pair.version);
        try {
          assert.equal(client.version, pair.version);
          for (const question of QUESTIONS) {
            const { method, since = "" } = question;
            if (pair.version < since) continue;
            const plain = await put(client, "let be", question);
            assert.deepEqual([plain.answer, plain.asked], [question.plain, [method]]);
            assert.doesNotMatch(plain.question, /changed/);

            const changedQuestion = await put(client, "change request", question);
            assert.deepEqual([changedQuestion.answer, changedQuestion.asked], [question.changedQuestion, [method]]);
            assert.match(changedQuestion.question, /changed question/);

            const changedAnswer = await put(client, "change response", question);
            assert.deepEqual([changedAnswer.answer, changedAnswer.asked], [question.changedAnswer, [method]]);
            assert.doesNotMatch(changedAnswer.question, /changed/);

            const blockedQuestion = await put(client, "block request", question);
            assertFailed(blockedQuestion.answer, question);
            assert.deepEqual(blockedQuestion.asked, [], "the client must not have been asked");

            const blockedAnswer = await put(client, "block response", question);
            assertFailed(blockedAnswer.answer, question);
            assert.deepEqual(blockedAnswer.asked, [method]);
          }
          assert.deepEqual((await put(client, "let be", QUESTIONS[0]!)).answer, QUESTIONS[0]!.plain, "a block is the end of one exchange alone");
        } finally {
          await client.close();
          await close();
        }
      });
    }
  }
});

function assertFailed(answer: unknown, { plain }: Question): void {
  assert.ok(typeof answer === "object" && answer !== null && "failed" in answer, `nothing was blocked: ${JSON.stringify(answer)}`);
  assert.match(String(answer.failed), /Interceptor validation failed/);
  assert.ok(!String(answer.failed).includes(plain));
}
