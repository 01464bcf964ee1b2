const NAMED: ReadonlyMap<string, string> = new Map([["lt", "<"], ["gt", ">"], ["amp", "&"], ["quot", '"'], ["apos", "'"], ["nbsp", " "]]);
const LAST_CODE = 0x10ffff;

/** A text with the character references of HTML, numeric ones and the most common names, as the characters that they stand for. Linear. */
export function withoutEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos|nbsp));?/gi, (reference, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? reference;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(decimal, 10);
    return code <= LAST_CODE ? String.fromCodePoint(code) : reference;
  });
}

/** A text as it reads where its markup is shown: tags that stand within words are left out, others part words. Linear. */
export function shownText(text: string): string {
  if (!/[<&]/.test(text)) return text;
  return withoutEntities(text)
    .replace(/<\/?(?:a|b|i|u|s|em|strong|span|font|small|big|mark|code|sub|sup|wbr)(?:\s[^<>]{0,200})?\/?>|<!--[^<>]{0,200}-->/gi, "")
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, " ");
}
