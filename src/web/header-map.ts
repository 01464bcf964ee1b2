/** Headers as a Map of its own; `Headers` joins what comes twice by ", " already. By `forEach`: TypeScript before 6 has no iterator of them in the library `DOM` alone. */
export function headerMap(headers: Headers): Map<string, string> {
  const map = new Map<string, string>();
  headers.forEach((value, name) => map.set(name, value));
  return map;
}
