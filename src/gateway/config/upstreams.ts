import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, LocalError } from "../../core/base/errors.ts";
import { equalJson, isObject } from "../../core/base/json.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { Servable } from "../../core/http/serve.ts";
import { importFresh } from "../../node/load-module.ts";
import type { UpstreamPlan, UpstreamTarget } from "../plan.ts";
import { callerCheck } from "./condition.ts";
import type { UpstreamConfig } from "./config.ts";
import { commandEnvironment } from "./environment.ts";
import { inTime } from "./in-time.ts";
import { escape, type LoadedConfig } from "./load.ts";
import type { Lease, Pool } from "./pool.ts";
import type { Problems } from "./problems.ts";

export interface BuiltUpstream {
  readonly plan: UpstreamPlan;
  /** What it was made of, to be held against the next configuration. */
  readonly config: UpstreamConfig;
  /** A module's file, and the server that it gave. */
  readonly file?: string;
  readonly server?: Servable;
}

interface UpstreamsContext {
  readonly problems: Problems;
  readonly servers: Pool<Servable>;
  readonly before: ReadonlyMap<string, BuiltUpstream> | undefined;
  /** What is opened is given back by these. */
  readonly releases: (() => Promise<void>)[];
  readonly signal: Signal | undefined;
}

/** The upstreams of a configuration, by name. One that is as it was in the plan before is the same object, so that its sessions go on. */
export async function createUpstreams(loaded: LoadedConfig, context: UpstreamsContext): Promise<ReadonlyMap<string, BuiltUpstream>> {
  const built = new Map<string, BuiltUpstream>();
  for (const [name, config] of Object.entries(loaded.config.upstreams)) {
    const pointer = `/upstreams/${escape(name)}`;
    try {
      built.set(name, await createUpstream(name, config, pointer, loaded, context));
    } catch (thrown) {
      context.problems.add(pointer, describeError(thrown));
    }
  }
  return built;
}

async function createUpstream(name: string, config: UpstreamConfig, pointer: string, loaded: LoadedConfig, context: UpstreamsContext): Promise<BuiltUpstream> {
  const { module, command, args, env, cwd, url, headers, allow, ...rest } = config;
  const file = module === undefined ? undefined : resolve(loaded.folder, module);
  const lease = file === undefined ? undefined : await inTime(openModule(file, context.servers), context.signal, (late) => late.release());
  if (lease !== undefined) context.releases.push(lease.release);
  const known = context.before?.get(name);
  if (known !== undefined && equalJson(known.config, config) && known.server === lease?.value) return known;
  const condition = allow === undefined ? undefined : loaded.conditions.get(`${pointer}/allow`);
  const target = targetOf(config, loaded.folder, lease?.value);
  const plan: UpstreamPlan = { name, target, ...rest, ...(condition === undefined ? {} : { allow: callerCheck(condition) }) };
  return { plan, config, ...(file === undefined || lease === undefined ? {} : { file, server: lease.value }) };
}

function targetOf({ command, args, env, cwd, url, headers }: UpstreamConfig, folder: string, server: Servable | undefined): UpstreamTarget {
  if (server !== undefined) return { server };
  if (command !== undefined) {
    return { command, ...(args === undefined ? {} : { args }), env: commandEnvironment(env), cwd: cwd === undefined ? folder : resolve(folder, cwd), stderr: "log" };
  }
  // The schema has seen to it that one of the three is there.
  return { url: url ?? "", ...(headers === undefined ? {} : { headers }) };
}

// A module as it is on disk runs once, however many plans it is in; changed, it is another.
function openModule(file: string, servers: Pool<Servable>): Promise<Lease<Servable>> {
  const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return servers.acquire(`${file}?${changedMs}`, async () => ({ value: await serverIn(await importFresh(file), file), close: async () => {} }));
}

async function serverIn(exports: Readonly<Record<string, unknown>>, file: string): Promise<Servable> {
  const exported = exports["default"] ?? exports["server"];
  const given: unknown = typeof exported === "function" ? await Reflect.apply(exported, undefined, []) : exported;
  if (isServable(given)) return given;
  throw new LocalError("invalid_argument", `${file} exports no server; export an McpServer, or a function that makes one, as default or as server`);
}

function isServable(value: unknown): value is Servable {
  return isObject(value) && typeof value["connect"] === "function";
}
