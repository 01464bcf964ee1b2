import { readyMade } from "../library/catalog.ts";
import type { OptionSpec } from "./options.ts";
import type { Verb } from "./verb.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

type Completable = Pick<Verb, "name" | "options" | "words"> & { readonly summary: string };

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
      words="${[...options.map((option) => `--${option.name}`), ...fixedWords(words)].join(" ")}${words === "target" ? " $(_mcp_interceptors_names interceptors)" : ""}" ;;`,
  );
  return `# Completion of ${PROGRAM} for bash.
_mcp_interceptors_names() {
  local at config="\${COMP_WORDS[2]}"
  for ((at = 2; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in -c|--config) config="\${COMP_WORDS[at+1]}" ;; esac
  done
  [ -f "$config" ] && "\${COMP_WORDS[0]}" completion "$1" "$config" 2>/dev/null
}
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
function bashValues({ name, short, value, choices, names: kind }: OptionSpec): readonly string[] {
  if (value === undefined) return [];
  const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].join("|");
  const values = kind === undefined ? choices?.join(" ") : `$(_mcp_interceptors_names ${kind})`;
  return [`        ${names}) COMPREPLY=(${values === undefined ? "" : `$(compgen -W "${values}" -- "$word")`}); return ;;\n`];
}

function zsh(verbs: readonly Completable[]): string {
  const cases = verbs.map(({ name, options, words }) => {
    const specs = options.map(zshOption);
    const fixed = fixedWords(words);
    return `    ${name}) _arguments ${[...specs, words === "target" ? "'*:target:_mcp_interceptors_targets'" : fixed.length === 0 ? "'*:file:_files'" : `'*:word:(${fixed.join(" ")})'`].join(" ")} ;;`;
  });
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_mcp_interceptors_names() {
  local at config=$words[2]
  for (( at = 2; at < CURRENT; at++ )); do
    [[ $words[at] == (-c|--config) ]] && config=$words[at+1]
  done
  [[ -f $config ]] && ${PROGRAM} completion $1 $config 2>/dev/null
}
_mcp_interceptors_upstreams() {
  local -a names=(\${(f)"$(_mcp_interceptors_names upstreams)"})
  compadd -a names
}
_mcp_interceptors_targets() {
  local -a names=(${[...readyMade.keys()].join(" ")} \${(f)"$(_mcp_interceptors_names interceptors)"})
  compadd -a names
  _files
}
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

function zshOption({ name, short, value, help, many, choices, names }: OptionSpec): string {
  const takes = value === undefined ? "" : `:${quiet(value)}:${names !== undefined ? `_mcp_interceptors_${names}` : choices === undefined ? "_files" : `(${choices.join(" ")})`}`;
  const text = `[${quiet(help)}]${takes}`;
  if (many === true || short === undefined) return `'${many === true ? "*" : ""}--${name}${text}'`;
  return `'(-${short} --${name})'{-${short},--${name}}'${text}'`;
}

function fish(verbs: readonly Completable[]): string {
  const lines = [
    `# Completion of ${PROGRAM} for fish.
function __mcp_interceptors_verb
  set -l words (commandline -opc)
  test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end
function __mcp_interceptors_names
  set -l words (commandline -opc)
  set -l config $words[3]
  for at in (seq 3 (count $words))
    contains -- $words[$at] -c --config; and set config $words[(math $at + 1)]
  end
  test -f "$config"; and $words[1] completion $argv[1] $config 2>/dev/null
end`,
  ];
  for (const { name, summary, options, words } of verbs) {
    lines.push(`complete -c ${PROGRAM} -n __fish_use_subcommand -f -a ${name} -d '${quiet(summary)}'`);
    const within = `complete -c ${PROGRAM} -n '__mcp_interceptors_verb ${name}'`;
    for (const { name: option, short, value, help, choices, names } of options) {
      const takes = value === undefined ? "" : names !== undefined ? ` -x -a '(__mcp_interceptors_names ${names})'` : choices === undefined ? " -r" : ` -x -a '${choices.join(" ")}'`;
      lines.push(`${within} -l ${option}${short === undefined ? "" : ` -s ${short}`}${takes} -d '${quiet(help)}'`);
    }
    const fixed = fixedWords(words);
    // A target may be the path of a module.
    if (words === "target") lines.push(`${within} -a '${fixed.join(" ")} (__mcp_interceptors_names interceptors)'`);
    else if (fixed.length > 0) lines.push(`${within} -f -a '${fixed.join(" ")}'`);
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
