const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_CHARS = 6;

/** Whether the last six characters are the CRC-32 of those before, in base 62, as in the tokens of GitHub and npm behind their prefix. */
export function endsInChecksum(body: string): boolean {
  const payload = body.slice(0, -CHECKSUM_CHARS);
  return base62(crc32(payload)).padStart(CHECKSUM_CHARS, "0") === body.slice(-CHECKSUM_CHARS);
}

/** CRC-32 (IEEE 802.3) of ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

export function base62(value: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = DIGITS.charAt(rest % 62) + text;
  return text;
}
