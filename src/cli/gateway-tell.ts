import type { StructuredLog } from "../gateway/logs.ts";
import { printable } from "./describe.ts";

/** Says something to whoever runs the gateway: on stderr, or in the structured log where there is one. */
export type Tell = (level: "info" | "warn" | "error", text: string, structured?: StructuredLog) => void;

export function createTell(quiet: boolean): Tell {
  return (level, text, structured) => {
    if (level === "info" && quiet) return;
    if (structured !== undefined) structured.log({ level, message: text });
    else process.stderr.write(`${level === "info" ? "mcp-interceptors: " : ""}${printable(text, 2000)}\n`);
  };
}

/** What a reload has come to: the warnings of what runs now, or why all is as it was. */
export function tellReload(outcome: { readonly warnings: readonly string[] } | { readonly error: string }, file: string, tell: Tell): void {
  if ("warnings" in outcome) {
    for (const line of outcome.warnings) tell("warn", line);
    return tell("info", `reloaded ${file}`);
  }
  for (const line of outcome.error.split("\n")) tell("error", line);
  tell("error", "mcp-interceptors: not reloaded: the gateway goes on as it was");
}
