import type { ConfiguredGateway } from "../gateway/config/start.ts";

/** What is served where, in one line: `files at http://127.0.0.1:3000/files/mcp with 2 interceptors`. */
export function describeServing({ gateway: { url }, built }: Pick<ConfiguredGateway, "gateway" | "built">, onStdio: string | undefined): string {
  const places = [...built.chains].map(([name, { chain }]) => {
    const where = [...(url === undefined ? [] : [`${url}/${name}/mcp`]), ...(name === onStdio ? ["stdio"] : [])];
    const { length } = chain.entries;
    return where.length === 0 ? [] : [`${name} at ${where.join(" and on ")} with ${length === 1 ? "1 interceptor" : `${length} interceptors`}`];
  });
  return places.flat().join(", ");
}
