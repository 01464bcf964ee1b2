// The message corpus of test/spec/corpus, and what our generated validators say of it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mustBe, type Problem } from "../../src/core/wire/check.ts";
import * as jsonRpc from "../../src/core/wire/gen/json-rpc.ts";
import * as mcp from "../../src/core/wire/gen/mcp.ts";
import { METHODS, type Check } from "../../src/core/wire/methods.ts";

/** One message, or the part of one that its method defines. */
export interface CorpusCase {
  /** What it is a part of, and what is special about it: unique, so that lists of differences can name it. */
  readonly id: string;
  readonly valid: boolean;
  /** Where an invalid part is wrong: a JSON pointer from the part. A missing member is missed where it should be. */
  readonly at?: string;
  readonly part: CorpusPart;
}

export type CorpusPart =
  | { readonly kind: "message"; readonly value: unknown }
  | { readonly kind: "error"; readonly value: { readonly code: number; readonly data?: unknown } }
  /** `value` is undefined where the message has no params. */
  | { readonly kind: "request" | "notification"; readonly method: string; readonly value: unknown }
  /** `as`: the answer is a task, or asks for input. */
  | { readonly kind: "result"; readonly method: string; readonly value: unknown; readonly as?: "task" | "input" };

const FOLDER = fileURLToPath(new URL("../spec/corpus/", import.meta.url));
// Codes whose `data` has a shape. -32020 carries none.
const ERROR_DATA = new Map<number, Check>([
  [-32021, mcp.checkMissingCapabilityData],
  [-32022, mcp.checkUnsupportedVersionData],
  [-32042, mcp.checkElicitationRequiredData],
]);

export function loadCorpus(): CorpusCase[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      // The files are ours, and the corpus test holds each case to its expectation.
      const cases = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, unknown>[];
      return cases.map((source) => readCase(file, source));
    });
}

function readCase(file: string, source: Record<string, unknown>): CorpusCase {
  const { what, valid, at } = source;
  if (typeof what !== "string" || typeof valid !== "boolean") throw new TypeError(`${file}: ${JSON.stringify(what)} needs what and valid`);
  const part = readPart(file, source);
  const of = "method" in part ? `${part.method} ${part.kind}` : part.kind;
  return { id: `${of}: ${what}`, valid, part, ...(typeof at === "string" ? { at } : {}) };
}

function readPart(file: string, source: Record<string, unknown>): CorpusPart {
  if (Object.hasOwn(source, "message")) return { kind: "message", value: source["message"] };
  if (Object.hasOwn(source, "error")) return { kind: "error", value: source["error"] as { code: number; data?: unknown } }; // as written in our files
  const { method, as } = source;
  const known = typeof method === "string" ? METHODS.get(method) : undefined;
  if (typeof method !== "string" || known === undefined) throw new TypeError(`${file}: ${String(method)} is no method of MCP`);
  if (!Object.hasOwn(source, "result")) return { kind: known.kind, method, value: source["params"] };
  return { kind: "result", method, value: source["result"], ...(as === "task" || as === "input" ? { as } : {}) };
}

/** What our validators find. */
export function judgeCase({ part }: CorpusCase): Problem | undefined {
  switch (part.kind) {
    case "message":
      return judgeMessage(part.value);
    case "error":
      return jsonRpc.checkErrorObject(part.value) ?? ERROR_DATA.get(part.value.code)?.(part.value.data);
    case "result":
      return resultCheck(part)(part.value);
    default:
      return METHODS.get(part.method)!.params(part.value ?? {});
  }
}

function resultCheck({ method, as }: Extract<CorpusPart, { kind: "result" }>): Check {
  const known = METHODS.get(method)!;
  if (known.kind !== "request") throw new TypeError(`${method} has no result`);
  if (as === "task" && known.becomesTask !== undefined) return mcp.checkCreateTaskResult;
  if (as === "input" && known.asksForInput !== undefined) return mcp.checkInputRequiredResult;
  return known.result;
}

function judgeMessage(value: unknown): Problem | undefined {
  const kinds = [jsonRpc.checkRequestMessage, jsonRpc.checkNotificationMessage, jsonRpc.checkResultMessage, jsonRpc.checkErrorMessage];
  return kinds.some((check) => check(value) === undefined) ? undefined : mustBe("a request, notification, result or error");
}
