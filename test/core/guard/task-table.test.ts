import assert from "node:assert/strict";
import { test } from "node:test";
import { createTaskTable } from "../../../src/core/guard/task-table.ts";
import type { Message } from "../../../src/core/wire/message.ts";

const about = (taskId: string, method = "tasks/result"): Message => ({ jsonrpc: "2.0", id: 1, method, params: { taskId } });
const call = (name: string, text = "") => ({ method: "tools/call", params: { name, text }, tool: name });

test("knows the request that created a task by who asked, in messages about tasks alone, as it was then", () => {
  const tasks = createTaskTable({ maxTasks: 10, maxChars: 1_000 });
  const origin = call("a");
  tasks.note("peer", "t", origin);
  origin.params.name = "edited";
  for (const method of ["tasks/result", "tasks/get", "notifications/tasks/status", "notifications/tasks"]) assert.deepEqual(tasks.originOf("peer", about("t", method)), call("a"), method);
  assert.equal(tasks.originOf("app", about("t")), undefined);
  for (const message of [about("other"), about("t", "tools/call"), about("t", "tasksy"), { jsonrpc: "2.0", id: 1, result: {} } as const]) assert.equal(tasks.originOf("peer", message), undefined);
});

test("forgets the oldest over so many tasks, and over so many characters of params, but never the last", () => {
  const few = createTaskTable({ maxTasks: 2, maxChars: 10_000 });
  for (const name of ["a", "b", "c"]) few.note("peer", name, call(name));
  assert.deepEqual(["a", "b", "c"].map((id) => few.originOf("peer", about(id))?.tool), [undefined, "b", "c"]);
  const small = createTaskTable({ maxTasks: 100, maxChars: 300 });
  for (const name of ["a", "b", "c", "d"]) small.note("peer", name, call(name, "x".repeat(100)));
  assert.deepEqual(["a", "b", "c", "d"].map((id) => small.originOf("peer", about(id))?.tool), [undefined, undefined, "c", "d"]);
  small.note("peer", "e", call("e", "x".repeat(1_000)));
  assert.deepEqual(["c", "d", "e"].map((id) => small.originOf("peer", about(id))?.tool), [undefined, undefined, "e"]);
});

test("gives back the room of what becomes nobody's", () => {
  const tasks = createTaskTable({ maxTasks: 100, maxChars: 300 });
  tasks.note("peer", "t", call("a", "x".repeat(200)));
  tasks.note("peer", "t", call("b"));
  assert.equal(tasks.originOf("peer", about("t")), undefined);
  for (const name of ["c", "d"]) tasks.note("peer", name, call(name, "x".repeat(100)));
  assert.deepEqual(["c", "d"].map((id) => tasks.originOf("peer", about(id))?.tool), ["c", "d"]);
});
