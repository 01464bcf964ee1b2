import { readyMade } from "../library/catalog.ts";
import type { OptionSpec } from "./options.ts";
import type { Verb } from "./verb.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

type Completable = Pick<Verb, "name" | "summary" | "options" | "words">;

const PROGRAM = "mcp-interceptors";

/** The script that makes a shell complete verbs, their options and the values that these choose from; elsewhere it completes files. */
export function completionScript(shell: (typeof SHELLS)[number], verbs: readonly Completable[]): string {
  return { bash, zsh, fish }[shell](verbs);
}

function bash(verbs: readonly Completable[]): string {
  const cases = verbs.map(
    ({ name, options, words }) => `    ${name})
      case "$before" in
${options.flatMap(bashValues).join("")}      esac
      words="${[...options.map((option) => `--${option.name}`), ...fixedWords(words)].join(" ")}" ;;`,
  );
  return `# Completion of ${PROGRAM} for bash.
_mcp_interceptors() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _mcp_interceptors ${PROGRAM}
`;
}

// After an option that takes a value: its choices, or a file.
function bashValues({ name, short, value, choices }: OptionSpec): readonly string[] {
  if (value === undefined) return [];
  const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].join("|");
  return [`        ${names}) COMPREPLY=(${choices === undefined ? "" : `$(compgen -W "${choices.join(" ")}" -- "$word")`}); return ;;\n`];
}

function zsh(verbs: readonly Completable[]): string {
  const cases = verbs.map(({ name, options, words }) => {
    const specs = options.map((option) => `'${zshOption(option)}'`);
    const fixed = fixedWords(words);
    return `    ${name}) _arguments ${[...specs, fixed.length === 0 ? "'*:file:_files'" : `'*:word:(${fixed.join(" ")})'`].join(" ")} ;;`;
  });
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh.
_mcp_interceptors() {
  if (( CURRENT == 2 )); then
    local -a verbs=(${verbs.map(({ name, summary }) => `'${name}:${quiet(summary)}'`).join(" ")})
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case "$verb" in
${cases.join("\n")}
  esac
}
compdef _mcp_interceptors ${PROGRAM}
`;
}

function zshOption({ name, value, help, many, choices }: OptionSpec): string {
  const text = `${many === true ? "*" : ""}--${name}[${quiet(help)}]`;
  if (value === undefined) return text;
  return `${text}:${quiet(value)}:${choices === undefined ? "_files" : `(${choices.join(" ")})`}`;
}

function fish(verbs: readonly Completable[]): string {
  const lines = [`# Completion of ${PROGRAM} for fish.`];
  for (const { name, summary, options, words } of verbs) {
    lines.push(`complete -c ${PROGRAM} -n __fish_use_subcommand -f -a ${name} -d '${quiet(summary)}'`);
    const within = `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${name}'`;
    for (const { name: option, short, value, help, choices } of options) {
      const takes = value === undefined ? "" : choices === undefined ? " -r" : ` -x -a '${choices.join(" ")}'`;
      lines.push(`${within} -l ${option}${short === undefined ? "" : ` -s ${short}`}${takes} -d '${quiet(help)}'`);
    }
    const fixed = fixedWords(words);
    if (fixed.length > 0) lines.push(`${within} -f -a '${fixed.join(" ")}'`);
  }
  return `${lines.join("\n")}\n`;
}

function fixedWords(words: Verb["words"]): readonly string[] {
  if (words === "target") return [...readyMade.keys()];
  return typeof words === "string" ? [] : words;
}

/** A text that needs no quoting within single quotes and zsh's brackets. */
function quiet(text: string): string {
  return text.replace(/['"`$\\[\]:(){}]/g, "");
}
