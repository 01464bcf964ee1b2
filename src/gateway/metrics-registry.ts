import { LocalError } from "../core/base/errors.ts";

/** Values of a family's labels, in the order of their names. */
export type Labels = readonly string[];

export interface FamilyOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface Counter {
  add(labels: Labels, by?: number): void;
}

export interface Histogram {
  /** In the unit that the name says: seconds. */
  observe(labels: Labels, value: number): void;
}

/** A value that is read when somebody asks. */
export interface GaugeSample {
  readonly labels: Labels;
  readonly value: number;
}

/** All values at one moment, as JSON: workers send theirs to whoever sums them up. */
export interface MetricsSnapshot {
  readonly families: readonly FamilySnapshot[];
}
/** One metric with all its series, as plain data. */
export interface FamilySnapshot {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets; `+Inf` is not among them. */
  readonly bounds?: readonly number[];
  readonly series: readonly SeriesSnapshot[];
}
/** One combination of labels of a metric, and its value. */
export interface SeriesSnapshot {
  readonly labels: Labels;
  /** Of a histogram: the sum of what was observed. */
  readonly value: number;
  /** Of a histogram: how many fell into each bucket and in no lower one, the last one being `+Inf`. */
  readonly buckets?: readonly number[];
}

/** Metrics by name. Making one whose name is taken throws `conflict`. */
export interface Registry {
  counter(family: FamilyOptions): Counter;
  histogram(family: FamilyOptions, bounds: readonly number[]): Histogram;
  gauge(family: FamilyOptions, read: () => readonly GaugeSample[]): void;
  /** A counter whose values somebody else keeps, such as the stats of a queue. */
  counted(family: FamilyOptions, read: () => readonly GaugeSample[]): void;
  snapshot(): MetricsSnapshot;
}

interface Series {
  readonly labels: Labels;
  value: number;
  readonly buckets: number[] | undefined;
}

/** The labels of all series beyond the bound of their family. */
export const OVERFLOW = "other";

/**
 * Counters, gauges and histograms. A family holds `maxSeries` combinations of labels; further ones are counted together, with `other` for each label, so
 * that no peer can fill memory by making up names. Throws `invalid_argument` for names that Prometheus would refuse, and `conflict` for one that is taken.
 */
export function createRegistry(maxSeries: number): Registry {
  const families = new Map<string, () => FamilySnapshot>();
  const claim = ({ name, help, labels = [] }: FamilyOptions, type: FamilySnapshot["type"], rest: () => Pick<FamilySnapshot, "bounds" | "series">) => {
    for (const word of [name, ...labels]) {
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(word)) throw new LocalError("invalid_argument", `${JSON.stringify(word)} is no name of a metric or a label`);
    }
    if (families.has(name)) throw new LocalError("conflict", `there is a metric ${name} already`);
    families.set(name, () => ({ name, type, help, labels, ...rest() }));
  };
  const seriesOf = (known: Map<string, Series>, labels: Labels, buckets: number): Series => {
    const key = labels.length === 1 ? labels[0]! : JSON.stringify(labels);
    const there = known.get(key);
    if (there !== undefined) return there;
    if (known.size >= maxSeries && !labels.every((label) => label === OVERFLOW)) return seriesOf(known, labels.map(() => OVERFLOW), buckets);
    const made: Series = { labels: [...labels], value: 0, buckets: buckets === 0 ? undefined : Array<number>(buckets).fill(0) };
    known.set(key, made);
    return made;
  };
  const listed = (known: ReadonlyMap<string, Series>): SeriesSnapshot[] =>
    [...known.values()].map(({ labels, value, buckets }) => ({ labels, value, ...(buckets !== undefined && { buckets: [...buckets] }) }));
  const asked = (family: FamilyOptions, type: "counter" | "gauge", read: () => readonly GaugeSample[]) =>
    claim(family, type, () => {
      try {
        return { series: read().slice(0, maxSeries) };
      } catch {
        // One that cannot be read must not take the others along.
        return { series: [] };
      }
    });

  return {
    counter(family) {
      const known = new Map<string, Series>();
      claim(family, "counter", () => ({ series: listed(known) }));
      return { add: (labels, by = 1) => void (seriesOf(known, labels, 0).value += by) };
    },
    histogram(family, bounds) {
      const known = new Map<string, Series>();
      claim(family, "histogram", () => ({ bounds, series: listed(known) }));
      return {
        observe(labels, value) {
          const series = seriesOf(known, labels, bounds.length + 1);
          let at = 0;
          while (at < bounds.length && value > bounds[at]!) at++;
          series.buckets![at]!++;
          series.value += value;
        },
      };
    },
    gauge: (family, read) => asked(family, "gauge", read),
    counted: (family, read) => asked(family, "counter", read),
    snapshot: () => ({ families: [...families.values()].map((read) => read()) }),
  };
}
