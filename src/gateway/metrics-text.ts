import type { FamilySnapshot, Labels, MetricsSnapshot, SeriesSnapshot } from "./metrics-registry.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Adds up what several workers have seen. Gauges are added as well: calls in flight are those of all, and of a state that is 0 or 1 the sum says how many
 * workers are in it. A family that two of them describe differently (other labels or bounds) is the first one's alone.
 */
export function mergeMetrics(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const families = new Map<string, { readonly family: FamilySnapshot; readonly series: Map<string, SeriesSnapshot> }>();
  for (const family of snapshots.flatMap((snapshot) => snapshot.families)) {
    const known = families.get(family.name) ?? { family, series: new Map<string, SeriesSnapshot>() };
    families.set(family.name, known);
    if (shapeOf(known.family) !== shapeOf(family)) continue;
    for (const series of family.series) {
      const key = JSON.stringify(series.labels);
      const before = known.series.get(key);
      known.series.set(key, before === undefined ? series : sum(before, series));
    }
  }
  return { families: [...families.values()].map(({ family, series }) => ({ ...family, series: [...series.values()] })) };
}

function shapeOf({ type, labels, bounds }: FamilySnapshot): string {
  return JSON.stringify([type, labels, bounds]);
}

function sum(left: SeriesSnapshot, right: SeriesSnapshot): SeriesSnapshot {
  const value = left.value + right.value;
  return { labels: left.labels, value, ...(left.buckets !== undefined && { buckets: left.buckets.map((count, index) => count + (right.buckets?.[index] ?? 0)) }) };
}

/** The text format of Prometheus, version 0.0.4. */
export function formatMetrics({ families }: MetricsSnapshot): string {
  const lines: string[] = [];
  for (const family of families) {
    const { name, type, help, labels, bounds = [], series } = family;
    lines.push(`# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}`, `# TYPE ${name} ${type}`);
    for (const { labels: values, value, buckets } of series) {
      if (buckets === undefined) {
        lines.push(`${name}${labelText(labels, values)} ${numberText(value)}`);
        continue;
      }
      let below = 0;
      buckets.forEach((count, index) => {
        below += count;
        lines.push(`${name}_bucket${labelText([...labels, "le"], [...values, index < bounds.length ? numberText(bounds[index]!) : "+Inf"])} ${below}`);
      });
      lines.push(`${name}_sum${labelText(labels, values)} ${numberText(value)}`, `${name}_count${labelText(labels, values)} ${below}`);
    }
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function labelText(names: readonly string[], values: Labels): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escaped(values[index] ?? "")}"`).join(",")}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
