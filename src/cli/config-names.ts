import { resolve } from "node:path";
import { isObject, type JsonObject } from "../core/base/json.ts";
import type { InterceptorsConfig } from "../gateway/config/config.ts";
import { readAny } from "../gateway/config/load.ts";
import { labelsOf } from "../gateway/config/names.ts";
import { isModulePath } from "../node/load-module.ts";

/** What names in a configuration are of. */
export const NAME_KINDS = ["upstreams", "interceptors"] as const;

// Shells expand what they are given to complete, and nobody should run a configuration by a key.
const PLAIN = /^[\p{L}\p{N}_.@:/-]+$/u;

/** Names in a configuration, for shells that complete them: by its text alone, whatever it refers to. None where it cannot be read, or is a module, which would be run. */
export async function namesIn(file: string, kind: (typeof NAME_KINDS)[number]): Promise<readonly string[]> {
  const path = resolve(file);
  if (isModulePath(path)) return [];
  const { value } = await readAny(file, path).catch(() => ({ value: undefined }));
  if (!isObject(value)) return [];
  const { upstreams, interceptors } = value;
  // Labels are made of these members alone.
  const items = Array.isArray(interceptors) ? interceptors.filter((item): item is InterceptorsConfig => isObject(item) && hasTexts(item)) : [];
  const names = kind === "interceptors" ? labelsOf(items) : isObject(upstreams) ? Object.keys(upstreams) : [];
  return names.filter((name) => PLAIN.test(name));
}

function hasTexts({ name, use, module, url }: JsonObject): boolean {
  return [name, use, module, url].every((member) => member === undefined || typeof member === "string");
}
