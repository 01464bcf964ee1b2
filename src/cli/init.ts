import { chmodSync, copyFileSync, existsSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { utf8DecodeExact } from "../core/base/bytes.ts";
import { describeError, LocalError } from "../core/base/errors.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { didYouMean } from "../core/base/nearest.ts";
import { guardOf, guardServerEntry, namesInEnvFile, readClientFile, workFolderOf, type ClientFile, type ClientServer } from "../gateway/config/client-file.ts";
import { replaceEntries } from "../gateway/config/client-text.ts";
import type { InterceptorsConfig } from "../gateway/config/config.ts";
import { DEFAULT_POLICY } from "../gateway/config/default-policy.ts";
import { readJsonc } from "../gateway/config/jsonc.ts";
import { readRegularFile } from "../node/read-file.ts";
import { printable } from "./describe.ts";
import { describeUnread, UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import type { ParsedOptions } from "./options.ts";
import { readyMadeNamed } from "./ready-made.ts";
import { exitBy } from "./signals.ts";
import { printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";
import { quoteWord, splitWords } from "./words.ts";

// Of a client's file, and of what it names.
const MAX_FILE_BYTES = 16 * 1024 * 1024;

// Where clients keep their servers, below the folder that one stands in, and below the home folder.
const KNOWN_FILES = [".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"];
const KNOWN_HOME_FILES = ["Library/Application Support/Claude/claude_desktop_config.json", ".config/Claude/claude_desktop_config.json", ".cursor/mcp.json"];

/** `init FILE`: a gateway before the servers of a client. */
export const init = defineVerb({
  name: "init",
  words: "file",
  usage: "[CLIENT_FILE] [OPTIONS]",
  about: `Reads the file in which a client names its MCP servers (mcpServers, servers or
context_servers), and writes beside it

  mcp-interceptors.jsonc  a configuration with these servers and a policy
  CLIENT_FILE.backup      a copy of the file as it is
  CLIENT_FILE.guarded     the same with the gateway in front of each server

The client's file itself stays as it is, unless --apply puts the guarded one in
its place; that keeps a configuration that is there already. Values of
environments and headers stay in the client's file, or in the envFile. Servers
start in the folder in which the client starts them.
On a terminal and without a file it asks.`,
  options: [
    { name: "use", value: "NAME", many: true, help: "these ready-made interceptors, in place of the default policy" },
    { name: "server", value: "NAME", many: true, help: "only these servers; the others stay as they are" },
    { name: "out", short: "o", value: "FILE", help: "the configuration; mcp-interceptors.jsonc beside the client's file unless said otherwise" },
    { name: "apply", help: "put the guarded file in the place of the client's" },
    { name: "force", help: "write over files that are there" },
    { name: "program", value: "COMMAND", help: "how the client starts this program; by its full path unless said otherwise" },
    JSON_OPTION,
  ],
  examples: ["mcp-interceptors init .mcp.json", "mcp-interceptors init ~/.cursor/mcp.json --use secret-guard --use redact \\\n    --apply"],
  exit: "Exit code: 0; 2 for a wrong word, or a file that cannot be used or written; 1\nwhere its questions are not answered.",
  async action(parsed) {
    const choice = parsed.positionals.length === 0 && process.stdin.isTTY && !parsed.values.has("json") ? await ask() : chosen(parsed);
    return "code" in choice ? choice : write(choice, parsed.values.has("json"));
  },
});

interface Choice {
  readonly file: string;
  readonly policy: readonly InterceptorsConfig[];
  /** The policy was asked for, so that one which is there is no substitute. */
  readonly asked: boolean;
  /** All unless given. */
  readonly servers: readonly string[] | undefined;
  readonly out: string;
  readonly apply: boolean;
  readonly force: boolean;
  readonly program: readonly string[];
}

function chosen({ positionals, values }: ParsedOptions): Choice {
  const [file, more] = positionals;
  if (file === undefined) throw new UsageError("the client's file is missing", "mcp-interceptors init .mcp.json");
  if (more !== undefined) throw new UsageError(`unexpected ${JSON.stringify(more)}`, "mcp-interceptors help init");
  const program = values.get("program")?.[0];
  return {
    file,
    policy: policyOf(values.get("use")),
    asked: values.has("use"),
    servers: values.get("server"),
    out: values.get("out")?.[0] ?? join(dirname(file), "mcp-interceptors.jsonc"),
    apply: values.has("apply"),
    force: values.has("force"),
    program: program === undefined ? ownProgram() : splitWords(program),
  };
}

function policyOf(names: readonly string[] | undefined): readonly InterceptorsConfig[] {
  if (names === undefined) return DEFAULT_POLICY;
  return names.flatMap((name): readonly InterceptorsConfig[] => {
    const known = DEFAULT_POLICY.filter(({ use }) => use === name);
    if (known.length > 0) return known;
    readyMadeNamed(name);
    return [{ use: name }];
  });
}

// By full paths: a client that is started from a menu has no search path of ours.
function ownProgram(): readonly string[] {
  return [process.execPath, ...process.execArgv, realpathSync(process.argv[1] ?? "")];
}

/** Asks on the terminal. Ctrl-C ends it as it ends any program, and so does the end of the input; nothing has been written then. */
async function ask(): Promise<Choice | Exit> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  let exit: Exit = { code: 1 };
  let over = false;
  lines.once("close", () => (over = true));
  lines.once("SIGINT", () => {
    exit = exitBy("SIGINT");
    // The prompt's line is not ended.
    process.stderr.write("\n");
    lines.close();
  });
  // Of `question` what is typed ahead would be lost.
  const answers = lines[Symbol.asyncIterator]();
  try {
    return await dialogue(async (text) => {
      lines.setPrompt(text);
      lines.prompt();
      const { value, done } = await answers.next();
      if (done === true) throw new LocalError("aborted", "there is no answer");
      return value;
    });
  } catch (thrown) {
    if (over) return exit;
    throw thrown;
  } finally {
    lines.close();
  }
}

async function dialogue(question: (text: string) => Promise<string>): Promise<Choice> {
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const there = [...KNOWN_FILES, ...KNOWN_HOME_FILES.map((file) => join(home, file))].find((file) => existsSync(file));
  const file = (await question(`The client's file of servers${there === undefined ? "" : ` [${there}]`}: `)).trim() || there;
  if (file === undefined) throw new UsageError("the client's file is missing", "mcp-interceptors init .mcp.json");
  const { servers } = readClient(file);
  const names = servers.map(({ name }) => name).join(", ");
  const picked = (await question(`Servers to guard [all: ${printable(names, 500)}]: `)).split(",").map((name) => name.trim()).filter((name) => name !== "");
  const used = [...new Set(DEFAULT_POLICY.map(({ use }) => use))].join(" ");
  const words = (await question(`Interceptors [${used}]: `)).split(/[\s,]+/).filter((name) => name !== "");
  const apply = /^y/i.test(await question(`Put the guarded file in the place of ${file}? A backup is kept. [y/N] `));
  return {
    file,
    policy: policyOf(words.length === 0 ? undefined : words),
    asked: words.length > 0,
    servers: picked.length === 0 ? undefined : picked,
    out: join(dirname(file), "mcp-interceptors.jsonc"),
    apply,
    force: false,
    program: ownProgram(),
  };
}

function readClient(file: string): ClientFile & { readonly value: JsonObject; readonly text: string } {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file, MAX_FILE_BYTES);
  } catch (thrown) {
    if (thrown instanceof LocalError) throw new UsageError(`${file}: ${thrown.message}`);
    throw new UsageError(`${file}: ${describeUnread(thrown)}`);
  }
  // It is written anew, and what cannot be read must not be lost in that.
  const text = utf8DecodeExact(bytes);
  if (text === undefined) throw new UsageError(`${file} is no text in UTF-8`, "save it as UTF-8");
  const read = readJsonc(text);
  if (read.fault !== undefined) {
    const { place, message } = read.fault;
    throw new UsageError(`${file}:${place?.line ?? 1}:${place?.column ?? 1}: ${message}`);
  }
  const client = readClientFile(read.value, (envFile) => variablesIn(envFile, file));
  if (typeof client === "string") throw new UsageError(`${file} ${client}`);
  // What has servers is an object.
  return { ...client, value: read.value as JsonObject, text };
}

// The client's own references are its own to resolve, but for the folder that it has open.
function variablesIn(envFile: string, file: string): readonly string[] | undefined {
  const folder = workFolderOf(resolve(file));
  const path = folder === undefined ? envFile : resolve(folder, envFile.replace(/^\$\{workspaceFolder\}/, () => folder));
  try {
    return path.includes("${") ? undefined : namesInEnvFile(readRegularFile(path, MAX_FILE_BYTES).toString("utf8"));
  } catch {
    return undefined;
  }
}

// The gateway starts servers in the folder of its configuration; with a path from there, both can be moved together.
function cwdFor(file: string, config: string): (own: string | undefined) => string | undefined {
  const folder = workFolderOf(resolve(file));
  if (folder === undefined) return (own) => own;
  return (own) => relative(dirname(config), resolve(folder, own ?? "")) || undefined;
}

function write({ file, policy, asked, servers: wanted, out, apply, force, program }: Choice, json: boolean): Exit {
  const { member, servers, others, value, text } = readClient(file);
  const unknown = wanted?.find((name) => !servers.some((server) => server.name === name));
  if (unknown !== undefined) {
    const why = others.find(({ name }) => name === unknown)?.why;
    const hint = didYouMean(unknown, servers.map(({ name }) => name), undefined);
    throw new UsageError(`${file} has no server ${JSON.stringify(unknown)} that can be guarded${why === undefined ? "" : `: it ${why}`}`, hint);
  }
  const guarded = servers.filter(({ name }) => wanted === undefined || wanted.includes(name));
  if (guarded.length === 0) throw new UsageError(`${file} has no server that can be guarded`, others.map(({ name, why }) => `${name} ${why}`).join("; ") || undefined);
  const config = resolve(out);
  const standing = Object.entries(value[member] as JsonObject).filter(([, entry]) => isObject(entry) && guardOf(entry) === config).map(([name]) => name);
  // Its servers are nowhere else but in there and in the backup.
  if (standing.length > 0) throw new UsageError(`${config} already guards ${standing.join(", ")}`, `add servers to it by hand, put ${file}.backup back first, or take another -o`);
  const taken = [file, `${file}.guarded`, `${file}.backup`].map((path) => resolve(path));
  if (taken.includes(config)) throw new UsageError(`-o ${out} is the client's own file, or one that is made of it`, "take another name for the configuration");
  const made = guarded.map((server) => ({ server, ...guardServerEntry(server, { program, configFile: config, cwdOf: cwdFor(file, config) }) }));
  const edited = replaceEntries(text, member, new Map(made.map(({ server, entry }) => [server.name, entry])));
  const files = {
    config: { path: config, text: configText(made, policy) },
    backup: { path: freeName(`${file}.backup`), text: undefined },
    guarded: { path: apply ? file : `${file}.guarded`, text: edited.text },
  };
  const there = [files.config.path, ...(apply ? [] : [files.guarded.path])].filter((path) => existsSync(path));
  const keep = apply && !force && there.length > 0;
  if (keep) refuseUnfit(config, guarded, asked);
  else if (there.length > 0 && !force) throw new UsageError(`${there.join(" and ")} ${there.length === 1 ? "is" : "are"} there already`, "--apply puts the gateway before the servers and keeps the configuration, --force writes over what is there");

  try {
    copyFileSync(file, files.backup.path);
    // It may have secrets in the arguments of commands.
    if (!keep) writeFileSync(files.config.path, files.config.text, { mode: 0o600 });
    if (!keep) chmodSync(files.config.path, 0o600);
    writeFileSync(files.guarded.path, files.guarded.text, apply ? {} : { mode: 0o600 });
  } catch (thrown) {
    throw new UsageError(`it cannot be written: ${describeError(thrown)}`, "-o names another place for the configuration");
  }
  tell({ files, guarded, others, apply, keep, file, uncommented: edited.uncommented }, json);
  return { code: 0 };
}

// A configuration that is kept has to have what the client will start by it.
function refuseUnfit(config: string, guarded: readonly ClientServer[], asked: boolean): void {
  if (asked) throw new UsageError(`${config} is there already, and --use would change it`, "--apply without --use keeps it, --force writes over it");
  let text: string | undefined;
  try {
    text = utf8DecodeExact(readRegularFile(config, MAX_FILE_BYTES));
  } catch (thrown) {
    throw new UsageError(`${config}: ${describeUnread(thrown)}`);
  }
  const value = text === undefined ? undefined : readJsonc(text.replace(/^\ufeff/, "")).value;
  const upstreams = isObject(value) ? ownMember(value, "upstreams") : undefined;
  const missing = guarded.filter(({ upstream }) => !isObject(upstreams) || ownMember(upstreams, upstream) === undefined);
  if (missing.length > 0) throw new UsageError(`${config} is there already, and has no upstream ${missing.map(({ upstream }) => printable(upstream)).join(", ")}`, "add it by hand, name the other servers by --server, take another -o, or write over it by --force");
}

// A backup is never written over: what it holds may stand nowhere else any more.
function freeName(path: string): string {
  let free = path;
  for (let number = 2; existsSync(free); number++) free = `${path}.${number}`;
  return free;
}

function configText(made: readonly { readonly server: ClientServer; readonly upstream: object }[], policy: readonly InterceptorsConfig[]): string {
  const line = (value: unknown) => JSON.stringify(value);
  const upstreams = made.map(({ server, upstream }) => `    ${line(server.upstream)}: ${line(upstream)},`);
  const items = policy.map((item) => `    ${line(item)},`);
  return `// Written by mcp-interceptors init. Each server is started with this policy before it: see "mcp-interceptors help gateway".
// "mcp-interceptors check" says what is guarded by what, "mcp-interceptors explain" which rules apply to a call.
{
  "upstreams": {
${upstreams.join("\n")}
  },
  "interceptors": [
${items.join("\n")}
  ],
  // A blocked call is answered by a result that the model can read and get over.
  "policy": { "blockAs": "result" },
}
`;
}

interface Told {
  readonly files: Readonly<Record<"config" | "backup" | "guarded", { readonly path: string }>>;
  readonly guarded: readonly ClientServer[];
  readonly others: readonly { readonly name: string; readonly why: string }[];
  readonly apply: boolean;
  readonly keep: boolean;
  readonly file: string;
  readonly uncommented: readonly string[];
}

function tell({ files, guarded, others, apply, keep, file, uncommented }: Told, json: boolean): void {
  if (json) {
    printJson({ config: files.config.path, backup: files.backup.path, guarded: files.guarded.path, applied: apply, kept: keep, servers: guarded.map(({ name }) => name), left: others });
    return;
  }
  const lines = [
    `guarded: ${guarded.map(({ name }) => printable(name)).join(", ")}`,
    ...others.map(({ name, why }) => `left as it is: ${printable(name)}, which ${why}`),
    ...(uncommented.length === 0 ? [] : [`without the comments inside: ${uncommented.map((name) => printable(name)).join(", ")}`]),
    `${files.config.path}: the configuration${keep ? ", kept as it was there" : ""}; try mcp-interceptors check ${quoteWord(files.config.path)} --stdio ${guarded[0]?.upstream ?? "NAME"}`,
    `${files.backup.path}: the file as it was`,
    apply ? `${file}: the gateway stands before each server; start the client anew` : `${files.guarded.path}: the same with the gateway before each server; ${file} is as it was`,
    ...(apply ? [] : [`to put it in place: mv ${quoteWord(files.guarded.path)} ${quoteWord(file)}, and start the client anew`]),
    `to undo ${apply ? "it" : "that"}: cp ${quoteWord(files.backup.path)} ${quoteWord(file)}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
