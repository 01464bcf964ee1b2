// What is asked of server-everything: every tool, resource, prompt and completion, and every request that it makes of its client.
import { outcome, type Step, type Varying } from "./compare.ts";
import { eventually } from "./process-tree.ts";
import type { Params, Session, WireMessage } from "./session.ts";

const CLOCK = "the server writes the time of day into it";
const RANDOM = "the server draws it at random";
const TASK = "a task has a random id and the times of its creation and last change";

/** Waits until the server has sent a message of its own; `from` is where to start looking. */
export function heard(session: Session, from: number, what: (message: WireMessage) => boolean): Promise<true> {
  return eventually("a message from the server", 10_000, () => session.received.slice(from).some(what) && (true as const));
}

/** After the handshake the server adds tools, asks for the roots and logs that it has them, in this order. */
export async function everythingIsReady(session: Session): Promise<void> {
  await heard(session, 0, ({ method, params }) => method === "notifications/message" && String(params?.["data"]).startsWith("Roots updated"));
}

export const EVERYTHING_ROOTS = [
  { uri: "file:///tmp/one%20root", name: "one" },
  { uri: "file:///tmp/two" },
];

const call = (name: string, args: Params, more: Partial<Step> = {}): Step => ({
  name: `tools/call ${name} ${JSON.stringify(args)}`,
  run: (session) => session.callTool(name, args),
  ...more,
});
const ask = (method: string, params: Params | undefined = undefined, more: Partial<Step> = {}): Step => ({
  name: `${method} ${JSON.stringify(params) ?? ""}`,
  run: (session) => session.request(method, params),
  ...more,
});

// A result stands in the answer and, on its way there, in a message.
const inResult = (pointer: string, reason: string, part: RegExp): Varying[] => [
  { pointer: `/answer/result${pointer}`, reason, part },
  { pointer: `/messages/*/result${pointer}`, reason, part },
];
const TIME_OF_DAY = /\d{1,2}:\d\d:\d\d [AP]M$/;
// "Resource 1: This is a base64 blob created at " is 60 characters of base64.
const ENCODED_TIME_OF_DAY = /(?<=^.{60}).+$/;
const ODD_TEXT = 'quotes " and \\, a line\nend, \u2028 and \u2029, 😀, a lone \ud83d, NUL \u0000, e\u0301';

export const EVERYTHING_STEPS: readonly Step[] = [
  ask("ping"),
  { name: "tools/list, by the client's own method", run: (session) => session.listTools() },
  ask("tools/list", {}),
  ask("resources/list"),
  ask("resources/templates/list"),
  ask("prompts/list"),

  call("echo", { message: "hello" }),
  call("echo", { message: ODD_TEXT }),
  call("echo", { message: "long ".repeat(100_000) }),
  call("echo", { message: 5 }),
  call("echo", {}),
  call("get-sum", { a: 0.1, b: 1e21 }),
  call("get-env", {}),
  ...(["error", "success", "debug"] as const).map((messageType) => call("get-annotated-message", { messageType, includeImage: messageType !== "debug" })),
  call("get-resource-links", { count: 10 }),
  call("get-resource-reference", { resourceType: "Text", resourceId: 1 }, { varies: inResult("/content/1/resource/text", CLOCK, TIME_OF_DAY) }),
  call("get-resource-reference", { resourceType: "Blob", resourceId: 2 }, { varies: inResult("/content/1/resource/blob", CLOCK, ENCODED_TIME_OF_DAY) }),
  call("get-resource-reference", { resourceType: "Text", resourceId: 1.5 }),
  ...["New York", "Chicago", "Los Angeles", "Nowhere"].map((location) => call("get-structured-content", { location })),
  call("get-tiny-image", {}),

  call("gzip-file-as-resource", { name: "a.gz", data: "data:text/plain;base64,aGVsbG8gaGVsbG8gaGVsbG8=", outputType: "resource" }),
  call("gzip-file-as-resource", { name: "b.gz", data: "data:text/plain,hello%20again", outputType: "resourceLink" }),
  ask("resources/read", { uri: "demo://resource/session/b.gz" }),
  ask("resources/list"),

  {
    // The notifications are compared as messages: the official clients no longer deliver one that arrives together with the answer.
    name: "tools/call trigger-long-running-operation, with progress",
    run: (session) => session.callTool("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { onprogress: () => {} }),
  },
  call("trigger-long-running-operation", { duration: 0.1, steps: 2 }),
  {
    name: "tools/call trigger-long-running-operation, cancelled",
    async run(session) {
      const controller = new AbortController();
      const cancelled = outcome(session.callTool("trigger-long-running-operation", { duration: 0.3, steps: 1 }, { signal: controller.signal }));
      controller.abort("not wanted any more");
      return { cancelled: await cancelled, after: await session.request("ping") };
    },
  },

  ask("logging/setLevel", { level: "debug" }),
  ask("logging/setLevel", { level: "no such level" }),
  call("toggle-simulated-logging", {}, { varies: ["level", "data"].map((member) => ({ pointer: `/messages/*/params/${member}`, reason: RANDOM })) }),
  call("toggle-simulated-logging", {}),
  ask("resources/subscribe", { uri: "demo://resource/dynamic/text/1" }),
  call("toggle-subscriber-updates", {}),
  call("toggle-subscriber-updates", {}),
  ask("resources/unsubscribe", { uri: "demo://resource/dynamic/text/1" }),

  call("get-roots-list", {}),
  {
    name: "notifications/roots/list_changed makes the server ask again",
    async run(session) {
      const from = session.received.length;
      await session.notify("notifications/roots/list_changed");
      return heard(session, from, ({ method }) => method === "notifications/message");
    },
  },
  call("trigger-sampling-request", { prompt: ODD_TEXT, maxTokens: 7 }),
  call("trigger-elicitation-request", {}),
  call("trigger-url-elicitation", { url: "https://example.org/open", elicitationId: "the-one" }),
  call("trigger-url-elicitation", { url: "https://example.org/open", elicitationId: "the-other", errorPath: true }, {
    varies: ["/answer/error/data", "/messages/*/error/data"].map((place) => ({ pointer: `${place}/elicitations/*/elicitationId`, reason: RANDOM })),
  }),
  call("trigger-url-elicitation", { url: "https://example.org/open", elicitationId: "the-other", errorPath: true }),

  ask("resources/read", { uri: "demo://resource/static/document/features.md" }),
  ask("resources/read", { uri: "demo://resource/dynamic/text/7" }, { varies: inResult("/contents/0/text", CLOCK, TIME_OF_DAY) }),
  ask("resources/read", { uri: "demo://resource/dynamic/blob/7" }, { varies: inResult("/contents/0/blob", CLOCK, ENCODED_TIME_OF_DAY) }),
  {
    name: "resources/read of every document",
    async run(session) {
      const { resources } = (await session.request("resources/list")) as { resources: readonly { uri: string }[] };
      const documents = resources.filter(({ uri }) => uri.startsWith("demo://resource/static/"));
      return Promise.all(documents.map(({ uri }) => session.request("resources/read", { uri })));
    },
  },
  ask("resources/read", { uri: "demo://resource/nowhere" }),
  ask("prompts/get", { name: "simple-prompt" }),
  ask("prompts/get", { name: "args-prompt", arguments: { city: "Köln", state: "NRW" } }),
  ask("prompts/get", { name: "args-prompt" }),
  ask("prompts/get", { name: "completable-prompt", arguments: { department: "Sales", name: "Eve" } }),
  ask("prompts/get", { name: "resource-prompt", arguments: { resourceType: "Text", resourceId: "3" } }, {
    varies: inResult("/messages/1/content/resource/text", CLOCK, TIME_OF_DAY),
  }),
  ask("prompts/get", { name: "resource-prompt", arguments: { resourceType: "Blob", resourceId: "4" } }, {
    varies: inResult("/messages/1/content/resource/blob", CLOCK, ENCODED_TIME_OF_DAY),
  }),
  ask("prompts/get", { name: "no-such-prompt" }),
  ask("completion/complete", { ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "S" } }),
  ask("completion/complete", {
    ref: { type: "ref/prompt", name: "completable-prompt" },
    argument: { name: "name", value: "" },
    context: { arguments: { department: "Sales" } },
  }),
  ask("completion/complete", { ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" }, argument: { name: "resourceId", value: "12" } }),
  ask("completion/complete", { ref: { type: "ref/resource", uri: "demo://resource/dynamic/blob/{resourceId}" }, argument: { name: "resourceId", value: "x" } }),
  ask("completion/complete", { ref: { type: "ref/prompt", name: "resource-prompt" }, argument: { name: "resourceType", value: "B" } }),

  call("no-such-tool", {}),
  call("constructor", {}),
  ask("no/such/method", { a: 1 }),
  ask("tools/call", { arguments: {} }),
];

const TASK_TIMES = ["taskId", "createdAt", "lastUpdatedAt"];
const RELATED = "_meta/io.modelcontextprotocol~1related-task/taskId";

/** The tool that runs only as a task, with the question that it asks its client under way. Takes four seconds. */
export const TASK_STEP: Step = {
  name: "simulate-research-query as a task",
  async run(session) {
    const params = { name: "simulate-research-query", arguments: { topic: "python", ambiguous: true }, task: { ttl: 60_000 } };
    const created = await session.request("tools/call", params);
    const taskId = taskIdOf(created);
    return {
      created,
      result: await session.request("tasks/result", { taskId }),
      after: await session.request("tasks/get", { taskId }),
      all: await session.request("tasks/list"),
      tooLate: await outcome(session.request("tasks/cancel", { taskId: "no-such-task" })),
      cancelled: await cancelledTask(session),
      asACall: await outcome(session.callTool("simulate-research-query", { topic: "python" })),
    };
  },
  racing: "the server's stages and its look at the queued question run on timers of their own",
  varies: [
    ...["/answer/result/created/task", "/answer/result/after", "/answer/result/all/tasks/*", "/messages/*/result/task", "/messages/*/result", "/messages/*/result/tasks/*", "/messages/*/params"].flatMap(
      (place) => TASK_TIMES.map((member) => ({ pointer: `${place}/${member}`, reason: TASK })),
    ),
    ...["/answer/result/result", "/messages/*/result", "/messages/*/params"].map((place) => ({ pointer: `${place}/${RELATED}`, reason: TASK })),
  ],
};

/** A task that is cancelled while it works, and what is left of it. */
async function cancelledTask(session: Session): Promise<unknown> {
  const created = await session.request("tools/call", { name: "simulate-research-query", arguments: { topic: "go" }, task: { ttl: 60_000 } });
  const taskId = taskIdOf(created);
  const working = await session.request("tasks/get", { taskId });
  const cancelled = await session.request("tasks/cancel", { taskId });
  const after = await session.request("tasks/get", { taskId });
  // The id and the times of a task vary.
  return [working, cancelled, after].map((task) => {
    const { status, statusMessage } = task as Params;
    return { status, statusMessage };
  });
}

function taskIdOf(created: unknown): unknown {
  const task = typeof created === "object" && created !== null && "task" in created ? created.task : undefined;
  return typeof task === "object" && task !== null && "taskId" in task ? task.taskId : undefined;
}

/** The tools whose question the client takes as a task; listed to a client only that says so. */
export const CLIENT_TASK_STEPS: readonly Step[] = [
  ...["trigger-sampling-request-async", "trigger-elicitation-request-async"].map((name) =>
    call(name, { prompt: "later" }, {
      varies: [
        ...inResult("/content/*/text", TASK, /[0-9a-f]{32}/g),
        { pointer: "/messages/*/params/taskId", reason: TASK },
      ],
    }),
  ),
];

/** What is asked of a client that declines, and of one that has not said that it could be asked. */
export const UNWILLING_STEPS: readonly Step[] = [
  { name: "tools/list, by the client's own method", run: (session) => session.listTools() },
  call("trigger-sampling-request", { prompt: "hm" }),
  call("trigger-elicitation-request", {}),
  call("trigger-url-elicitation", { url: "https://example.org/open", elicitationId: "the-one" }),
  call("get-roots-list", {}),
  call("echo", { message: "still there" }),
];
