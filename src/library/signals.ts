import { ATTACK_RULES } from "./attack-rules.ts";
import { decodings } from "./decodings.ts";
import { plainWords, withoutLeet } from "./look-alike.ts";
import { type Rule, RULES, type SignalId } from "./signal-rules.ts";

export { type SignalId, WEAK } from "./signal-rules.ts";

// Signs in a text that it speaks to the model that will read it, not to people. None of them proves anything: texts about prompt injection have them all.

export interface TextSignal {
  readonly id: SignalId;
  /** From 0 to 1: how much it says by itself. */
  readonly weight: number;
  /** What was found, 80 characters at most. */
  readonly evidence: string;
}

const MAX_EVIDENCE_CHARS = 80;

/**
 * The signals of a text, each id once, by what says most; those of what is encoded in it count as one, `encoded`. Linear. Throws `limit_exceeded` as {@link decodings} does.
 */
export function signalsIn(text: string): readonly TextSignal[] {
  const [plain = "", ...hidden] = decodings(text);
  const found = strongest(matched(plain, false));
  const more = [...inEncoded(hidden, found)].reduce<TextSignal | undefined>((most, one) => (most === undefined || one.weight > most.weight ? one : most), undefined);
  return more === undefined ? found : [...found, { id: "encoded", weight: more.weight, evidence: more.evidence }];
}

/** Each place in a text, and in what is encoded in it, that is a signal: for whoever takes some of them alone, so that a harmless one hides no other. Linear. */
export function* everySignalIn(text: string): Generator<TextSignal> {
  const [plain = "", ...hidden] = decodings(text);
  const found = new Map<SignalId, TextSignal>();
  for (const signal of matched(plain, true)) {
    keepStronger(found, signal);
    yield signal;
  }
  for (const { weight, evidence } of inEncoded(hidden, [...found.values()])) yield { id: "encoded", weight, evidence };
}

/** What the text says by itself need not be found again in what its escapes stand for. */
function* inEncoded(decoded: readonly string[], known: readonly TextSignal[]): Generator<TextSignal> {
  for (const text of decoded) {
    for (const signal of matched(text, false)) if (!known.some(({ id, weight }) => id === signal.id && weight >= signal.weight)) yield signal;
  }
}

const EVERY_RULE: readonly Rule[] = [...RULES, ...ATTACK_RULES].map(({ pattern, ...rest }) => ({ ...rest, pattern: new RegExp(pattern, `${pattern.flags}g`) }));

/** What the rules find, each of them once or in each place. */
function* matched(text: string, everywhere: boolean): Generator<TextSignal> {
  const folded = plainWords(text);
  const sentences = unwrap(folded);
  // Digits in place of letters are one more way to write all of it.
  const unleeted = withoutLeet(sentences);
  for (const { id, weight, pattern } of EVERY_RULE) {
    // What is hidden is hidden in the text as it is, and marks of a role stand at the start of a line; everything else may hide behind invisible characters, other writings, look-alikes and white space.
    const views = id === "hidden" ? [text] : id === "role-marker" ? [folded] : [sentences, ...unleeted];
    for (const view of views) {
      pattern.lastIndex = 0;
      let match = pattern.exec(view);
      // Others may search with the same expression while this one waits.
      for (let next = pattern.lastIndex; match !== null; next = pattern.lastIndex) {
        yield { id, weight, evidence: clip(match[0]) };
        if (!everywhere) break;
        pattern.lastIndex = next;
        match = pattern.exec(view);
      }
    }
  }
}

function strongest(signals: Iterable<TextSignal>): readonly TextSignal[] {
  const found = new Map<SignalId, TextSignal>();
  for (const signal of signals) keepStronger(found, signal);
  return [...found.values()];
}

function keepStronger(found: Map<SignalId, TextSignal>, signal: TextSignal): void {
  if (signal.weight > (found.get(signal.id)?.weight ?? 0)) found.set(signal.id, signal);
}

const LIST_ITEM = /(?:[-*+|#\u2022]|\d{1,3}[.)])\s/y;

/** Any white space within a paragraph as one blank, as whoever reads it takes it. Paragraphs and the items of lists stay apart. */
function unwrap(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, (run, at: number) => {
    const breaks = run.match(/\r\n?|[\n\u2028\u2029]/g)?.length ?? 0;
    LIST_ITEM.lastIndex = at + run.length;
    return breaks > 1 || (breaks === 1 && LIST_ITEM.test(text)) ? "\n" : " ";
  });
}

function clip(text: string): string {
  const shown = text.replace(/\s+/g, " ").trim();
  return shown.length <= MAX_EVIDENCE_CHARS ? shown : `${shown.slice(0, MAX_EVIDENCE_CHARS)}…`;
}

/** How much several signals say together: 1 less the product of what each leaves open. */
export function scoreOf(signals: readonly TextSignal[]): number {
  const strongest = new Map<SignalId, number>();
  for (const { id, weight } of signals) strongest.set(id, Math.max(weight, strongest.get(id) ?? 0));
  let open = 1;
  for (const weight of strongest.values()) open *= 1 - weight;
  return Math.round((1 - open) * 100) / 100;
}
