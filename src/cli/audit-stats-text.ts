import type { AuditStatistics } from "../gateway/audit-stats.ts";
import { printable } from "./describe.ts";
import { columns, paintFor } from "./terminal.ts";

const MAX_ROWS = 20;

/** Statistics of an audit log for people: the first 20 of each list. */
export function describeStats(stats: AuditStatistics): string {
  const paint = paintFor();
  const { decisions, first, last, judgingMs, principals, morePrincipals, sessions, moreSessions, unreadable } = stats;
  const count = (of: number, more: true | undefined, what: string) => `${more === true ? "more than " : ""}${of} ${of === 1 ? what : `${what}s`}`;
  const summary = [
    `${count(decisions, undefined, "decision")}${first === undefined || last === undefined ? "" : `, ${first} to ${last}`}`,
    `${count(sessions, moreSessions, "session")}, ${count(principals, morePrincipals, "principal")}`,
    ...(judgingMs === undefined ? [] : [`judged in ${judgingMs.p50} ms (p50), ${judgingMs.p99} ms (p99)`]),
    ...(unreadable === 0 ? [] : [paint.warn(`${count(unreadable, undefined, "line")} of the files cannot be read as an audit log's`)]),
  ];
  const lists = (["verdicts", "reasons", "upstreams", "methods", "tools"] as const).flatMap((name) => {
    const rows = Object.entries(stats[name]).map(([word, number]) => [`  ${printable(word)}`, String(number)]);
    return rows.length === 0 ? [] : [`${paint.bold(name)}\n${columns(shortened(rows))}`];
  });
  const interceptors = Object.entries(stats.interceptors).map(([name, { ran, stopped, modified, failures, failedOpen, p50Ms, p99Ms }]) => {
    const failed = Object.entries(failures).map(([reason, number]) => `${printable(reason)} ${number}`);
    const open = failedOpen === 0 ? "" : `; went on ${failedOpen}`;
    return [`  ${printable(name)}`, String(ran), String(stopped), String(modified), String(p50Ms), String(p99Ms), failed.length === 0 ? "" : paint.bad(`${failed.join(", ")}${open}`)];
  });
  const head = ["  address", "ran", "stopped", "modified", "p50 ms", "p99 ms", "failures"].map((word) => paint.dim(word));
  const table = interceptors.length === 0 ? [] : [`${paint.bold("interceptors")}\n${columns([head, ...shortened(interceptors)])}`];
  return `${[summary.join("\n"), ...lists, ...table].join("\n\n")}\n`;
}

function shortened(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return rows.length <= MAX_ROWS ? rows : [...rows.slice(0, MAX_ROWS), [`  and ${rows.length - MAX_ROWS} more`]];
}
