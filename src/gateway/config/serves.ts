import { didYouMean } from "../../core/base/nearest.ts";
import type { LoadedConfig } from "./load.ts";
import { servedNames } from "./names.ts";
import { ConfigError } from "./problems.ts";

const ADD = 'add "http": {}, or name the upstream that is served on stdin and stdout';

/** Throws for a configuration that serves nothing, or not what is wanted on stdio. */
export function checkServed(loaded: LoadedConfig, wanted: string | undefined): void {
  const { file, config } = loaded;
  const names = servedNames(config);
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new ConfigError([{ file, pointer: "", message: `has no upstream ${JSON.stringify(wanted)}; ${didYouMean(wanted, names, `it has ${names.join(", ")}`)}` }]);
  }
  if (servesNothing(loaded, wanted)) throw new ConfigError([{ file, pointer: "", message: `serves nothing: ${ADD}` }]);
}

/** The same for who only checks a configuration, and may not know how it will be started: warnings. */
export function warningsOfServed(loaded: LoadedConfig, wanted: string | undefined): readonly string[] {
  if (wanted !== undefined) checkServed(loaded, wanted);
  return servesNothing(loaded, wanted) ? [loaded.problems().warning("", `serves nothing, unless a gateway is started with --stdio NAME: ${ADD}`)] : [];
}

function servesNothing({ config: { http, stdio } }: LoadedConfig, wanted: string | undefined): boolean {
  return wanted === undefined && stdio === undefined && http === undefined;
}
