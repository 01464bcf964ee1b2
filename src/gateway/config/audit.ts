import { extname, resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import { equalJson } from "../../core/base/json.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { nodeHost } from "../../node/host.ts";
import { checkAudit, openAudit, type AuditLog } from "../audit.ts";
import { createAuditDigest } from "../audit-record.ts";
import type { GatewayPlan } from "../plan.ts";
import type { AuditConfig } from "./config.ts";
import type { Opened, Pool } from "./pool.ts";
import type { SectionContext } from "./section.ts";

/** An audit log that is open, and how payloads are told apart in it. */
export interface OpenAudit {
  readonly audit: AuditLog;
  readonly digest: (payload: unknown) => string;
}

interface AuditContext extends SectionContext {
  /** A file has one writer, however many plans it is in. */
  readonly audits: Pool<OpenAudit>;
}

export interface AuditParts {
  readonly audit?: AuditLog;
  readonly record?: NonNullable<GatewayPlan["record"]>;
  readonly canRecord?: NonNullable<GatewayPlan["canRecord"]>;
  readonly policy: Pick<NonNullable<GatewayPlan["policy"]>, "onRecordFailure" | "digest">;
}

/** What writes decisions down. What is wrong goes to `problems`. */
export async function auditOf({ loaded, problems, audits, log, releases, before, worker }: AuditContext): Promise<AuditParts> {
  const { audit } = loaded.config;
  if (before !== undefined && !equalJson(withoutPolicy(before.config.audit), withoutPolicy(audit))) {
    problems.add(audit === undefined ? "" : "/audit", `${audit === undefined ? "has no audit any more" : "has changed"}, which takes a new start of the gateway`);
    return { policy: {} };
  }
  if (audit === undefined) return { policy: {} };
  const { onFailure, ...options } = audit;
  try {
    const path = auditPath(resolve(loaded.folder, options.file), worker);
    const lease = await audits.acquire(path, () => open(path, options, log));
    releases.push(lease.release);
    const { audit: opened, digest } = lease.value;
    return { audit: opened, record: opened.record, canRecord: opened.canRecord, policy: { digest, ...(onFailure === undefined ? {} : { onRecordFailure: onFailure }) } };
  } catch (thrown) {
    problems.add("/audit", describeError(thrown));
    return { policy: {} };
  }
}

/** `audit.jsonl` → `audit.2.jsonl` of the second worker: a file has one writer, and who takes a dead worker's place goes on with its chain. */
function auditPath(path: string, worker: number | undefined): string {
  if (worker === undefined) return path;
  const ending = extname(path);
  return `${path.slice(0, path.length - ending.length)}.${worker}${ending}`;
}

/** Finds what `auditOf` would refuse about the file that is there, and leaves it as it is. */
export async function judgeAudit({ loaded, problems }: Pick<SectionContext, "loaded" | "problems">): Promise<void> {
  const { audit } = loaded.config;
  // Of a place where no file can be no more is to be said.
  if (audit === undefined || problems.within("/audit")) return;
  try {
    await checkAudit({ ...audit, path: resolve(loaded.folder, audit.file) });
  } catch (thrown) {
    problems.add("/audit", describeError(thrown));
  }
}

async function open(path: string, { file: _file, ...options }: Omit<AuditConfig, "onFailure">, log: Log): Promise<Opened<OpenAudit>> {
  const audit = await openAudit({ ...options, path, host: nodeHost(), log: (message) => log({ level: "error", message }) });
  return { value: { audit, digest: createAuditDigest(options.key) }, close: () => audit.close() };
}

function withoutPolicy(audit: AuditConfig | undefined): unknown {
  if (audit === undefined) return undefined;
  const { onFailure: _policy, ...rest } = audit;
  return rest;
}
