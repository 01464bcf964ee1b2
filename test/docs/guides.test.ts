import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runCompiler, STRICTEST, temporaryFolder } from "../support/compile.ts";
import { examplesIn, idleFences, runPage, steady, strayLines } from "../support/pages.ts";
import { createReaders, FIRST, readGuides, type Readers } from "./guides.ts";

const pages = readGuides();
const root = join(import.meta.dirname, "../..");

describe("the guides", { skip: process.platform === "win32" ? "their commands are for sh" : false }, () => {
  let readers: Readers;
  before(async () => {
    readers = createReaders();
    await shows(FIRST);
  });
  after(() => readers?.remove());

  async function shows(name: string): Promise<void> {
    const text = pages.get(name) ?? "";
    const { examples } = examplesIn(text);
    const printed = await readers.follow(name, text);
    for (const [index, { command, shown }] of examples.entries()) {
      assert.equal(steady(printed[index] ?? ""), steady(shown), `${name}: ${command}if this is meant, run: npm run docs -- guides`);
    }
  }

  describe("show what is printed, numbers and times apart", { concurrency: 2 }, () => {
    for (const name of pages.keys()) if (name !== FIRST) it(name, () => shows(name));
  });

  it("show JavaScript that the types of the package take, under strict options", () => {
    const folders = [...pages.keys()].filter((name) => name !== FIRST).map((name) => readers.folderOf(name));
    const options = { ...STRICTEST, allowJs: true, checkJs: true, noEmit: true, types: ["node"], typeRoots: [join(root, "node_modules", "@types")] };
    const loose = { isolatedModules: false, noImplicitAny: false, noPropertyAccessFromIndexSignature: false, useUnknownInCatchVariables: false, skipLibCheck: true, maxNodeModuleJsDepth: 0 };
    const folder = readers.folderOf("checked");
    writeFileSync(`${folder}.json`, JSON.stringify({ compilerOptions: { ...options, ...loose }, include: folders.map((one) => `${one}/*.js`) }));
    assert.equal(runCompiler(folders[0]!, "-p", `${folder}.json`), "");
  });
});

describe("what the guides show", () => {
  it("is run, all of it", () => {
    assert.deepEqual([...pages].flatMap(([name, text]) => idleFences(text).map((content) => `${name}: ${content}`)), []);
    for (const [name, text] of pages) assert.ok(examplesIn(text).examples.length > 0, name);
  });

  it("has no rest of an older output", () => {
    assert.deepEqual([...pages].flatMap(([name, text]) => strayLines(text).map((line) => `${name}: ${line}`)), []);
    assert.deepEqual(strayLines("```sh\na\n```\n\n```text\nb\n```\nc\n\nd\n```\n\ne\n"), ["c", "```"]);
  });

  it("begins with what the reader gets, and is a screen or two", () => {
    for (const [name, text] of pages) {
      if (name !== FIRST) assert.match(text, /^# .*\n\n\*\*You get\*\* /, name);
      assert.ok(text.split("\n").length <= 170, `${name} has ${text.split("\n").length} lines`);
      if (name !== FIRST) assert.ok(pages.get(FIRST)?.includes(`](${name})`), `${name} is not on the first page`);
    }
  });
});

describe("what may differ from what a page shows", () => {
  it("is numbers, times, ids and widths, but no exit code and no error code", () => {
    const first = steady("7 decisions at 2026-11-30T22:41:37.217Z, 0.8 ms   b73689f132b00529\n-32602 (exit code 3)\n");
    assert.equal(first, steady("12 decisions at 2027-01-01T00:00:00.000Z, 11 ms b73689f132b00530\n-32602 (exit code 3)\n"));
    for (const [was, is] of [["-32602", "-32603"], ["code 3", "code 13"], ["decisions", "lines"]] as const) assert.notEqual(first, steady(first.replace(was, is)), is);
  });
});

describe("the runner of pages", { skip: process.platform === "win32" }, () => {
  it("tells output and exit code, keeps a server until the end, and has the page's port for a free one", async () => {
    const folder = temporaryFolder("pages");
    try {
      const server = 'require("node:net").createServer((socket) => socket.end()).listen(3000, "127.0.0.1", () => console.log("serving on 3000"));\n';
      const page = `\`\`\`js server.cjs\n${server}\`\`\`\n\n\`\`\`sh\nnode server.cjs &\n\`\`\`\n\n\`\`\`sh\nls "$PWD"; echo "$PWD"; exit 3\n\`\`\`\n`;
      assert.deepEqual(await runPage(page, folder.path, process.env), ["serving on 3000\n", "server.cjs\n.\n(exit code 3)\n"]);
    } finally {
      folder.remove();
    }
  });
});
