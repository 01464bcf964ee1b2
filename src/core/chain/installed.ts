import { LocalError } from "../base/errors.ts";
import { equalJson, type JsonObject } from "../base/json.ts";
import type { OptionTable } from "../base/options.ts";
import { copyGrants, type Overrides } from "../interceptor/policy.ts";
import { acceptDescriptor, canonicalDescriptor, type ListedDescriptor } from "../wire/descriptors.ts";
import { createEntry, type ChainEntry } from "./entry.ts";
import type { ChainLog } from "./report.ts";
import type { InterceptorSource } from "./source.ts";

/** Settings for what is added, which beat what interceptors declare. */
export interface AddOptions {
  /** By name, or `label/name`. */
  readonly overrides?: Readonly<Record<string, Overrides>>;
  /** The static part of `config`, by name or `label/name`. */
  readonly config?: Readonly<Record<string, JsonObject>>;
}

export const ADD_OPTIONS: OptionTable<AddOptions> = { overrides: "an object", config: "an object" };

export interface ListedOptions extends AddOptions {
  /** Leaves out, and logs, interceptors of a type that is not known here. By default one of them refuses the whole source. */
  readonly ignoreUnknownTypes?: boolean;
}

interface Surroundings {
  readonly maxDepth: number;
  readonly log: ((entry: ChainLog) => void) | undefined;
}

/** A source in a chain: its entries, and what the chain was told about them, which holds for a later list too. Immutable. */
export interface Installed {
  readonly source: InterceptorSource;
  readonly entries: readonly ChainEntry[];
  /** By name. */
  readonly overrides: ReadonlyMap<string, Overrides>;
  readonly config: ReadonlyMap<string, JsonObject>;
  readonly ignoreUnknownTypes: boolean;
  /** Which reading of the list this is, so that an older one does not replace a newer one. */
  readonly reading: number;
}

/** Makes the entries of a source from its list. Throws a `LocalError` for the first that is refused, and for settings that fit none. */
export function installSource(source: InterceptorSource, listed: readonly unknown[], options: ListedOptions, parts: Surroundings): Installed {
  const { ignoreUnknownTypes = false } = options;
  const descriptors = readList(source.label, listed, ignoreUnknownTypes, parts);
  const overrides = settingsOf("overrides", source.label, descriptors, options.overrides);
  const config = settingsOf("config", source.label, descriptors, options.config);
  const entries = descriptors.map((descriptor) =>
    createEntry(source, descriptor, { overrides: overrides.get(descriptor.name), config: config.get(descriptor.name), ...parts }),
  );
  return {
    source,
    entries,
    // Checked by now, and no longer the caller's to change.
    overrides: new Map([...overrides].map(([name, given]) => [name, copyOverrides(given)])),
    config: new Map(entries.flatMap((entry) => (entry.config === undefined ? [] : [[entry.name, entry.config]]))),
    ignoreUnknownTypes,
    reading: 0,
  };
}

/** The same source after a later reading of its list, under the settings that it was added with. An entry that is as it was stays the same object. */
export function reinstallSource(installed: Installed, listed: readonly unknown[], reading: number, parts: Surroundings): Installed {
  const { source, overrides, config, ignoreUnknownTypes } = installed;
  const before = new Map(installed.entries.map((entry) => [entry.name, entry]));
  const entries = readList(source.label, listed, ignoreUnknownTypes, parts).map((descriptor) => {
    const known = before.get(descriptor.name);
    if (known !== undefined && equalJson(known.descriptor, canonicalDescriptor(descriptor))) return known;
    return createEntry(source, descriptor, { overrides: overrides.get(descriptor.name), config: config.get(descriptor.name), ...parts });
  });
  return { ...installed, entries, reading };
}

/** What a source has listed; throws `invalid_message` for anything else, since whoever wrote it need not have used our types. */
export function asList({ label }: InterceptorSource, listed: unknown): readonly unknown[] {
  if (Array.isArray(listed)) return listed;
  throw new LocalError("invalid_message", `the source ${JSON.stringify(label)} does not give a list`);
}

function readList(label: string, listed: readonly unknown[], ignoreUnknownTypes: boolean, { log }: Surroundings): ListedDescriptor[] {
  const read: ListedDescriptor[] = [];
  for (const item of listed) {
    try {
      read.push(acceptDescriptor(item, label));
    } catch (thrown) {
      if (!(ignoreUnknownTypes && thrown instanceof LocalError && thrown.details?.["unknownType"] === true)) throw thrown;
      log?.({ level: "warning", message: `ignored: ${thrown.message}` });
    }
  }
  return read;
}

function copyOverrides({ hooks, grants, ...rest }: Overrides): Overrides {
  const copy = grants === undefined ? rest : { ...rest, grants: copyGrants(grants) };
  if (hooks === undefined) return copy;
  return { ...copy, hooks: hooks.map(({ events, phase }) => ({ events: [...events], phase })) };
}

/** Settings by name, once each is known to be meant for one of these descriptors. */
function settingsOf<T>(
  what: string,
  label: string,
  descriptors: readonly ListedDescriptor[],
  settings: Readonly<Record<string, T>> = {},
): Map<string, T> {
  const found = new Map<string, T>();
  for (const [text, setting] of Object.entries(settings)) {
    const match = descriptors.filter(({ name }) => name === text || `${label}/${name}` === text);
    const [descriptor] = match;
    if (descriptor === undefined) throw new LocalError("not_found", `${what} for ${JSON.stringify(text)}: "${label}" has no such interceptor`);
    if (match.length > 1 || found.has(descriptor.name)) {
      throw new LocalError("ambiguous", `${what} for ${JSON.stringify(text)}: it may mean more than one interceptor, or is given twice`);
    }
    found.set(descriptor.name, setting);
  }
  return found;
}
