// RFC 3492, with the parameters of its section 5.
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE = 0x80;
const LAST_CODE = 0x10ffff;
const MAX_LABEL_CHARS = 63;
const PREFIX = "xn--";

/**
 * The letters that a label of a host stands for where it begins with `xn--`; any other label as it is. Undefined for one that cannot be decoded. Lower case is expected.
 */
export function decodeLabel(label: string): string | undefined {
  if (!label.startsWith(PREFIX)) return label;
  return label.length > MAX_LABEL_CHARS ? undefined : decodePunycode(label.slice(PREFIX.length));
}

function decodePunycode(text: string): string | undefined {
  const delimiter = text.lastIndexOf("-");
  const codes: number[] = [];
  for (let at = 0; at < delimiter; at++) {
    const code = text.charCodeAt(at);
    if (code >= FIRST_CODE) return undefined;
    codes.push(code);
  }
  let at = delimiter + 1;
  // A label without a letter beyond ASCII is not written so.
  if (at >= text.length) return undefined;
  let code = FIRST_CODE;
  let index = 0;
  let bias = FIRST_BIAS;
  while (at < text.length) {
    const before = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(at++));
      if (digit === undefined) return undefined;
      index += digit * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > Number.MAX_SAFE_INTEGER / BASE) return undefined;
    }
    const count = codes.length + 1;
    bias = adapt(index - before, count, before === 0);
    code += Math.floor(index / count);
    if (code > LAST_CODE || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    index %= count;
    codes.splice(index++, 0, code);
  }
  return String.fromCodePoint(...codes);
}

// NaN, beyond the end of the text, is no digit.
function digitOf(unit: number): number | undefined {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 26 : undefined;
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) >> 1) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
