import type { ConfiguredGateway } from "../gateway/config/start.ts";

/** What is served where, in one line: `files at http://127.0.0.1:3000/files/mcp with 2 interceptors`. */
export function describeServing({ gateway: { url }, built }: Pick<ConfiguredGateway, "gateway" | "built">, onStdio: string | undefined): string {
  const place = (name: string, count: number, how: string) => {
    const where = [...(url === undefined ? [] : [`${url}/${name}/mcp`]), ...(name === onStdio ? ["stdio"] : [])];
    return where.length === 0 ? [] : [`${name} at ${where.join(" and on ")} ${how} ${count === 1 ? "1 interceptor" : `${count} interceptors`}`];
  };
  const places = [...built.chains].flatMap(([name, { chain }]) => place(name, chain.entries.length, "with"));
  if (built.exposure !== undefined) places.push(...place(built.exposure.plan.name, built.exposure.interceptors.length, "offering"));
  return places.join(", ");
}
