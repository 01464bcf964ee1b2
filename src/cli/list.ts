import { hooksMatch } from "../core/wire/patterns.ts";
import type { ListedDescriptor } from "../core/wire/descriptors.ts";
import { printable } from "./describe.ts";
import { UsageError } from "./errors.ts";
import { eventNamed } from "./event.ts";
import { runSession, SESSION_OPTIONS } from "./session.ts";
import { listOf, TARGETS } from "./target.ts";
import { columns, paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

/** `list TARGET…`: what interceptors there are. */
export const list = defineVerb({
  name: "list",
  words: "target",
  usage: "TARGET… [OPTIONS]",
  about: `Lists the interceptors of each target, as interceptors/list gives them.\n\n${TARGETS}\n\nWith -c and no target, all items of the configuration.`,
  options: [{ name: "event", value: "NAME", help: "only those that hook this event, such as tools/call" }, ...SESSION_OPTIONS, JSON_OPTION],
  examples: ["mcp-interceptors list redact", 'mcp-interceptors list "npx my-policy" --event tools/call --json', "mcp-interceptors list -c gateway.jsonc"],
  exit: "Exit code: 0; 2 for a wrong word, file or configuration, 1 where a target\ndoes not answer.",
  action(parsed) {
    const event = parsed.values.has("event") ? eventNamed(parsed.values.get("event")?.[0], "--event") : undefined;
    return runSession(parsed, async ({ config, signal, secrets, open }) => {
      const words = parsed.positionals.length > 0 ? parsed.positionals : [...(config?.items.keys() ?? [])];
      if (words.length === 0) throw new UsageError("no target is given", "mcp-interceptors list TARGET");
      const lists = await Promise.all(
        words.map(async (word, index) => {
          const { source } = await open(word, `target-${index + 1}`);
          const listed = await listOf(source, word, signal);
          return { target: word, interceptors: event === undefined ? listed : listed.filter(({ hooks }) => hooksMatch(hooks, event, "request") || hooksMatch(hooks, event, "response")) };
        }),
      );
      return () => {
        const shown = secrets.hideIn(lists);
        if (parsed.values.has("json")) printJson(shown);
        else process.stdout.write(shown.map(table).join("\n"));
        return { code: 0 };
      };
    });
  },
});

function table({ target, interceptors }: { readonly target: string; readonly interceptors: readonly ListedDescriptor[] }): string {
  const paint = paintFor();
  const rows = interceptors.map(({ name, type, mode = "active", failOpen = false, hooks, description }) => [
    `  ${paint.bold(printable(name))}`,
    type,
    [mode === "active" ? "" : mode, failOpen ? "fail-open" : ""].filter((word) => word !== "").join(" ") || "active",
    hooks.map(({ events, phase }) => `${events.map((one) => printable(one)).join(",")} ${phase}`).join("; "),
    paint.dim(printable(description ?? "", 100)),
  ]);
  return `${printable(target)}\n${rows.length === 0 ? "  none" : columns(rows)}\n`;
}
