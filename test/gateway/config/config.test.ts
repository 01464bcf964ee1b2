// The type of a configuration and its schema say the same: all that this file has fits both, and there is no member that it leaves out.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isObject } from "../../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import type { GatewayConfig } from "../../../src/gateway/config/config.ts";
import { collectProblems } from "../../../src/gateway/config/problems.ts";
import { checkSchema } from "../../../src/gateway/config/schema-check.ts";
import schema from "../../../spec/gateway.schema.json" with { type: "json" };

const common = { command: "x", args: ["y"], env: { A: "b" }, cwd: "." } as const;
const far = { url: "https://x.example", headers: { A: "b" } } as const;
const settings = {
  mode: "audit",
  failOpen: true,
  priorityHint: { request: 1, response: -1 },
  timeoutMs: 1,
  hooks: [{ events: ["tools/*"], phase: "request" }],
  revalidate: false,
  when: { phase: "request" },
  grants: { read: ["/a"], write: ["/b"], readRequest: [""] },
  config: {},
} as const;

const WHOLE: GatewayConfig = {
  $schema: "x",
  upstreams: {
    a: {
      ...common,
      sharing: "shared",
      era: "stateless",
      allow: { claim: "a", exists: true },
      maxConnections: 1,
      maxCalls: 1,
      idleMs: 1,
      startTimeoutMs: 1,
      probeTimeoutMs: 1,
      callTimeoutMs: 1,
      maxCallMs: 1,
      backOff: { firstMs: 1, longestMs: 1 },
    },
    b: far,
    c: { module: "x.ts" },
  },
  interceptors: [
    { use: "redact", name: "x", upstreams: ["a"], events: ["*"], phase: "response", ...settings, overrides: { redact: settings }, ignoreUnknownTypes: true },
    { ...common, breaker: { failures: 1, ratio: 1, window: 1, openMs: 1, longestOpenMs: 1, probes: 1, maxConcurrent: 1, maxWaiting: 1, maxWaitMs: 1 } },
    { module: "x.ts", worker: { timeoutMs: 1, maxMemoryMb: 1 }, priorityHint: 1, breaker: false },
    far,
  ],
  expose: { name: "x", interceptors: ["x"], allow: { claim: "a", exists: true }, alsoNested: true },
  http: { host: "::1", port: "0", allowedHosts: "any", allowedOrigins: ["x"], sessionIdleMs: 1, keepAliveMs: 1, streamAfterMs: 1, stallMs: 1 },
  auth: {
    tokens: [
      { token: "x-of-16-characters", expiresAt: "2027-01-31T12:00:00.5+01:00", principal: { type: "user", id: "x", claims: {} } },
      { sha256: "0".repeat(64), principal: { type: "service", id: "x" } },
    ],
    jwt: [
      {
        jwks: "x",
        issuer: "x",
        audience: ["x"],
        algorithms: ["RS256"],
        clockSkewMs: 0,
        maxTokenAgeMs: 1,
        idClaim: "x",
        principalType: "service",
        claims: ["x"],
        refreshMs: 1,
        maxAgeMs: 1,
        cooldownMs: 1,
        timeoutMs: 1,
      },
    ],
    anonymous: true,
    scopes: ["x"],
    metadata: { resource: "https://x.example", authorizationServers: ["x"], scopes: ["x"] },
  },
  audit: { file: "x", key: "x", maxFileBytes: 1, keepFiles: 1, sync: "each", maxQueued: 1, onFailure: "continue" },
  metrics: { host: "x", port: 1, allowedHosts: ["x"] },
  traces: { url: "https://x.example", headers: { A: "b" }, serviceName: "x", resource: { A: "b" }, maxQueued: 1, batch: 1, flushMs: 1, timeoutMs: 1, attempts: 1 },
  logs: { format: "json", level: "warn", base: { A: "b" } },
  stdio: "a",
  policy: {
    interceptNotifications: true,
    errorResponses: "pass",
    blockAs: "result",
    onSchemaBreak: "block",
    exposeMessages: true,
    exposeErrors: true,
    immutable: { "tools/call": ["/name"] },
    provenance: "pointers",
    chainTimeoutMs: 1,
    recordTimeoutMs: 1,
  },
  versions: ["2026-07-28"],
  drainMs: 1,
  parking: { replica: "x", maxParked: 1, maxParkedPerPrincipal: 1, parkMs: 1 },
  limits: DEFAULT_LIMITS,
};

function complaints(config: unknown): string {
  const problems = collectProblems("F", () => undefined);
  checkSchema(config, problems);
  try {
    problems.throwIfAny();
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "?";
  }
}

// Names of members, whatever they stand in; those of maps are the user's own.
function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) namesIn(item, names);
  else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      names.add(name);
      namesIn(inner, names);
    }
  }
  return names;
}

function declaredIn(value: unknown, names = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) declaredIn(item, names);
  else if (isObject(value)) {
    if (isObject(value["properties"])) for (const name of Object.keys(value["properties"])) names.add(name);
    for (const inner of Object.values(value)) declaredIn(inner, names);
  }
  return names;
}

it("what the type of a configuration takes, the schema takes", () => {
  assert.equal(complaints(WHOLE), "");
  // It looks.
  assert.equal(complaints({ ...WHOLE, drainMs: "1" }), "F: /drainMs must be an integer");
});

it("what the schema names, the type names", () => {
  const { Condition: _readByItself, ...definitions } = schema.$defs;
  const used = namesIn(WHOLE);
  assert.deepEqual([...declaredIn({ ...schema, $defs: definitions })].filter((name) => !used.has(name)), []);
});
