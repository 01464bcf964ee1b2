import { equalJson, isObject, type JsonObject, ownMember } from "../base/json.ts";
import type { Message } from "../wire/message.ts";
import type { Initiator } from "./ledger.ts";
import { paramsOf } from "./parts.ts";

/** The request that created a task, as it went on: what the task's result answers. */
export interface TaskOrigin {
  readonly method: string;
  readonly params: JsonObject;
  /** Of `tools/call`: the tool, by the name that the asker knows it by. */
  readonly tool?: string | undefined;
}

/**
 * Which request created a task, so that its result is judged as the answer to that one. By who asked for it: each side names its own tasks. Bounded by number and
 * by the characters of all params: the oldest are forgotten. A task that two requests claim to have created is nobody's, so that none can lend its result to the other.
 */
export interface TaskTable {
  note(initiator: Initiator, taskId: string | undefined, origin: TaskOrigin): void;
  /** The request that created the task which a message of the methods and notifications of tasks is about; a copy. */
  originOf(initiator: Initiator, message: Message): TaskOrigin | undefined;
}

export interface TaskTableBounds {
  readonly maxTasks: number;
  readonly maxChars: number;
}

/** As text: whoever has the message may edit it. Undefined for a task that is nobody's. */
type Kept = { readonly method: string; readonly params: string; readonly tool: string | undefined } | undefined;

export function createTaskTable({ maxTasks, maxChars }: TaskTableBounds): TaskTable {
  // Made when the first task is: most connections have none.
  const tables: Record<Initiator, Map<string, Kept> | undefined> = { peer: undefined, app: undefined };
  let chars = 0;
  const set = (tasks: Map<string, Kept>, taskId: string, kept: Kept) => {
    chars += (kept?.params.length ?? 0) - (tasks.get(taskId)?.params.length ?? 0);
    tasks.set(taskId, kept);
  };
  return {
    note(initiator, taskId, { method, params, tool }) {
      if (taskId === undefined || method.startsWith("tasks/")) return;
      const tasks = (tables[initiator] ??= new Map());
      if (tasks.has(taskId)) {
        const known = tasks.get(taskId);
        if (known !== undefined && (known.method !== method || !sameRequest(JSON.parse(known.params), params))) set(tasks, taskId, undefined);
        return;
      }
      set(tasks, taskId, { method, params: JSON.stringify(params), tool });
      for (const oldest of tasks.keys()) {
        if (tasks.size === 1 || (tasks.size <= maxTasks && chars <= maxChars)) break;
        chars -= tasks.get(oldest)?.params.length ?? 0;
        tasks.delete(oldest);
      }
    },
    originOf(initiator, message) {
      if (!("method" in message) || !isAboutTask(message.method)) return undefined;
      const taskId = ownMember(paramsOf(message), "taskId");
      const kept = typeof taskId === "string" ? tables[initiator]?.get(taskId) : undefined;
      // It was an object when it was kept.
      return kept === undefined ? undefined : { method: kept.method, params: JSON.parse(kept.params) as JsonObject, tool: kept.tool };
    },
  };
}

/** Whether the requests or notifications of a method are about a task. */
export function isAboutTask(method: string): boolean {
  return /^(?:notifications\/)?tasks(?:\/|$)/.test(method);
}

// Who asks again has other bookkeeping.
function sameRequest(left: unknown, right: JsonObject): boolean {
  const asked = (params: unknown) => {
    const { _meta, task: _task, inputResponses: _answers, requestState: _state, ...rest } = isObject(params) ? params : {};
    return rest;
  };
  return equalJson(asked(left), asked(right));
}
