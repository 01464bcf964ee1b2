import { describeError, LocalError } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Limits } from "../../core/base/limits.ts";
import { didYouMean } from "../../core/base/nearest.ts";
import { createChain, type Chain } from "../../core/chain/chain.ts";
import { interceptorSource } from "../../core/chain/in-process.ts";
import type { InterceptorSource } from "../../core/chain/source.ts";
import type { ChainLog } from "../../core/chain/report.ts";
import { validator, type HookDeclaration } from "../../core/interceptor/define.ts";
import type { Overrides } from "../../core/interceptor/policy.ts";
import { acceptDescriptor, type ListedDescriptor } from "../../core/wire/descriptors.ts";
import { coversPattern } from "../../core/wire/patterns.ts";
import type { Condition } from "./condition.ts";
import type { InterceptorsConfig, SettingsConfig } from "./config.ts";
import type { OpenItem } from "./items.ts";
import { conditionAt, escape, type LoadedConfig } from "./load.ts";
import type { Problems } from "./problems.ts";
import type { ToolHints } from "./tool-hints.ts";

/** An item with what was opened for it. */
export interface PlacedItem {
  readonly item: InterceptorsConfig;
  readonly pointer: string;
  readonly opened: OpenItem;
}

export interface ChainContext {
  /** The upstream's name. */
  readonly server: string;
  readonly loaded: LoadedConfig;
  readonly problems: Problems;
  readonly hints: ToolHints;
  readonly log: (entry: ChainLog) => void;
  readonly limits: Partial<Limits> | undefined;
  warn(pointer: string, message: string): void;
}

/** The label of what the gateway itself puts into a chain. */
export const OWN_LABEL = "gateway";

/** A chain, and the conditions of its entries by address. */
export interface BuiltChain {
  readonly chain: Chain;
  readonly conditions: ReadonlyMap<string, Condition>;
}

/** The chain of one upstream, of the items that guard it. What is wrong with an item goes to `problems`. */
export async function buildChain(items: readonly PlacedItem[], context: ChainContext): Promise<BuiltChain> {
  const { problems, hints, log, limits } = context;
  const chain = createChain({ log, ...(limits === undefined ? {} : { limits }) });
  const conditions = new Map<string, Condition>();
  for (const { item, pointer, opened } of items) {
    try {
      const { listed, overrides, config, ...settings } = settingsFor(item, pointer, opened, context);
      if (listed.length === 0) continue;
      for (const [name, condition] of settings.conditions) conditions.set(`${opened.source.label}/${name}`, condition);
      const source = { ...opened.source, list: () => Promise.resolve(listed) };
      await chain.addSource(source, { overrides, config, ignoreUnknownTypes: item.ignoreUnknownTypes === true });
    } catch (thrown) {
      problems.add(pointer, describeError(thrown));
    }
  }
  if ([...conditions.values()].some(({ usesHints }) => usesHints)) await chain.addSource(hintsSource(hints));
  return { chain, conditions };
}

interface ItemSettings {
  readonly listed: readonly unknown[];
  readonly overrides: Readonly<Record<string, Overrides>>;
  readonly config: Readonly<Record<string, JsonObject>>;
  readonly conditions: ReadonlyMap<string, Condition>;
}

function settingsFor(item: InterceptorsConfig, pointer: string, opened: OpenItem, context: ChainContext): ItemSettings {
  const { label } = opened.source;
  // By names that a server has chosen, so no plain objects.
  const overrides = new Map<string, Overrides>();
  const config = new Map<string, JsonObject>();
  const conditions = new Map<string, Condition>();
  const listed: unknown[] = [];
  const names: string[] = [];
  for (const one of opened.listed) {
    const descriptor = readListed(one, label, item.ignoreUnknownTypes === true);
    if (descriptor === undefined) continue;
    const { name } = descriptor;
    names.push(name);
    const own = item.overrides !== undefined && Object.hasOwn(item.overrides, name) ? item.overrides[name] : undefined;
    const merged = { ...item, ...own };
    const hooks = routed(merged.hooks ?? descriptor.hooks, item);
    if (hooks.length === 0) {
      context.warn(pointer, `leaves out the interceptor ${name}, which hooks nothing of the events and the phase that are given`);
      continue;
    }
    const condition = conditionAt(context.loaded, own ?? {}, `${pointer}/overrides/${escape(name)}`) ?? conditionAt(context.loaded, item, pointer);
    if (condition !== undefined) conditions.set(name, condition);
    listed.push(one);
    // Without routing the hooks stay the interceptor's own, so that what it lists later is taken as it is.
    const narrowed = merged.hooks !== undefined || item.events !== undefined || item.phase !== undefined;
    const when: Pick<Overrides, "when"> = condition === undefined ? {} : { when: (input) => condition.holds(input, context.hints) };
    overrides.set(name, { ...overridesOf(merged), ...(narrowed ? { hooks } : {}), ...when });
    const given = configFor(item, own, opened.perServer === true ? context.server : undefined);
    if (given !== undefined) config.set(name, given);
  }
  for (const name of Object.keys(item.overrides ?? {})) {
    if (names.includes(name)) continue;
    context.problems.add(`${pointer}/overrides/${escape(name)}`, `is no interceptor of this item; ${didYouMean(name, names, `it has ${names.join(", ")}`)}`, "name");
  }
  return { listed, overrides: Object.fromEntries(overrides), config: Object.fromEntries(config), conditions };
}

function readListed(one: unknown, label: string, ignoreUnknownTypes: boolean): ListedDescriptor | undefined {
  try {
    return acceptDescriptor(one, label);
  } catch (thrown) {
    if (ignoreUnknownTypes && thrown instanceof LocalError && thrown.details?.["unknownType"] === true) return undefined;
    throw thrown;
  }
}

// What the item's own words leave of the hooks; a pattern that is wider than a hook narrows nothing.
function routed(hooks: readonly HookDeclaration[], { events, phase }: InterceptorsConfig): readonly HookDeclaration[] {
  return hooks.flatMap((hook) => {
    if (phase !== undefined && hook.phase !== phase) return [];
    if (events === undefined) return [hook];
    const kept = new Set(hook.events.flatMap((own) => events.flatMap((wanted) => (coversPattern(wanted, own) ? [own] : coversPattern(own, wanted) ? [wanted] : []))));
    return kept.size === 0 ? [] : [{ phase: hook.phase, events: [...kept] }];
  });
}

function overridesOf({ mode, failOpen, priorityHint, timeoutMs, revalidate, grants }: SettingsConfig): Overrides {
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(failOpen === undefined ? {} : { failOpen }),
    ...(priorityHint === undefined ? {} : { priorityHint }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(revalidate === undefined ? {} : { revalidate }),
    ...(grants === undefined ? {} : { grants }),
  };
}

// A ready-made interceptor is made with the config of its item, and only asked about that of its own.
function configFor(item: InterceptorsConfig, own: SettingsConfig | undefined, server: string | undefined): JsonObject | undefined {
  const general = item.use === undefined ? item.config : server === undefined ? undefined : { server };
  return general === undefined && own?.config === undefined ? undefined : { ...general, ...own?.config };
}

// Conditions on annotations need to know them, so an interceptor of our own looks at the lists that go by. It blocks nothing; that it is active and
// takes errors keeps everything else in the chain as it would be without it.
function hintsSource(hints: ToolHints): InterceptorSource {
  const learn = validator(
    { name: "tool-hints", hooks: [{ events: ["tools/list"], phase: "response" }], failOpen: true, handlesErrors: true },
    ({ payload }) => {
      hints.learn(payload);
      return true;
    },
  );
  return interceptorSource([learn], { label: OWN_LABEL });
}
