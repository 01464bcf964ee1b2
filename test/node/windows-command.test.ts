import assert from "node:assert/strict";
import { test } from "node:test";
import { findWindowsProgram, quoteArgument, windowsCommandLine } from "../../src/node/windows-command.ts";

/** What cmd.exe makes of a text outside of quotes: it drops each caret and keeps what follows. */
const readCarets = (text: string) => text.replace(/\^(.)/g, "$1");

/** What the C runtime makes of a command line: the words, by its rules for quotes and backslashes. */
function readWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))![0].length;
    if (slashes > 0 && line[at + slashes] === '"') {
      word = (word ?? "") + "\\".repeat(slashes >> 1);
      at += slashes;
      if (slashes % 2 === 1) word += '"';
      else quoted = !quoted;
    } else if (slashes > 0) {
      word = (word ?? "") + "\\".repeat(slashes);
      at += slashes - 1;
    } else if (line[at] === '"') {
      word ??= "";
      quoted = !quoted;
    } else if (line[at] === " " && !quoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + line[at];
  }
  if (word !== undefined) words.push(word);
  return words;
}

const awkward = [
  ...["plain", "", "two words", 'a "quoted" word', "back\\slash", "ends in \\", 'ends in \\"', "\\\\server\\share\\"],
  ...["%PATH%", "a&b|c<d>e^f!g", "(x)", "a;b,c=d", "'", "é😀", '--x={"a":[1,2]}', "* ?"],
];

test("an argument is quoted so that the C runtime reads it back", () => {
  for (const argument of awkward) assert.deepEqual(readWords(quoteArgument(argument)), [argument]);
});

test("a command line comes through cmd.exe and the batch file that it starts with every argument as it was", () => {
  const line = windowsCommandLine("C:\\Program Files\\nodejs\\npx.cmd", awkward);
  assert.ok(line.startsWith('"') && line.endsWith('"'));
  const inner = line.slice(1, -1);
  const afterCommand = readCarets(inner);
  assert.ok(afterCommand.startsWith("C:\\Program Files\\nodejs\\npx.cmd "));
  const afterBatch = readCarets(afterCommand.slice("C:\\Program Files\\nodejs\\npx.cmd ".length));
  assert.deepEqual(readWords(afterBatch), awkward);
});

test("nothing that cmd.exe gives a meaning to stands in a command line without a caret before it", () => {
  const inner = windowsCommandLine("npx.cmd", awkward).slice(1, -1);
  // Between the words the spaces are ours.
  assert.equal(/(?<!\^)(?:\^\^)*[&|<>()%!"]/.test(inner.replaceAll(/\^./g, "")), false);
});

test("a line break cannot be escaped, and is refused", () => {
  for (const bad of ["a\nb", "a\rb", "a\0b"]) assert.throws(() => windowsCommandLine("npx.cmd", [bad]), { code: "invalid_argument" });
  assert.throws(() => windowsCommandLine("n\npx", []), { code: "invalid_argument" });
});

test("finds a program along PATH by the extensions of PATHEXT, in their order, and tells batch files apart", () => {
  const files = ["C:\\bin\\npx.cmd", "C:\\bin\\node.exe", "C:\\bin\\both.exe", "C:\\bin\\both.cmd", "D:\\tools\\late.bat", ".\\here.cmd"];
  const exists = (file: string) => files.includes(file);
  const env = { Path: "C:\\bin;;D:\\tools\\", PATHEXT: ".COM;.EXE;.BAT;.CMD" };
  const table: [string, object][] = [
    ["npx", { kind: "batch", file: "C:\\bin\\npx.cmd" }],
    ["npx.cmd", { kind: "batch", file: "C:\\bin\\npx.cmd" }],
    ["node", { kind: "executable", file: "C:\\bin\\node.exe" }],
    ["both", { kind: "executable", file: "C:\\bin\\both.exe" }],
    ["late", { kind: "batch", file: "D:\\tools\\late.bat" }],
    [".\\here", { kind: "batch", file: ".\\here.cmd" }],
    ["nowhere", { kind: "executable", file: "nowhere" }],
    ["nowhere.bat", { kind: "batch", file: "nowhere.bat" }],
  ];
  for (const [command, program] of table) assert.deepEqual(findWindowsProgram(command, env, exists), program, command);
  assert.deepEqual(findWindowsProgram("npx", { PATH: "C:\\bin" }, exists), { kind: "batch", file: "C:\\bin\\npx.cmd" });
});
