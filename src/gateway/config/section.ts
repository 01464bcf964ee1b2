import type { Log } from "../../core/jsonrpc/log.ts";
import type { LoadedConfig } from "./load.ts";
import type { Problems } from "./problems.ts";

/** What a section of a configuration is opened with. */
export interface SectionContext {
  readonly loaded: LoadedConfig;
  readonly problems: Problems;
  readonly log: Log;
  /** Gives back what was opened. */
  readonly releases: (() => Promise<void>)[];
  /** The configuration that this one takes the place of. */
  readonly before: LoadedConfig | undefined;
  /** The number of this process among workers, where it is one. */
  readonly worker: number | undefined;
}
