// One rule for all verbs: 2 is usage, 1 is what was asked for and failed; who asks for JSON reads one JSON value in any case.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { VERBS } from "./all-verbs.ts";
import { fixture } from "./run-cli.ts";
import { runAlone, runMany } from "./run-text.ts";

const folder = temporaryFolder();
// Takes connections and says nothing.
let mute: Server;
let mutePort = 0;
after(() => folder.remove());

const upstreams = { files: { command: process.execPath, args: [fixture("server.mjs")] } };
const file = (name: string, content: string | object) => folder.write(name, content);
file("fine.json", { upstreams, interceptors: [{ use: "redact" }] });
file("wrong.json", { upstreams, interceptors: [{ use: "redct" }, { use: "tool-filter", config: { deny: 5 } }] });
file("broken.json", '{ "upstreams": { "a" 1 } }');
file("empty.json", "");
file("bare.json", { upstreams });
file("unanswered.json", { upstreams, interceptors: [{ command: process.execPath, args: ["-e", "0"] }] });
file("unstarted.json", { upstreams, interceptors: [{ command: "no-such-program-anywhere" }] });
file("gone.json", { upstreams: { files: { command: process.execPath, args: ["-e", "0"] } } });
file("list.json", "[1]");
file("client.json", { mcpServers: { files: { command: "x" } } });
file("noservers.json", { mcpServers: {} });
file("fine.test.json", { tests: [{ name: "passes", method: "tools/list", expect: "pass" }] });
file("fails.test.json", { tests: [{ name: "fails", method: "tools/list", expect: "blocked" }] });
file("wrong.test.json", { tests: [{ name: "x", method: "tools/list", expct: "pass" }] });
file("full/x", "x");
file("session.jsonl", `${JSON.stringify({ recording: 1, at: "2026-07-28T00:00:00.000Z", session: "s", redactedBy: [] })}\n`);
file("log.jsonl", '{"seq":1}\nnothing\n');
writeFileSync(join(folder.path, "latin.json"), Buffer.from('{ "a": "\xe9" }', "latin1"));

const DEAD = `${process.execPath} -e 0`;
const NOWHERE = "http://127.0.0.1:9/mcp";
const CALL = ["--event", "tools/call"];

interface Case {
  readonly words: readonly string[];
  readonly code: number;
  readonly said: RegExp;
  readonly input?: string;
}

const usage = (words: readonly string[], said: RegExp, input?: string): Case => ({ words, code: 2, said, ...(input === undefined ? {} : { input }) });
const failure = (words: readonly string[], said: RegExp): Case => ({ words, code: 1, said });

// What may be wrong with a configuration, for verbs to which that is usage.
const configCases = (words: (config: string) => readonly string[]): readonly Case[] => [
  usage(words("none.json"), /none\.json: cannot be read: there is no such file/),
  usage(words("wrong.json"), /wrong\.json:\d+:\d+: \/interceptors\/0\/use .*did you mean redact\?\n.*\/interceptors\/1 config of tool-filter/),
  failure(words("unanswered.json"), /\/interceptors\/0 .*closed/),
];

// The same and more, for those that are looked at closely.
const allConfigCases = (words: (config: string) => readonly string[]): readonly Case[] => [
  ...configCases(words),
  usage(words("."), /\.: is a folder/),
  usage(words("broken.json"), /broken\.json:1:22: .*a comma or a colon is missing/),
  usage(words("empty.json"), /empty\.json:1:1: the file is empty/),
  usage(words("latin.json"), /latin\.json:1:9: this is no text in UTF-8/),
  usage(words("unstarted.json"), /cannot start "no-such-program-anywhere"/),
];

const judged = (words: (config: string) => readonly string[]): readonly Case[] =>
  allConfigCases(words).map(({ words: given, code, said }) => (given.includes("none.json") || given.includes(".") ? usage(given, said) : { words: given, code: code && 1, said }));

// Servers that do not answer, and words that name none.
const targetCases = (verb: string, ...more: readonly string[]): readonly Case[] => [
  failure([verb, NOWHERE, ...more], /http:\/\/127\.0\.0\.1:9\/mcp: .*cannot be reached/),
  failure([verb, DEAD, ...more], / -e 0: .*closed/),
  usage([verb, "redct", ...more], /did you mean redact\?/),
  usage([verb, "no-such-program --x", ...more], /cannot start "no-such-program"/),
  usage([verb, "http://", ...more], /"http:\/\/" is no URL/),
  usage([verb, "./none.mjs", ...more], /there is no file/),
  usage([verb, fixture("throwing.mjs"), ...more], /throwing\.mjs could not be loaded/),
  usage([verb, fixture("empty.mjs"), ...more], /exports no interceptor/),
  usage([verb, "tool-filter={", ...more], /no JSON/),
  usage([verb, 'tool-filter={"deny":5}', ...more], /deny/),
  usage([verb, "redact", ...more, "--header", "x"], /--header must be NAME:VALUE/),
  usage([verb, "redact", ...more, "--timeout", "soon"], /--timeout must be a whole number/),
  usage([verb, "redact", ...more, "-c", "none.json"], /none\.json: cannot be read/),
];

const messageCases = (...words: readonly string[]): readonly Case[] => [
  usage(words, /--event is missing/),
  usage([...words, "--event", "tools/*"], /--event must be a method/),
  usage([...words, ...CALL, "--phase", "respnse"], /did you mean response\?/),
  usage([...words, ...CALL, "--payload", "{"], /--payload: this is no JSON/),
  usage([...words, ...CALL, "--payload", "none.json"], /--payload none\.json: .*\n {2}--payload takes a file/),
  usage([...words, ...CALL, "--payload", ""], /--payload is empty/),
  usage([...words, ...CALL, "--payload", "."], /--payload \.: /),
  usage([...words, ...CALL, "--payload", "latin.json"], /no text in UTF-8/),
  usage([...words, ...CALL, "--payload", "-"], /--payload: stdin is no JSON/, "not json"),
  usage([...words, ...CALL, "--payload", "-"], /--payload: stdin is empty, and JSON is needed/, ""),
  usage([...words, ...CALL, "--context", "[]"], /--context must be an object/),
  usage([...words, ...CALL, "--context", '{"principal":5}'], /--context: context\.principal/),
];

const starting = (verb: string, ...more: readonly string[]): readonly Case[] => [
  usage([verb, ...more], /the server's command is missing/),
  usage([verb, ...more, "node"], /unexpected "node"/),
  { words: [verb, ...more, "--", "no-such-program-anywhere"], code: 127, said: /cannot start/ },
];

const CASES: ReadonlyMap<string, () => readonly Case[]> = new Map<string, () => readonly Case[]>([
  [
    "wrap",
    () => [
      ...starting("wrap"),
      usage(["wrap", "--use", "redct", "--", "x"], /did you mean redact\?/),
      usage(["wrap", "--use", "redact={", "--", "x"], /no JSON/),
      usage(["wrap", "--posture", "sever", "--", "x"], /did you mean server\?/),
      usage(["wrap", "--log", ".", "--", "x"], /--log \./),
      usage(["wrap", "--interceptors", "./none.mjs", "--", "x"], /there is no file/),
      usage(["wrap", "--interceptors", "no-such-program --x", "--", "x"], /cannot start/),
      failure(["wrap", "--interceptors", NOWHERE, "--", "x"], /cannot be reached/),
      failure(["wrap", "--interceptors", DEAD, "--", "x"], /closed/),
    ],
  ],
  [
    "gateway",
    () => [
      ...allConfigCases((config) => ["gateway", "-c", config, "--stdio", "files"]),
      usage(["gateway"], /the configuration is missing/),
      usage(["gateway", "-c", "bare.json", "--stdio", "fiels"], /did you mean files\?/),
      usage(["gateway", "bare.json"], /serves nothing/),
      usage(["gateway", "bare.json", "--workers", "many"], /--workers must be/),
      failure(["gateway", file("taken.json", { upstreams, http: { port: mutePort } })], /taken\.json: \/http\/port port \d+ of 127\.0\.0\.1 is in use; /),
    ],
  ],
  ["check", () => [...judged((config) => ["check", config, "--no-connect"]), usage(["check"], /the configuration is missing/), failure(["check", "gone.json"], /files cannot be reached/)]],
  [
    "list",
    () => [...targetCases("list"), usage(["list"], /no target is given/), ...allConfigCases((config) => ["list", "-c", config]), usage(["list", "redact", "--event", "*"], /--event must be a method/), failure(["list", `http://127.0.0.1:${mutePort}/mcp`, "--timeout", "300"], /not ready within 300 ms/)],
  ],
  ["invoke", () => [...targetCases("invoke", "x", ...CALL).filter(({ words }) => words[1] !== "redact"), ...messageCases("invoke", "redact", "redact"), usage(["invoke", "redact", "redcat", ...CALL], /did you mean redact\?/), usage(["invoke", "redact"], /the name of an interceptor/), usage(["invoke", "redact", "redact", ...CALL, "--with", "5"], /--with must be an object/), failure(["invoke", "tool-filter", "tool-filter", ...CALL, "--with", '{"deny":5}'], /^$/)]],
  [
    "chain",
    () => [
      ...targetCases("chain", ...CALL),
      ...messageCases("chain", "redact"),
      ...configCases((config) => ["chain", "-c", config, "--upstream", "files", ...CALL]),
      usage(["chain", ...CALL], /no target is given/),
      usage(["chain", "redact", "--upstream", "files", ...CALL], /add -c FILE/),
      usage(["chain", "-c", "fine.json", "--upstream", "fiels", ...CALL], /did you mean files\?/),
      usage(["chain", "redact", ...CALL, "--direction", "recieving"], /did you mean receiving\?/),
    ],
  ],
  [
    "explain",
    () => [
      ...configCases((config) => ["explain", config, "--tool", "x"]),
      usage(["explain", "fine.json"], /--method is missing/),
      usage(["explain", "fine.json", "--tool", "x", "--upstream", "fiels"], /did you mean files\?/),
      usage(["explain", "fine.json", "--tool", "x", "--arguments", "{"], /--arguments: this is no JSON/),
      usage(["explain", "fine.json", "--tool", "x", "--principal", '{"id":5}'], /--principal: /),
    ],
  ],
  [
    "test",
    () => [
      ...configCases((config) => ["test", config, "fine.test.json"]),
      usage(["test", "fine.json"], /no file of tests is given/),
      usage(["test", "fine.json", "none.test.json"], /none\.test\.json: cannot be read/),
      usage(["test", "fine.json", "wrong.test.json"], /did you mean expect\?\n(?:.*\n)*mcp-interceptors: the file of tests cannot be used/),
      usage(["test", "fine.json", "fine.test.json", "--junit", "nowhere/x.xml"], /--junit nowhere\/x\.xml: /),
      failure(["test", "fine.json", "fails.test.json"], /^$/),
    ],
  ],
  [
    "record",
    () => [
      ...starting("record", "-o", "made.jsonl"),
      usage(["record", "--", "x"], /the file is missing/),
      usage(["record", "-o", "nowhere/x.jsonl", "--", "x"], /--output nowhere\/x\.jsonl/),
      usage(["record", "-o", ".", "--", "x"], /--output \./),
      usage(["record", "-o", "x", "--max-bytes", "-1", "--", "x"], /--max-bytes must be a whole number/),
    ],
  ],
  [
    "replay",
    () => [
      ...configCases((config) => ["replay", "session.jsonl", "-c", config]),
      usage(["replay", "-c", "fine.json"], /the recording is missing/),
      usage(["replay", "session.jsonl"], /--config is missing/),
      usage(["replay", "none.jsonl", "-c", "fine.json"], /none\.jsonl: cannot be read: there is no such file/),
      usage(["replay", "fine.json", "-c", "fine.json"], /a recording is what/),
      usage(["replay", "session.jsonl", "-c", "fine.json", "--upstream", "fiels"], /did you mean files\?/),
    ],
  ],
  [
    "bench",
    () => [
      ...configCases((config) => ["bench", config, "--time", "1"]),
      usage(["bench", "fine.json", "--payload", "{}"], /--payload needs a method/),
      usage(["bench", "fine.json", "--payload", "list.json"], /--payload must be an object/),
      usage(["bench", "fine.json", "--recording", "none.jsonl"], /none\.jsonl: cannot be read: there is no such file/),
      usage(["bench", "fine.json", "--recording", "session.jsonl"], /no message to measure/),
      usage(["bench", "fine.json", "--upstream", "fiels"], /did you mean files\?/),
    ],
  ],
  [
    "doctor",
    () => [
      // It opens each item by itself, so that one that is broken is in its report.
      ...judged((config) => ["doctor", config, "--no-connect"]).filter(({ words }) => !/un(?:started|answered)/.test(words.join())),
      failure(["doctor", "unanswered.json", "--no-connect"], /^$/),
      failure(["doctor", "gone.json"], /^$/),
      usage(["doctor", "fine.json", "--audit", "none.jsonl"], /none\.jsonl/),
      usage(["doctor", "fine.json", "--since", "yesterday"], /--since must be a time/),
    ],
  ],
  [
    "init",
    () => [
      usage(["init"], /the client's file is missing/),
      usage(["init", "none.json"], /none\.json: cannot be read: there is no such file/),
      usage(["init", "."], /\.: is a folder/),
      usage(["init", "broken.json"], /broken\.json:1:22: /),
      usage(["init", "latin.json"], /latin\.json is no text in UTF-8/),
      usage(["init", "empty.json"], /empty\.json:1:1: /),
      usage(["init", "noservers.json"], /no server/),
      usage(["init", "client.json", "--server", "fiels"], /did you mean files\?/),
      usage(["init", "client.json", "--use", "redct"], /did you mean redact\?/),
      usage(["init", "client.json", "-o", "nowhere/x.json"], /it cannot be written/),
    ],
  ],
  ["vendor", () => [usage(["vendor"], /the folder is missing/), usage(["vendor", "full"], /is not empty/), usage(["vendor", "fine.json"], /is a file/), usage(["vendor", "x", "--entry", "chian"], /did you mean chain\?/)]],
  [
    "audit",
    () => [
      usage(["audit"], /verify, head or stats/),
      usage(["audit", "stast", "log.jsonl"], /did you mean stats\?/),
      usage(["audit", "verify"], /needs the files/),
      ...["verify", "head", "stats"].flatMap((word) => [usage(["audit", word, "none.jsonl"], /none\.jsonl/), usage(["audit", word, "."], /EISDIR|folder/)]),
      usage(["audit", "verify", "log.jsonl", "--anchor", "x"], /is no anchor/),
      usage(["audit", "verify", "log.jsonl", "--key-file", "none"], /--key-file none: cannot be read: there is no such file/),
      failure(["audit", "verify", "log.jsonl"], /^$/),
    ],
  ],
  [
    "conformance",
    () => [
      usage(["conformance"], /what is to be measured is missing/),
      usage(["conformance", "--url", "nowhere"], /--url must be/),
      usage(["conformance", "--adapter", DEAD, "--known", "none.txt"], /cannot be read/),
      usage(["conformance", "--command", DEAD, "--url", NOWHERE], /two servers/),
      usage(["conformance", "--command", DEAD, "--reporter", "jnuit"], /did you mean junit\?/),
      usage(["conformance", "--command", "x 'y"], /unclosed/),
      failure(["conformance", "--command", DEAD], /^$/),
      failure(["conformance", "--command", "no-such-program-anywhere"], /^$/),
      failure(["conformance", "--url", NOWHERE], /^$/),
    ],
  ],
  ["fixture-server", () => [usage(["fixture-server", "--http", "x"], /--http must be a port/), failure(["fixture-server", "--http", String(mutePort)], /EADDRINUSE/)]],
  ["fixture-adapter", () => [usage(["fixture-adapter", "x"], /unexpected "x"/)]],
]);

const hasJson = (name: string) => VERBS.some((verb) => verb.name === name && verb.options.some((option) => option.name === "json"));

describe("whatever is wrong", { concurrency: 3 }, () => {
  before(async () => {
    mute = createServer((socket) => socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    mutePort = (mute.address() as AddressInfo).port;
  });
  after(async () => {
    await new Promise((resolve) => mute.close(resolve));
  });

  it("has cases of every verb", () => {
    assert.deepEqual([...CASES.keys()], VERBS.map(({ name }) => name));
  });

  for (const [name, cases] of CASES) {
    it(`${name} ends with 2 for usage and 1 for what failed, says why, and with --json prints one JSON value`, async () => {
      const unknown = usage([name, "--no-such-optoin"], /unknown option --no-such-optoin/);
      // The reporters of conformance are told apart by their words.
      const asks = (words: readonly string[]) => hasJson(name) && !words.includes("--reporter");
      const withJson = (words: readonly string[]) => (asks(words) ? [name, "--json", ...words.slice(1)] : words);
      const all = [...cases(), unknown];
      const firstFailure = all.find(({ code }) => code === 1);
      // How a process ends is seen once for each verb; what else is wrong is told by the same code in one process.
      const alone = (one: Case) => one === (firstFailure ?? unknown) || one.input !== undefined || one.code === 127;
      const together = all.filter((one) => !alone(one));
      const ranTogether = await runMany(together.map(({ words }) => withJson(words)), { cwd: folder.path });
      for (const one of all) {
        const { words, code, said, input } = one;
        const asked = asks(words);
        const given = withJson(words);
        const ran = alone(one) ? await runAlone(given, { cwd: folder.path, ...(input === undefined ? {} : { input }) }) : (ranTogether[together.indexOf(one)] ?? assert.fail());
        const told = `${given.join(" ")}\n${ran.stderr}${ran.stdout.slice(0, 500)}`;
        assert.equal(ran.code, code, told);
        if (said.source !== "^$") assert.match(ran.stderr, said, told);
        assert.doesNotMatch(ran.stderr, /unexpected: |\n {4}at /, told);
        if (!asked) {
          assert.equal(ran.stdout, "", told);
          continue;
        }
        const value = JSON.parse(ran.stdout) as { error?: { exitCode?: number; message: string; problems?: { file: string; pointer: string; message: string }[] } };
        // What has failed may have a report of its own.
        if (code === 2) assert.equal(value.error?.exitCode, 2, told);
        if (value.error?.exitCode === undefined) continue;
        assert.equal(value.error.exitCode, code, told);
        assert.ok(value.error.message.length > 0, told);
        for (const problem of value.error.problems ?? []) assert.ok(ran.stderr.includes(problem.message), told);
      }
    });
  }
});
