import { readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { utf8DecodeExact } from "../../core/base/bytes.ts";
import { describeError, LocalError } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { checkOptions, type OptionTable } from "../../core/base/options.ts";
import type { Signal } from "../../core/base/signal.ts";
import { importFresh, isModulePath } from "../../node/load-module.ts";
import { irregularity } from "../../node/read-file.ts";
import { compileCondition, type Condition } from "./condition.ts";
import type { GatewayConfig, SettingsConfig } from "./config.ts";
import { inTime } from "./in-time.ts";
import { readJsonc } from "./jsonc.ts";
import { createPlaces, type Locate } from "./places.ts";
import { collectProblems, ConfigError, type ConfigProblem, type Problems } from "./problems.ts";
import { checkSchema } from "./schema-check.ts";
import { createSecrets, resolveReferences, type Resolved, type Secrets } from "./secrets.ts";
import { checkSoundParts } from "./sound-parts.ts";
import { readYaml } from "./yaml.ts";

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A configuration that was read and fits the schema; nothing has been started or loaded for it. */
export interface LoadedConfig {
  /** As it was named. */
  readonly file: string;
  /** What relative paths are relative to. */
  readonly folder: string;
  /** References are replaced. */
  readonly config: GatewayConfig;
  /** Each `when` and `allow`, compiled, by its pointer. */
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly secrets: Secrets;
  /** For what is found wrong later; `throwIfAny` throws a `ConfigError`. */
  readonly problems: () => Problems;
  /** The text of the file; `undefined` of a module. */
  readonly text: string | undefined;
  /** Absolute paths of the file itself and of those it has taken secrets from. */
  readonly files: readonly string[];
}

/** Where the values of a configuration come from. */
export interface LoadOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the file says, where somebody has read it already. Modules are loaded in any case. */
  readonly text?: string;
  /** Where secrets are noted; a book of its own by default. */
  readonly secrets?: Secrets;
  /** Gives up on a module. */
  readonly signal?: Signal;
}

const OPTIONS: OptionTable<LoadOptions> = { env: "an object", text: "a string", secrets: "an object", signal: "an object" };

/**
 * Reads a configuration: JSON with comments, YAML (`.yaml`, `.yml`), or a module that exports it by default, as it is or as a function that gives
 * it. Rejects with a `ConfigError` that has all that is wrong.
 */
export async function loadConfig(file: string, options: LoadOptions = {}): Promise<LoadedConfig> {
  checkOptions(options, "the options of loadConfig", OPTIONS);
  const { env = process.env, text: given, secrets = createSecrets(), signal } = options;
  const path = resolve(file);
  const folder = dirname(path);
  const { value, locate, text, syntax } = await inTime(readAny(file, path, given), signal);
  const problems = () => collectProblems(file, locate, secrets.hide);
  const faults = collectProblems(file, locate, secrets.hide, syntax);
  if (!isObject(value)) {
    faults.add("", 'must be an object with the member "upstreams"');
    faults.throwIfAny();
  }
  let resolved: Resolved;
  try {
    resolved = resolveReferences(value, { env, folder, secrets, problems: faults });
  } catch (thrown) {
    // A module may give what is no data: a member that throws, a ring.
    throw new ConfigError([{ file, pointer: "", message: `cannot be used: ${describeError(thrown)}` }]);
  }
  checkSchema(resolved.value, faults);
  const conditions = compileConditions(resolved.value, faults);
  // Whoever mends a file wants to know all that is wrong with it, whatever else is.
  if (faults.any) await checkSoundParts(resolved.value, { folder, problems: faults });
  faults.throwIfAny();
  // The schema has been checked, and test/gateway/config/config.test.ts holds the type to it.
  const config = resolved.value as GatewayConfig;
  return { file, folder, config, conditions, secrets, problems, text, files: [path, ...resolved.files] };
}

export interface ReadValue {
  readonly value: unknown;
  readonly locate: Locate;
  readonly text: string | undefined;
  /** What is wrong with the text, where the value is what was surely meant all the same; to be thrown with what else is found. */
  readonly syntax: readonly ConfigProblem[];
}

/** The value in a file of any of these kinds, and where its parts stand; `given` is its text, where somebody has read it. Rejects with a `ConfigError`. */
export async function readAny(file: string, path: string, given?: string): Promise<ReadValue> {
  if (given === undefined) assertFile(file, path);
  if (isModulePath(path)) return { value: await readModule(file, path), locate: () => undefined, text: undefined, syntax: [] };
  const text = given ?? readText(file, path);
  const ending = extname(path).toLowerCase();
  const read = ending === ".yaml" || ending === ".yml" ? readYaml(text, path) : readJsonc(text);
  if (read.fault === undefined) return { ...read, text, syntax: [] };
  const syntax = [read.fault, ...(read.more ?? [])].map(({ place, pointer, message }): ConfigProblem => ({ file, ...place, pointer, message }));
  if (read.meant === undefined) throw new ConfigError(syntax);
  return { ...read.meant, text, syntax };
}

function assertFile(file: string, path: string): void {
  const unread = (message: string) => new ConfigError([{ file, pointer: "", message, cause: "unread" }]);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw unread("cannot be read: there is no such file");
  if (stat.isDirectory()) throw unread("is a folder; name the file in it");
  // What a shell hands over (`<(…)`, /dev/stdin) ends with whoever writes it. Any other pipe may be waited for in vain.
  const kind = stat.isFIFO() && /^\/(?:dev|proc)\//.test(path) ? undefined : irregularity(stat);
  if (kind !== undefined) throw unread(`${kind}, and no regular file`);
  if (stat.size > MAX_FILE_BYTES) throw unread(`is larger than ${MAX_FILE_BYTES} bytes`);
}

function readText(file: string, path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (thrown) {
    throw new ConfigError([{ file, pointer: "", message: `cannot be read: ${describeError(thrown)}`, cause: "unread" }]);
  }
  const text = utf8DecodeExact(bytes);
  if (text !== undefined) return text;
  // What is no character there is replaced by one that hardly anybody writes.
  const lossy = bytes.toString("utf8");
  throw new ConfigError([{ file, ...createPlaces(lossy)(lossy.indexOf("\ufffd")), pointer: "", message: "this is no text in UTF-8; save the file as UTF-8" }]);
}

async function readModule(file: string, path: string): Promise<unknown> {
  try {
    const { default: exported } = await importFresh(path);
    if (exported === undefined) throw new LocalError("invalid_argument", "it has no default export; export the configuration, or a function that gives it");
    const given: unknown = typeof exported === "function" ? await Reflect.apply(exported, undefined, []) : exported;
    return given;
  } catch (thrown) {
    throw new ConfigError([{ file, pointer: "", message: `cannot be used: ${describeError(thrown)}` }]);
  }
}

// Of a value that may not fit the schema: what is no condition is passed over, since it has been told.
function compileConditions(config: unknown, problems: Problems): ReadonlyMap<string, Condition> {
  const conditions = new Map<string, Condition>();
  const compile = (holder: unknown, member: string, pointer: string, callerOnly: boolean) => {
    if (!isObject(holder) || holder[member] === undefined) return;
    const at = `${pointer}/${member}`;
    conditions.set(at, compileCondition(holder[member], { problems, pointer: at, callerOnly }));
  };
  if (!isObject(config)) return conditions;
  const { upstreams, interceptors, expose } = config;
  for (const [name, upstream] of membersOf(upstreams)) compile(upstream, "allow", `/upstreams/${escape(name)}`, true);
  compile(expose, "allow", "/expose", true);
  for (const [index, item] of (Array.isArray(interceptors) ? interceptors : []).entries()) {
    compile(item, "when", `/interceptors/${index}`, false);
    for (const [name, settings] of membersOf(isObject(item) ? item["overrides"] : undefined)) {
      compile(settings, "when", `/interceptors/${index}/overrides/${escape(name)}`, false);
    }
  }
  return conditions;
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** A member's name as a step of a JSON pointer. */
export function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The condition of settings that stand at a pointer. */
export function conditionAt({ conditions }: LoadedConfig, settings: SettingsConfig, pointer: string): Condition | undefined {
  return settings.when === undefined ? undefined : conditions.get(`${pointer}/when`);
}
