import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import { formatPointer, isObject, type JsonObject } from "../../core/base/json.ts";
import { syntaxFault } from "../../node/load-module.ts";
import { readyMade } from "../../library/catalog.ts";
import type { GatewayConfig, InterceptorsConfig } from "./config.ts";
import { checkNames, checkScopes } from "./names.ts";
import type { Problems } from "./problems.ts";
import { checkValues } from "./values.ts";

export interface SoundPartsContext {
  readonly folder: string;
  readonly problems: Problems;
}

/**
 * Looks in a configuration that is wrong somewhere at the rest, so that all faults are told at once: names, scopes, the config of ready-made
 * interceptors, modules that are not there or no JavaScript. Opens and runs nothing. Where a part is wrong, what depends on it is not judged.
 */
export async function checkSoundParts(value: unknown, { folder, problems }: SoundPartsContext): Promise<void> {
  if (!isObject(value)) return;
  const { upstreams, interceptors } = value;
  // Its names are known, whatever is wrong below them.
  if (!isObject(upstreams) || (interceptors !== undefined && !Array.isArray(interceptors))) return;
  const sections = membersWithout(value, "", problems);
  const items = (interceptors ?? []).map((item: unknown, index) => (isObject(item) ? membersWithout(item, `/interceptors/${index}`, problems) : {}));
  const whole = (...names: readonly string[]) => names.every((name) => !problems.within(`/${name}`));
  const { stdio, ...unnamed } = sections;
  const sound = Object.fromEntries(Object.entries(upstreams).map(([name, one]) => [name, isObject(one) ? membersWithout(one, formatPointer(["upstreams", name]), problems) : {}]));
  // The schema has found nothing wrong with what is left.
  const config = { ...unnamed, ...(whole("expose") && stdio !== undefined ? { stdio } : {}), upstreams: sound, interceptors: items } as unknown as GatewayConfig;
  // Both add to the problems, which says nothing about these.
  const scoped = whole("http", "auth", "stdio", "versions");
  checkNames(config, problems);
  if (scoped) checkScopes(config, problems);
  // What is sound in a section that is wrong elsewhere.
  const parts = Object.entries(value).map(([name, section]) => [name, isObject(section) ? membersWithout(section, formatPointer([name]), problems) : sections[name]]);
  checkValues({ ...(Object.fromEntries(parts) as unknown as GatewayConfig), upstreams: config.upstreams, interceptors: items }, { folder, problems });
  await Promise.all([
    ...(config.interceptors ?? []).map((item, index) => checkItem(item, `/interceptors/${index}`, { folder, problems })),
    ...Object.entries(sound).map(([name, { module }]) => checkModule(module, formatPointer(["upstreams", name]), { folder, problems })),
  ]);
}

function membersWithout(object: JsonObject, pointer: string, problems: Problems): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !problems.within(pointer + formatPointer([name]))));
}

async function checkItem({ use, config, module }: InterceptorsConfig, pointer: string, context: SoundPartsContext): Promise<void> {
  const told = ["use", "config"].some((member) => context.problems.within(`${pointer}/${member}`));
  try {
    if (use !== undefined && !told) readyMade.get(use)?.create(config);
  } catch (thrown) {
    context.problems.add(pointer, describeError(thrown));
  }
  await checkModule(module, pointer, context);
}

async function checkModule(module: unknown, pointer: string, { folder, problems }: SoundPartsContext): Promise<void> {
  if (typeof module !== "string" || problems.within(`${pointer}/module`)) return;
  const file = resolve(folder, module);
  if (!existsSync(file)) return problems.add(`${pointer}/module`, `names a file that is not there: ${module}`);
  const fault = await syntaxFault(file);
  if (fault !== undefined) problems.add(`${pointer}/module`, `names a file that cannot be loaded: ${fault}`);
}
