/** Scheme and authority of a URL, empty where it is none of HTTP. Schemes and host names do not differ by case. */
export function originOf(url: string): string {
  return (/^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? "").toLowerCase();
}
