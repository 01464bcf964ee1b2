import { LocalError } from "../base/errors.ts";
import { cloneJson, isObject, type JsonObject } from "../base/json.ts";
import { compileConfigSchema, withoutRequired } from "../interceptor/config-schema.ts";
import type { RefusalAnswer } from "../interceptor/define.ts";
import { resolvePolicy, type Overrides, type Policy } from "../interceptor/policy.ts";
import { canonicalDescriptor, readExtras, type ListedDescriptor, type ListedType } from "../wire/descriptors.ts";
import { isVersionDate } from "../wire/versions.ts";
import { createCounters, type EntryCounters } from "./account.ts";
import type { ChainLog } from "./report.ts";
import type { InterceptorSource } from "./source.ts";

/** One interceptor in a chain, with its policy resolved. Immutable, but for its counters. */
export interface ChainEntry {
  /** `label/name`, unique in the chain. */
  readonly address: string;
  readonly label: string;
  readonly name: string;
  readonly type: ListedType;
  /** Canonical. */
  readonly descriptor: ListedDescriptor;
  readonly policy: Policy;
  readonly handlesErrors: boolean;
  readonly withRequest: boolean;
  /** The static part of `config`. */
  readonly config: JsonObject | undefined;
  readonly minProtocol: string | undefined;
  readonly maxProtocol: string | undefined;
  readonly source: InterceptorSource;
  /** What a guard answers for what it refuses, where it says so. */
  readonly answerAs: RefusalAnswer | undefined;
  /** Live. An entry that a refresh has changed counts anew. */
  readonly counters: EntryCounters;
}

interface EntrySettings {
  readonly overrides: Overrides | undefined;
  readonly config: JsonObject | undefined;
  readonly maxDepth: number;
  readonly log: ((entry: ChainLog) => void) | undefined;
}

/** Resolves the policy of a descriptor that has been read; throws a `LocalError` that names the interceptor. */
export function createEntry(source: InterceptorSource, listed: ListedDescriptor, settings: EntrySettings): ChainEntry {
  const descriptor = canonicalDescriptor(cloneJson(listed, settings.maxDepth));
  const { name, type, compat } = descriptor;
  const address = `${source.label}/${name}`;
  const { handlesErrors, withRequest } = readExtras(descriptor);
  return Object.freeze({
    address,
    label: source.label,
    name,
    type,
    descriptor,
    policy: resolvePolicy(descriptor, settings.overrides),
    handlesErrors,
    withRequest,
    config: readConfig(address, descriptor, settings),
    minProtocol: readBound(address, "minProtocol", compat?.minProtocol, settings),
    maxProtocol: readBound(address, "maxProtocol", compat?.maxProtocol, settings),
    source,
    answerAs: source.answerAs?.(name),
    counters: createCounters(),
  });
}

/** Why this entry cannot judge messages of a protocol version; `undefined` where it can, or where no version is known. */
export function incompatibility({ minProtocol, maxProtocol }: ChainEntry, version: string | undefined): string | undefined {
  if (version === undefined) return undefined;
  // Revisions are dates, which order as text.
  if (minProtocol !== undefined && version < minProtocol) return `protocol ${version} is older than ${minProtocol}`;
  if (maxProtocol !== undefined && version > maxProtocol) return `protocol ${version} is newer than ${maxProtocol}`;
  return undefined;
}

function readBound(address: string, bound: string, value: unknown, { log }: EntrySettings): string | undefined {
  if (value === undefined) return undefined;
  if (isVersionDate(value)) return value;
  log?.({ level: "warning", message: `compat.${bound} is no date and is ignored`, address });
  return undefined;
}

// Only a part of the configuration, since each call may add to it: members may be missing, and none may be wrong.
function readConfig(address: string, { configSchema }: ListedDescriptor, { config, maxDepth, log }: EntrySettings): JsonObject | undefined {
  if (config === undefined) return undefined;
  if (!isObject(config)) throw new LocalError("invalid_argument", `config of ${address} must be an object`);
  const copy = cloneJson(config, maxDepth);
  if (configSchema === undefined) return copy;
  let problems;
  try {
    problems = compileConfigSchema(withoutRequired(configSchema))(copy);
  } catch (thrown) {
    log?.({ level: "warning", message: "configSchema cannot be used; the check is left to the server", address, thrown });
    return copy;
  }
  const [first] = problems;
  if (first === undefined) return copy;
  const where = first.path === "" ? "it" : first.path;
  throw new LocalError("invalid_argument", `config of ${address} does not fit its configSchema: ${where} ${first.reason}`);
}
