import { defaultEnvironment } from "../targets.ts";

/** The whole environment of a command that a configuration names: what it says, on top of what any program needs. */
export function commandEnvironment(own: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...defaultEnvironment(process.env), ...own };
}
