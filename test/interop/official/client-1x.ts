import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { elicited, sampled, tap, type ClientKind, type WireMessage } from "./session.ts";

/** The official client of the 1.x line, with every capability that it knows, tasks in both directions included. */
export const client1x: ClientKind = {
  label: "sdk 1.x",
  async open(command, { roots = [], manner = "willing" } = {}) {
    const taskStore = new InMemoryTaskStore();
    const client = new Client(
      { name: "interop", version: "1.0.0" },
      {
        capabilities:
          manner === "bare"
            ? {}
            : {
                roots: { listChanged: true },
                sampling: {},
                elicitation: { form: {}, url: {} },
                tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
              },
        taskStore,
      },
    );
    if (manner !== "bare") {
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((root) => ({ ...root })) }));
      client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { taskStore: tasks }) => {
        const answer = sampled(manner);
        if (params.task === undefined || tasks === undefined) return answer;
        const task = await tasks.createTask({ ttl: 60_000, pollInterval: 100 });
        await tasks.storeTaskResult(task.taskId, "completed", answer);
        return { task };
      });
      client.setRequestHandler(ElicitRequestSchema, async ({ params }, { taskStore: tasks }) => {
        const answer = elicited(manner, params);
        if (params.task === undefined || tasks === undefined) return answer;
        const task = await tasks.createTask({ ttl: 60_000, pollInterval: 100 });
        await tasks.storeTaskResult(task.taskId, "completed", answer);
        return { task };
      });
    }

    const received: WireMessage[] = [];
    const transport = new StdioClientTransport({ ...command, stderr: "ignore" });
    tap(transport, received);
    await client.connect(transport);
    const { pid } = transport;
    return {
      server: {
        version: client.getServerVersion(),
        capabilities: client.getServerCapabilities(),
        instructions: client.getInstructions(),
        protocol: received[0]?.result,
      },
      received,
      pid,
      listTools: () => client.listTools(),
      callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, { ...options, timeout: 20_000 }),
      request: async (method, params) => client.request({ method, ...(params === undefined ? {} : { params }) } as never, ResultSchema, { timeout: 20_000 }),
      // The cast of both: their type is the union of the methods of the specification, ours is any method.
      notify: (method, params) => client.notification({ method, ...(params === undefined ? {} : { params }) } as never),
      async close() {
        taskStore.cleanup();
        await client.close();
      },
    };
  },
};
