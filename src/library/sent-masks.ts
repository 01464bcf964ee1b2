import { decodings } from "./decodings.ts";
import { withoutHidden } from "./hidden-characters.ts";
import { plainWords } from "./look-alike.ts";
import { holdsFittingMask } from "./redact-fit.ts";

/** Whether a text has a mask in it. */
export type IsMask = (text: string) => boolean;

/**
 * Knows masks in letters of any case and in other writings of them, and as they are or encoded: a model may well write one as a part of a URL. `fitting`:
 * those, too, that `redact` writes where they are to fit a schema.
 */
export function compileMasks(masks: readonly string[], fitting: boolean): IsMask {
  const folded = masks.map(fold);
  return (text) =>
    decodings(withoutHidden(text)).some((view) => {
      const plain = fold(view);
      return folded.some((mask) => plain.includes(mask)) || (fitting && holdsFittingMask(plain));
    });
}

function fold(text: string): string {
  return plainWords(withoutHidden(text)).toLowerCase();
}
