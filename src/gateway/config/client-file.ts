import { isObject, type JsonObject, ownMember } from "../../core/base/json.ts";
import type { UpstreamConfig } from "./config.ts";

// Files in which clients name the MCP servers that they start: Claude's, Cursor's and others have `mcpServers`, VS Code `servers`, Zed `context_servers`.
const MEMBERS = ["mcpServers", "servers", "context_servers"] as const;

/** A server in a client's file. */
export interface ClientServer {
  /** As the client has it. */
  readonly name: string;
  /** As a configuration may have it: part of a path. */
  readonly upstream: string;
  readonly entry: JsonObject;
  /** Names of the variables that the client takes from a file of their own (`envFile`). */
  readonly fileVariables?: readonly string[];
}

export interface ClientFile {
  readonly member: (typeof MEMBERS)[number];
  readonly servers: readonly ClientServer[];
  /** Entries that no gateway can stand before, by name, and why. */
  readonly others: readonly { readonly name: string; readonly why: string }[];
}

/** The names of the variables in an `envFile`, or `undefined` where it cannot be read. */
export type VariablesOf = (envFile: string) => readonly string[] | undefined;

/** Finds the servers in a client's file; a text says what is wrong with it. */
export function readClientFile(value: unknown, variablesOf: VariablesOf = () => undefined): ClientFile | string {
  if (!isObject(value)) return "must be an object";
  const member = MEMBERS.find((name) => isObject(ownMember(value, name)));
  if (member === undefined) return `must have one of ${MEMBERS.join(", ")}: an object of servers by name`;
  const taken = new Set<string>();
  const servers: ClientServer[] = [];
  const others: { name: string; why: string }[] = [];
  for (const [name, entry] of Object.entries(ownMember(value, member) as JsonObject)) {
    const fileVariables = isObject(entry) && typeof entry["envFile"] === "string" ? variablesOf(entry["envFile"]) : [];
    // What the client reads for it would reach the gateway, and not the server.
    const why = problemOf(entry) ?? (fileVariables?.every(isVariable) === true ? undefined : "has an envFile that cannot be read here, so that nobody knows which variables the server has to get");
    if (why !== undefined || !isObject(entry)) others.push({ name, why: why ?? "is no object" });
    else servers.push({ name, upstream: upstreamName(name, taken), entry, ...(fileVariables === undefined || fileVariables.length === 0 ? {} : { fileVariables }) });
  }
  return { member, servers, others };
}

function problemOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return "is no object";
  const { command, url, args, env, headers, type } = entry;
  const guard = guardOf(entry);
  if (guard !== undefined) return `is guarded already, by ${guard}`;
  if (isWrapped(entry)) return "is guarded already, by wrap";
  if (type === "sse") return "speaks the old HTTP+SSE transport, which the gateway does not";
  if (typeof command === "string" && command !== "") {
    if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === "string"))) return "has args that are no list of texts";
    return env === undefined || isTexts(env) ? undefined : "has an env that is no object of texts";
  }
  if (typeof url !== "string" || !/^https?:\/\//.test(url)) return "has neither a command nor a url";
  return headers === undefined || isTexts(headers) ? undefined : "has headers that are no object of texts";
}

/** The configuration of the gateway that already stands before a server, as `guardServerEntry` has put it there. */
export function guardOf({ args }: JsonObject): string | undefined {
  if (!Array.isArray(args)) return undefined;
  const [verb, option, file, stdio] = args.slice(-5) as readonly unknown[];
  return verb === "gateway" && option === "-c" && stdio === "--stdio" && typeof file === "string" ? file : undefined;
}

/** Whether this program's `wrap` stands before a server: by its name, through a launcher or not, or by its main file. */
function isWrapped({ command, args }: JsonObject): boolean {
  if (!Array.isArray(args)) return false;
  const words: readonly unknown[] = [command, ...args];
  const verb = words.indexOf("wrap", 1);
  const program = words[verb - 1];
  return verb > 0 && words.includes("--", verb) && typeof program === "string" && /(?:^|[\\/])mcp-interceptors(?:@[^\\/]*|\.cmd)?$|[\\/]cli[\\/]main\.[jt]s$/.test(program);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function upstreamName(name: string, taken: Set<string>): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 60) || "server";
  let free = plain;
  for (let number = 2; taken.has(free); number++) free = `${plain}-${number}`;
  taken.add(free);
  return free;
}

/** The names that are set in a file of variables, a line each: `NAME=value`, `export NAME=value`. */
export function namesInEnvFile(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/^\s*(?:export\s+)?([^\s#=][^\s=]*)\s*=/gm)].map(([, name = ""]) => name))];
}

// The folders of a project in which clients keep their files: they start servers in the project's own.
const PROJECT_FOLDERS: ReadonlySet<string> = new Set([".cursor", ".gemini", ".roo", ".vscode", ".zed"]);

/** The folder in which a client starts the servers of a file, by its absolute path; `undefined` where that is nowhere to rely on, as with Claude Desktop. */
export function workFolderOf(file: string): string | undefined {
  const [name, folder = ""] = file.split(/[\\/]/).reverse();
  const parent = file.slice(0, -`/${name ?? ""}`.length);
  if (PROJECT_FOLDERS.has(folder)) return parent.slice(0, -`/${folder}`.length) || "/";
  return name === ".mcp.json" ? parent || "/" : undefined;
}

/** Where the gateway is, as the client starts it. */
export interface GatewayPlace {
  readonly program: readonly string[];
  readonly configFile: string;
  /** A server's working folder as the configuration has it, by its own if it has one; `undefined` for the configuration's. */
  cwdOf?(own: string | undefined): string | undefined;
}

export interface GuardedServer {
  readonly upstream: UpstreamConfig;
  /** What the client starts in its place: the gateway, on stdio. */
  readonly entry: JsonObject;
}

/**
 * Puts the gateway before a server. Values of its environment and its headers stay in the client's file, and so does whatever the client puts in
 * itself (`${input:…}`): the configuration refers to them as variables, so that no secret stands in a second place.
 */
export function guardServerEntry({ upstream: name, entry, fileVariables = [] }: ClientServer, { program, configFile, cwdOf = (own) => own }: GatewayPlace): GuardedServer {
  const { command, args, env, cwd, url, headers, type: _type, ...rest } = entry;
  const variables = new Map<string, string>();
  const own = Object.entries((env ?? {}) as Readonly<Record<string, string>>);
  const taken = new Set([...fileVariables, ...own.map(([variable]) => variable)]);
  const prefix = `MCP_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;
  const kept = (part: string, value: string): string => {
    const plainName = `${prefix}_${part.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;
    let variable = plainName;
    for (let number = 2; variables.has(variable) || taken.has(variable); number++) variable = `${plainName}_${number}`;
    variables.set(variable, value);
    return reference(variable);
  };
  // Only what has a reference of the client's own need not be written down.
  const plain = (part: string, value: string) => (value.includes("${") ? kept(part, value) : value);
  const passed = [
    ...fileVariables.map((variable) => [variable, reference(variable)] as const),
    ...own.map(([variable, value]) => [variable, isVariable(variable) ? reference(variable) : kept(`env_${variable}`, value)] as const),
  ];
  const ownFolder = typeof cwd === "string" ? cwd : undefined;
  const folder = ownFolder?.includes("${") === true ? ownFolder : cwdOf(ownFolder);
  const upstream: UpstreamConfig =
    typeof command === "string"
      ? {
          command: plain("command", command),
          ...(args === undefined ? {} : { args: (args as readonly string[]).map((arg, index) => plain(`arg_${index + 1}`, arg)) }),
          ...(passed.length === 0 ? {} : { env: Object.fromEntries(passed) }),
          ...(folder === undefined ? {} : { cwd: plain("cwd", folder) }),
        }
      : {
          url: plain("url", String(url)),
          ...(headers === undefined ? {} : { headers: Object.fromEntries(Object.entries(headers as Readonly<Record<string, string>>).map(([header, value]) => [header, kept(`header_${header}`, value)])) }),
        };
  const [program0 = "", ...programArgs] = program;
  const environment = { ...Object.fromEntries(own.filter(([variable]) => isVariable(variable))), ...Object.fromEntries(variables) };
  return {
    upstream,
    entry: {
      ...rest,
      command: program0,
      args: [...programArgs, "gateway", "-c", configFile, "--stdio", name],
      ...(Object.keys(environment).length === 0 ? {} : { env: environment }),
    },
  };
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

// Another server's process does not have it, and must not fail for that.
function reference(variable: string): string {
  return `\${${variable}:-}`;
}
