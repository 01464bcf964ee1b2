import { isObject } from "../../core/base/json.ts";
import { EVENTS } from "../../core/wire/events.ts";
import { METHODS } from "../../core/wire/methods.ts";
import { nearEvent } from "../../core/wire/near-events.ts";
import type { BuiltChain, PlacedItem } from "./chains.ts";
import type { GatewayConfig, SettingsConfig } from "./config.ts";
import { escape, type LoadedConfig } from "./load.ts";

/** Methods of MCP, and the SEP's events. */
export const KNOWN_EVENTS: ReadonlySet<string> = new Set([...METHODS.keys(), ...EVENTS]);

/** What is wrong with a method, or a pattern of some, that is close to one of MCP's without being it; `undefined` for one that may be meant as it is. */
export function nearMethod(text: string): string | undefined {
  const meant = nearEvent(text, KNOWN_EVENTS);
  return meant === undefined ? undefined : `is no method of MCP; did you mean ${meant}?`;
}

type Warn = (pointer: string, message: string) => void;

/** Warns of such methods in events, hooks, configs and conditions of the file, and in what interceptors hook of themselves. */
export function warnOfNearMethods(loaded: LoadedConfig, chains: Iterable<BuiltChain>, items: ReadonlyMap<string, PlacedItem>, warn: Warn): void {
  const told = new Set<string>();
  const look = (value: unknown, pointer: string) => {
    for (const [text, at] of Array.isArray(value) ? value.map((one: unknown, index) => [one, `${pointer}/${index}`] as const) : [[value, pointer] as const]) {
      const wrong = typeof text === "string" ? nearMethod(text) : undefined;
      if (wrong === undefined) continue;
      told.add(String(text));
      warn(at, `${String(text)} ${wrong}`);
    }
  };
  lookInItems(loaded.config, look);
  for (const [pointer, { source }] of loaded.conditions) lookInCondition(source, pointer, look);
  for (const { chain } of chains) {
    for (const { label, name, policy } of chain.entries) {
      const pointer = items.get(label)?.pointer;
      if (pointer === undefined) continue;
      for (const event of policy.hooks.flatMap(({ events }) => events)) {
        const wrong = told.has(event) ? undefined : nearMethod(event);
        if (wrong !== undefined) warn(pointer, `${name} hooks ${event}, which ${wrong}`);
      }
    }
  }
}

type Look = (value: unknown, pointer: string) => void;

function lookInItems({ interceptors = [] }: GatewayConfig, look: Look): void {
  for (const [index, item] of interceptors.entries()) {
    const pointer = `/interceptors/${index}`;
    look(item.events, `${pointer}/events`);
    lookInSettings(item, pointer, look, item.use !== undefined);
    for (const [name, settings] of Object.entries(item.overrides ?? {})) lookInSettings(settings, `${pointer}/overrides/${escape(name)}`, look, item.use !== undefined);
  }
}

// Of a config that is not ours nobody knows what its members mean.
function lookInSettings({ hooks = [], config }: SettingsConfig, pointer: string, look: Look, ours: boolean): void {
  for (const [index, { events }] of hooks.entries()) look(events, `${pointer}/hooks/${index}/events`);
  if (ours) look(config?.["events"], `${pointer}/config/events`);
}

// No deeper than conditions may be, which have been compiled.
function lookInCondition(condition: unknown, pointer: string, look: Look): void {
  if (!isObject(condition)) return;
  look(condition["method"], `${pointer}/method`);
  lookInCondition(condition["not"], `${pointer}/not`, look);
  for (const name of ["all", "any"]) {
    const parts = condition[name];
    if (!Array.isArray(parts)) continue;
    for (const [index, part] of parts.entries()) lookInCondition(part, `${pointer}/${name}/${index}`, look);
  }
}
