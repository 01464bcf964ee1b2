import type { Contact, Diagnosis, Finding, Fired } from "../gateway/config/doctor.ts";
import type { EffectiveOrder } from "../gateway/config/order-doubts.ts";
import { counted, printable } from "./describe.ts";
import { columns, type Paint } from "./terminal.ts";

const LONGEST_LINE = 2000;

/** A diagnosis for people: what is there, then what is wrong and what to do. */
export function describeDiagnosis(diagnosis: Diagnosis, paint: Paint): string {
  const { items, upstreams, orders, audit, fired, findings } = diagnosis;
  const parts = [
    part("interceptors", columns(items.map((item) => contactRow(item, paint)))),
    ...(upstreams.length === 0 ? [] : [part("upstreams", columns(upstreams.map((upstream) => contactRow(upstream, paint))))]),
    part("order", describeOrders(orders)),
    ...(audit === undefined ? [] : [part(`fired, by ${counted(audit.decisions, "decision")}${audit.last === undefined ? "" : `, the last at ${printable(audit.last)}`}`, columns([firedHead(paint), ...fired.map((one) => firedRow(one, paint))]))]),
  ];
  const told = findings.map((finding) => describeFinding(finding, paint));
  return `${[...parts, ...told.length === 0 ? [] : [told.join("\n")]].map((text) => `${text}\n`).join("\n")}\n${verdict(findings, paint)}\n`;

  function part(title: string, text: string): string {
    return `${paint.bold(title)}\n${text === "" ? "  none" : text}`;
  }
}

function verdict(findings: readonly Finding[], paint: Paint): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [problems, notes] = [count("problem"), count("note")];
  const noted = notes === 0 ? "" : `, ${counted(notes, "note")}`;
  return problems === 0 ? `${paint.good("nothing is wrong")}${noted}` : `${paint.bad(counted(problems, "problem"))}${noted}`;
}

function contactRow({ name, what, ms, interceptors, facts, error }: Contact, paint: Paint): readonly string[] {
  const has = facts === undefined ? printable(interceptors?.join(", ") ?? "") : `${facts.info === undefined ? "a server that does not say its name" : printable(`${facts.info.name} ${facts.info.version}`)}${facts.tools === undefined ? "" : `; ${counted(facts.tools.length, "tool")}`}`;
  return [`  ${error === undefined ? paint.good("✓") : paint.bad("✗")} ${printable(name)}`, printable(what), paint.dim(`${ms} ms`), error === undefined ? has : paint.bad("cannot be used")];
}

// Upstreams that are guarded alike are told together.
function describeOrders(orders: readonly EffectiveOrder[]): string {
  const texts = new Map<string, string[]>();
  for (const upstream of new Set(orders.map((order) => order.upstream))) {
    const text = orders.filter((order) => order.upstream === upstream).map(describeOrder).join("\n");
    texts.set(text, [...(texts.get(text) ?? []), upstream]);
  }
  return [...texts].map(([text, upstreams]) => `  ${upstreams.map((name) => printable(name)).join(", ")}\n${text}`).join("\n");
}

function describeOrder({ event, phase, steps }: EffectiveOrder): string {
  const said = steps.map(({ type, entries }) => `${type === "mutation" ? "mutate" : "validate"}: ${entries.map(({ name, policy }) => `${printable(name)}${policy.mode === "audit" ? " (audit)" : ""}`).join(", ")}`);
  return `    ${event} ${phase.padEnd("response".length)}  ${said.join("; then ") || "nothing runs"}`;
}

function firedHead(paint: Paint): readonly string[] {
  return ["  name", "last", "ran", "stopped", "modified", "failed", "went on"].map((word) => paint.dim(word));
}

function firedRow({ name, stats }: Fired, paint: Paint): readonly string[] {
  if (stats === undefined) return [`  ${printable(name)}`, paint.dim("never"), "0", "0", "0", "0", "0"];
  const { last = "", ran, stopped, modified, failures, failedOpen } = stats;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  return [`  ${printable(name)}`, printable(last), String(ran), String(stopped), String(modified), failed === 0 ? "0" : paint.bad(String(failed)), failedOpen === 0 ? "0" : paint.bad(String(failedOpen))];
}

function describeFinding({ level, what, todo }: Finding, paint: Paint): string {
  return `${level === "problem" ? paint.bad("problem") : paint.warn("note")}  ${printable(what, LONGEST_LINE)}\n    ${printable(todo, LONGEST_LINE)}`;
}
