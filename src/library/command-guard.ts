import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { namedBy } from "./argument-names.ts";
import { invalid, readBoolean, readChoice, readConfig, readPatterns, readStrings } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";
import { breaksOutOfValue, stacksStatements } from "./sql-text.ts";
import { firstOf } from "./strings.ts";

/**
 * What an argument must not hold. `shell`: characters by which a shell ends a word or starts a command. `option`: an option of a program, by a dash
 * at the start of a word. `sql`: what makes more of one value in an SQL statement. `stacking`: a second SQL statement after a first.
 */
export type CommandCheck = "shell" | "option" | "sql" | "stacking";

/** What arguments of some tools are looked at for. */
export interface CommandRule {
  /** Tools that the rule is for, by name or `prefix*`; all unless given. */
  readonly tools?: readonly string[];
  /** Their arguments, by name or `prefix*`, at any depth. */
  readonly arguments: readonly string[];
  /** An empty list: nothing is looked for in them. */
  readonly checks: readonly CommandCheck[];
}

/** Which arguments of which tools are judged, and for what. */
export interface CommandGuardConfig {
  /** The first that has the tool and the argument decides. */
  readonly rules?: readonly CommandRule[];
  /** Whether arguments that no rule has are judged by what they are called (`branch`, `container`, `order_by`, `sql` …). `true` unless given. */
  readonly byName?: boolean;
}

const OWNER = "command-guard";
const CHECKS: readonly CommandCheck[] = ["shell", "option", "sql", "stacking"];

export const commandGuardConfigSchema: JsonObject = {
  type: "object",
  properties: {
    rules: {
      type: "array",
      items: {
        type: "object",
        properties: { tools: patternsSchema, arguments: patternsSchema, checks: { type: "array", items: { enum: [...CHECKS] } } },
        required: ["arguments", "checks"],
        additionalProperties: false,
      },
    },
    byName: { type: "boolean" },
  },
  additionalProperties: false,
};

/**
 * A validator of tool calls that keeps commands out of arguments that are to be a part of one: shell characters, options of programs, SQL
 * that breaks out of a value or follows another statement. Arguments that are commands as a whole are not judged. Throws `invalid_argument` for a wrong
 * config.
 */
export function commandGuard(config: CommandGuardConfig = {}): Interceptor {
  const checksFor = perCall(config, compileCommandGuard);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses arguments that would become a command, an option or SQL of their own.",
      hooks: [{ events: ["tools/call"], phase: "request" }],
      configSchema: commandGuardConfigSchema,
    },
    ({ payload, config: called }) => {
      if (!isObject(payload)) return allow();
      const checksOf = checksFor(called);
      const tool = ownMember(payload, "name");
      return firstOf(ownMember(payload, "arguments"), ["arguments"], ({ text, member, holder, path }) => {
        const check = member === undefined ? undefined : checksOf(String(tool), member, holder).find((one) => FINDS[one](text));
        return check === undefined ? undefined : deny(`An argument ${PROBLEMS[check]}`, { path: path() });
      }) ?? allow();
    },
  );
}

const FINDS: Readonly<Record<CommandCheck, (text: string) => boolean>> = {
  shell: (text) => /[;&|<>`$\n\r\u0000]/.test(text),
  // A negative number is none, nor is a dash between spaces.
  option: (text) => /(?:^|\s)--?[^\s-]/.test(text) && !/^-\d{1,20}(?:\.\d{1,20})?$/.test(text),
  sql: breaksOutOfValue,
  stacking: stacksStatements,
};

const PROBLEMS: Readonly<Record<CommandCheck, string>> = {
  shell: "has characters in it that a shell takes for more than text",
  option: "would be an option of a program",
  sql: "would be more than one value in SQL",
  stacking: "holds more than one SQL statement",
};

// Arguments that by convention become one word of a command line, one value or name in SQL, or a statement.
const BY_NAME: readonly (readonly [words: ReadonlySet<string>, checks: readonly CommandCheck[]])[] = [
  [new Set(["branch", "ref", "rev", "revision", "commit", "remote", "host", "hostname", "container", "service", "pid", "port", "namespace", "pod"]), ["shell", "option"]],
  // `requests>=2` is one.
  [new Set(["package"]), ["option"]],
  [new Set(["id", "table", "column", "by", "sort", "limit", "offset"]), ["sql"]],
  [new Set(["sql", "query", "statement", "where"]), ["stacking"]],
];

// What tells nothing by itself, in an object under a name that does: `branch: { name }`, `id: { eq }`. What has a name of its own there may be text.
const NO_NAME = /^(?:[^A-Za-z]?[A-Za-z]{1,2}|name|val|value|values|base|head|from|start|end|like|equals|contains|old|new|first|last)$/i;

type ChecksOf = (tool: string, argument: string, holder: string | undefined) => readonly CommandCheck[];

function compileCommandGuard(value: unknown): ChecksOf {
  const config = readConfig(value, ["rules", "byName"], OWNER);
  const rules = readRules(ownMember(config, "rules"));
  const byName = readBoolean(config, "byName", OWNER) ?? true;
  const checksOf = (tool: string, argument: string): readonly CommandCheck[] | undefined =>
    rules.find((one) => one.isTool(tool) && one.isArgument(argument))?.checks ?? (byName ? BY_NAME.find(([words]) => namedBy(words, argument))?.[1] : undefined);
  return (tool, argument, holder) => checksOf(tool, argument) ?? (holder !== undefined && NO_NAME.test(argument) ? checksOf(tool, holder) : undefined) ?? [];
}

interface Rule {
  isTool(name: string): boolean;
  isArgument(name: string): boolean;
  readonly checks: readonly CommandCheck[];
}

function readRules(value: unknown = []): readonly Rule[] {
  if (!Array.isArray(value)) throw invalid(OWNER, "rules", "must be a list of rules");
  return value.map((item: unknown, index) => {
    const at = `rules[${index}]`;
    if (!isObject(item)) throw invalid(OWNER, at, "must be an object");
    const rule = readConfig(item, ["tools", "arguments", "checks"], `${OWNER}, ${at}`);
    const owner = `${OWNER}, ${at}`;
    const checks = readStrings(rule, "checks", owner)?.map((check) => readChoice(check, CHECKS, "checks", owner));
    const args = readPatterns(rule, "arguments", owner);
    if (checks === undefined || args === undefined) throw invalid(OWNER, at, "must have arguments and checks");
    return { isTool: compilePatterns(readPatterns(rule, "tools", owner) ?? ["*"]), isArgument: compilePatterns(args), checks };
  });
}
