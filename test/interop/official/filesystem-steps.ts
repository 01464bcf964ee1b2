// What is asked of server-filesystem: every tool, on files that are easy to get wrong.
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "./compare.ts";
import { eventually } from "./process-tree.ts";
import type { Params, Session } from "./session.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
/** A result carries it twice, as text and as structured content. */
const BIG_LINES = 15_000;
export const EMAIL = "ada.lovelace@example.org";

/** A folder with the same content, names and modification times each time that it is made. */
export function makeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "sub", "deep"), { recursive: true });
  const files: Record<string, string | Buffer> = {
    "plain.txt": "one\ntwo\nthree\n",
    "unicode é 😀.txt": "emoji 😀👩‍👩‍👧, separators \u2028 and \u2029 and \u0085, BOM \ufeff, combining e\u0301, NUL \u0000, quotes \" and \\",
    "no-utf-8.txt": EVERY_BYTE,
    "empty.txt": "",
    "crlf.txt": "one\r\ntwo\r\n",
    "json.txt": '{"big":1915883588174806058,"one":1.10,"nested":"{\\"a\\":\\"b\\"}"}',
    "big.txt": Array.from({ length: BIG_LINES }, (_, line) => `line ${line} ${"=".repeat(40)} é 😀`).join("\n"),
    "mail.txt": `Write to ${EMAIL} today.\n`,
    "pixel.png": PNG,
    "tone.wav": EVERY_BYTE,
    "some.bin": EVERY_BYTE,
    "sub/a.md": "# a\n",
    "sub/deep/b.md": "# b\n",
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
  }
  symlinkSync("/etc/hostname", join(folder, "out-of-bounds"));
}

export async function filesystemIsReady(session: Session): Promise<void> {
  await eventually("the server asks for the roots", 10_000, () => session.received.some(({ method }) => method === "roots/list"));
  // What it does with the answer comes before what it does with this.
  await session.request("ping");
}

export function filesystemSteps(folder: string): readonly Step[] {
  const at = (name: string) => join(folder, name);
  const call = (name: string, args: Params, more: Partial<Step> = {}): Step => ({
    name: `tools/call ${name} ${JSON.stringify(args).replaceAll(folder, "…")}`,
    run: (session) => session.callTool(name, args),
    ...more,
  });
  const texts = ["plain.txt", "unicode é 😀.txt", "no-utf-8.txt", "empty.txt", "crlf.txt", "json.txt", "big.txt", "mail.txt"];
  // The folder is made anew for each run, and a read changes the time of the last access.
  const times = ["created", "accessed"].flatMap((name) =>
    ["/answer/result", "/messages/*/result"].flatMap((place) =>
      ["content/0/text", "structuredContent/content"].map((member) => ({
        pointer: `${place}/${member}`,
        reason: "when the file was made and last read",
        part: new RegExp(`(?<=^${name}: ).*$`, "m"),
      })),
    ),
  );
  return [
    { name: "tools/list, by the client's own method", run: (session) => session.listTools() },
    { name: "tools/list", run: (session) => session.request("tools/list", {}) },
    call("list_allowed_directories", {}),
    ...texts.map((name) => call("read_text_file", { path: at(name) })),
    call("read_text_file", { path: at("big.txt"), head: 3 }),
    call("read_text_file", { path: at("big.txt"), tail: 3 }),
    call("read_text_file", { path: at("plain.txt"), head: 1, tail: 1 }),
    call("read_text_file", { path: at("missing.txt") }),
    call("read_text_file", { path: "/etc/hostname" }),
    call("read_text_file", { path: at("out-of-bounds") }),
    call("read_text_file", {}),
    call("read_file", { path: at("plain.txt") }),
    ...["pixel.png", "tone.wav", "some.bin", "big.txt"].map((name) => call("read_media_file", { path: at(name) })),
    call("read_multiple_files", { paths: [...texts.map(at), at("missing.txt")] }),
    call("list_directory", { path: folder }),
    call("list_directory_with_sizes", { path: folder, sortBy: "size" }),
    call("directory_tree", { path: folder }),
    call("directory_tree", { path: folder, excludePatterns: ["deep"] }),
    call("search_files", { path: folder, pattern: "**/*.md" }),
    call("search_files", { path: folder, pattern: "nothing*" }),
    call("get_file_info", { path: at("plain.txt") }, { varies: times }),
    call("create_directory", { path: at("new/deeper") }),
    call("write_file", { path: at("new/😀.txt"), content: "first \u2028 line\nsecond, \ud83d alone\n" }),
    call("read_text_file", { path: at("new/😀.txt") }),
    call("edit_file", { path: at("new/😀.txt"), edits: [{ oldText: "second", newText: "2nd" }], dryRun: true }),
    call("edit_file", { path: at("new/😀.txt"), edits: [{ oldText: "second", newText: "2nd" }] }),
    call("edit_file", { path: at("new/😀.txt"), edits: [{ oldText: "not there", newText: "" }] }),
    call("write_file", { path: at("new/big.txt"), content: "x".repeat(3_000_000) }),
    call("move_file", { source: at("new/😀.txt"), destination: at("new/moved.txt") }),
    call("move_file", { source: at("new/😀.txt"), destination: at("new/moved.txt") }),
    call("read_text_file", { path: at("new/moved.txt") }),
    call("no_such_tool", {}),
    { name: "resources/list, which it has not", run: (session) => session.request("resources/list") },
  ];
}
