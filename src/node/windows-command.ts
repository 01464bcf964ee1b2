import { LocalError } from "../core/base/errors.ts";

/** How to start a program on Windows: an executable directly, a batch file (`npx` is one) through cmd.exe. */
export type WindowsProgram = { readonly kind: "executable"; readonly file: string } | { readonly kind: "batch"; readonly file: string };

/**
 * Finds what the shell would find: a name with a path as it is, another along PATH, with the extensions of PATHEXT in their order. Where
 * nothing is found the name itself comes back as an executable, so that starting it gives the usual error.
 */
export function findWindowsProgram(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  exists: (file: string) => boolean,
): WindowsProgram {
  const read = (name: string) => Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
  const extensions = (read("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((extension) => extension !== "");
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const names = hasExtension ? [command] : extensions.map((extension) => command + extension.toLowerCase());
  const folders = /[\\/]/.test(command) ? [""] : (read("PATH") ?? "").split(";").filter((folder) => folder !== "");
  for (const folder of folders) {
    for (const name of names) {
      const file = folder === "" ? name : `${folder.replace(/[\\/]$/, "")}\\${name}`;
      if (exists(file)) return { kind: /\.(?:bat|cmd)$/i.test(file) ? "batch" : "executable", file };
    }
  }
  return { kind: /\.(?:bat|cmd)$/i.test(command) ? "batch" : "executable", file: command };
}

// What cmd.exe gives a meaning to. A caret before each takes it away, within quotes too, since the quotes are then escaped themselves.
const CMD_SPECIAL = /[()[\]{}%!^"`<>&|;,*?= ~']/g;

/**
 * The text after `cmd.exe /d /s /c` that runs a batch file with exactly these arguments. Three readers take it apart one after the other:
 * cmd.exe, cmd.exe again when the batch file hands on `%*`, and the C runtime of the program at the end. So each argument is quoted for the
 * last and escaped twice for the first two. A line break ends a command for cmd.exe and cannot be escaped: `invalid_argument`.
 */
export function windowsCommandLine(command: string, args: readonly string[]): string {
  for (const part of [command, ...args]) {
    if (/[\r\n\0]/.test(part)) throw new LocalError("invalid_argument", "a command or argument with a line break or NUL cannot go through cmd.exe");
  }
  const escape = (text: string) => text.replace(CMD_SPECIAL, "^$&");
  // The command is read by the first of them alone, and an escaped space needs no quotes.
  const words = [escape(command), ...args.map((argument) => escape(escape(quoteArgument(argument))))];
  return `"${words.join(" ")}"`;
}

/** Quotes for the C runtime: backslashes count only before a quote, where each is doubled, and the quote gets one of its own. */
export function quoteArgument(argument: string): string {
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}
