// The files of examples/deploy that nothing runs here: they can be read, and say the same as gateway.jsonc, as each other, and as the package.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { affinities, formatAffinities } from "../../../src/gateway/config/affinity.ts";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import type { UpstreamFacts } from "../../../src/gateway/config/probe.ts";
import { DEPLOY } from "./replicas.ts";

const read = (...path: string[]) => readFileSync(join(DEPLOY, ...path), "utf8");

/** The one document of a file; whatever is asked of it is asserted where it is asked. */
function parsed(...path: string[]): Node {
  const documents = parseAllDocuments(read(...path), { version: "1.2", uniqueKeys: true });
  assert.ok(Array.isArray(documents) && documents.length === 1, path.join("/"));
  assert.deepEqual([documents[0]?.errors, documents[0]?.warnings], [[], []], path.join("/"));
  return node(documents[0]?.toJS({ maxAliasCount: 100 }));
}

/** A value in a document: what stands below it, by names and numbers. */
interface Node {
  at(...steps: (string | number)[]): Node;
  readonly items: readonly Node[];
  readonly value: unknown;
}

function node(value: unknown): Node {
  return {
    value,
    items: Array.isArray(value) ? value.map(node) : [],
    at: (...steps) => node(steps.reduce<unknown>((inner, step) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined), value)),
  };
}

/** As a gateway has it: what the file says, with its defaults. */
async function gateway() {
  const env = { NOTES_TOKEN: "x", REPLICA: "gateway-1" };
  const built = await buildPlan(await loadConfig(join(DEPLOY, "gateway.jsonc"), { env }), { pools: createPools(), log: () => {}, chainLog: () => {}, dry: true });
  await built.close();
  assert.deepEqual(built.warnings, []);
  const { http, metrics, drainMs = 0 } = built.loaded.config;
  const fact = (era: UpstreamFacts["era"]): UpstreamFacts => ({ era, capabilities: { tools: {} }, protocolVersion: undefined, info: undefined, tools: undefined });
  const rows = affinities(built.plan, new Map([["notes", fact("stateless")], ["everything", fact("handshake")]]));
  const paths = (affinity: string) => rows.filter(({ stateless }) => stateless === affinity).map(({ name }) => `/${name}/mcp`);
  return { port: Number(http?.port), opsPort: Number(metrics?.port), drainMs, rows, anywhere: paths("none"), byClient: paths("parked calls"), hosts: http?.allowedHosts };
}

const kubernetes = (kind: string) => {
  const found = readdirSync(join(DEPLOY, "kubernetes")).map((name) => parsed("kubernetes", name)).filter((document) => document.at("kind").value === kind);
  assert.ok(found.length > 0, `there is no ${kind}`);
  return found;
};
const one = (kind: string): Node => kubernetes(kind)[0] ?? node(undefined);
const seconds = (text: unknown) => Number(/^(\d+)s$/.exec(String(text))?.[1]);

describe("the files of examples/deploy", () => {
  it("are in front of what the gateway serves, and send anywhere only what check says none of", async () => {
    const { port, anywhere, byClient, rows } = await gateway();
    assert.deepEqual([anywhere, byClient], [["/notes/mcp"], ["/everything/mcp"]]);
    const nginx = read("nginx.conf");
    assert.deepEqual([...nginx.matchAll(/^ +"2026-07-28 (\S+)" +mcp_any;$/gm)].map(([, path]) => path), anywhere);
    assert.deepEqual(new Set([...nginx.matchAll(/^ +server (\S+) /gm)].map(([, address]) => address)), new Set([`gateway-1:${port}`, `gateway-2:${port}`]));
    assert.ok(read("README.md").includes(formatAffinities(rows)), "the README shows what check prints");
  });

  it("envoy.yaml: routes to clusters that there are, by client or anywhere, and asks whether replicas are ready", async () => {
    const { port, opsPort, anywhere, byClient } = await gateway();
    const envoy = parsed("envoy.yaml").at("static_resources");
    const manager = envoy.at("listeners", 0, "filter_chains", 0, "filters", 0, "typed_config");
    const routes = manager.at("route_config", "virtual_hosts", 0, "routes").items;
    const routeOf = (path: string, version?: string) =>
      routes.find((route) => {
        const match = route.at("match");
        const headers = match.at("headers").items.every((header) => header.at("name").value === "mcp-protocol-version" && header.at("string_match", "exact").value === version);
        const [exact, prefix, regex] = [match.at("path").value, match.at("prefix").value, match.at("safe_regex", "regex").value];
        return headers && (exact === path || (typeof prefix === "string" && path.startsWith(prefix)) || (typeof regex === "string" && new RegExp(`^(?:${regex})$`).test(path)));
      });
    for (const path of anywhere) assert.equal(routeOf(path, "2026-07-28")?.at("route", "cluster").value, "mcp_any");
    for (const [path, version] of [...byClient.map((path) => [path, "2026-07-28"] as const), ...anywhere.map((path) => [path, undefined] as const)]) {
      const route = routeOf(path, version)?.at("route");
      assert.equal(route?.at("cluster").value, "mcp_by_client", path);
      assert.deepEqual(route.at("hash_policy").value, [{ header: { header_name: "authorization" }, terminal: true }, { connection_properties: { source_ip: true } }]);
    }
    assert.equal(routeOf("/metrics"), undefined);
    for (const route of routes) assert.equal(route.at("route", "timeout").value, "0s", "streams last");
    assert.ok(seconds(manager.at("stream_idle_timeout").value) > 15, "longer than keepAliveMs");
    const clusters = new Map(envoy.at("clusters").items.map((cluster) => [cluster.at("name").value, cluster]));
    assert.deepEqual([...clusters].map(([name, cluster]) => [name, cluster.at("lb_policy").value]), [["mcp_by_client", "RING_HASH"], ["mcp_any", "LEAST_REQUEST"]]);
    const replicas = kubernetes("Service").find((service) => service.at("spec", "clusterIP").value === "None");
    for (const cluster of clusters.values()) {
      assert.equal(cluster.at("health_checks", 0, "http_health_check", "path").value, "/readyz");
      const endpoint = cluster.at("load_assignment", "endpoints", 0, "lb_endpoints", 0, "endpoint");
      assert.deepEqual(endpoint.at("address", "socket_address").value, { address: replicas?.at("metadata", "name").value, port_value: port });
      assert.equal(endpoint.at("health_check_config", "port_value").value, opsPort);
    }
  });

  it("kubernetes: pods run gateway.jsonc, on its ports, with all that it takes from outside, and end in time", async () => {
    const { port, opsPort, drainMs, hosts } = await gateway();
    const pod = one("Deployment").at("spec", "template");
    const container = pod.at("spec", "containers", 0);
    assert.deepEqual(container.at("ports").value, [{ name: "mcp", containerPort: port }, { name: "ops", containerPort: opsPort }]);
    assert.equal(one("ConfigMap").at("data", "gateway.jsonc").value, read("gateway.jsonc"));
    const needed = [...read("gateway.jsonc").matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name);
    const env = container.at("env").items;
    assert.deepEqual(new Set(env.map((variable) => variable.at("name").value)), new Set(needed));
    for (const variable of env) {
      const { name, key } = (variable.at("valueFrom", "secretKeyRef").value ?? {}) as { name?: string; key?: string };
      if (name !== undefined) assert.deepEqual([one("Secret").at("metadata", "name").value, typeof one("Secret").at("stringData", key ?? "").value], [name, "string"]);
    }
    const [config] = container.at("volumeMounts").items;
    assert.ok(read("Dockerfile").includes(`"${String(config?.at("mountPath").value)}/gateway.jsonc"`), "the image reads the file that is mounted");
    for (const [probe, path] of [["startupProbe", "/readyz"], ["readinessProbe", "/readyz"], ["livenessProbe", "/healthz"]] as const) {
      assert.deepEqual(container.at(probe, "httpGet").value, { path, port: "ops" });
    }
    const preStopMs = Number(container.at("lifecycle", "preStop", "exec", "command", 1).value) * 1_000;
    const graceMs = Number(pod.at("spec", "terminationGracePeriodSeconds").value) * 1_000;
    assert.ok(preStopMs > 0 && graceMs >= preStopMs + drainMs + 5_000, `${graceMs} ms are too few for ${preStopMs} and ${drainMs}`);
    assert.deepEqual([pod.at("spec", "securityContext", "runAsNonRoot").value, container.at("securityContext", "readOnlyRootFilesystem").value], [true, true]);

    const labels = pod.at("metadata", "labels").value;
    const name = one("Deployment").at("metadata", "name").value;
    const selectors = [...kubernetes("Service").map((service) => service.at("spec", "selector")), one("PodDisruptionBudget").at("spec", "selector", "matchLabels"), one("Deployment").at("spec", "selector", "matchLabels")];
    for (const selector of selectors) assert.deepEqual(selector.value, labels);
    assert.deepEqual(one("HorizontalPodAutoscaler").at("spec", "scaleTargetRef").value, { apiVersion: "apps/v1", kind: "Deployment", name });
    for (const service of kubernetes("Service")) {
      for (const { at } of service.at("spec", "ports").items) assert.equal(at("port").value, at("targetPort").value === "mcp" ? port : opsPort);
    }
    const inCluster = kubernetes("Service").find((service) => service.at("spec", "sessionAffinity").value === "ClientIP");
    assert.ok(Array.isArray(hosts) && hosts.includes(String(inCluster?.at("metadata", "name").value)), "the service's name is one that clients may call by");
    // Longer than sessions and parked calls are kept, by default.
    assert.ok(Number(inCluster?.at("spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds").value) > 1_800);
  });

  it("Dockerfile: has the package of this version, the ports, and the upstream that the tests know", async () => {
    const { port, opsPort } = await gateway();
    const text = read("Dockerfile");
    const manifest = (path: string) => JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8")) as { version: string; devDependencies: Record<string, string> };
    assert.equal(/^ARG VERSION=(.*)$/m.exec(text)?.[1], manifest("../../../package.json").version);
    assert.match(text, /^COPY mcp-interceptors-\$VERSION\.tgz \/tmp\/\nRUN npm install --global \/tmp\/mcp-interceptors-\$VERSION\.tgz /m, "no registry has the package");
    assert.equal(/server-everything@(\S+)/.exec(text)?.[1], manifest("../package.json").devDependencies["@modelcontextprotocol/server-everything"]);
    assert.equal(/^EXPOSE (.*)$/m.exec(text)?.[1], `${port} ${opsPort}`);
  });
});
