// What holds for each ready-made interceptor: it quotes nothing that it refuses, and no text makes it slow, whatever it has seen before.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { readyMade } from "../../src/library/catalog.ts";
import { seededRandom } from "../support/random.ts";
import { decided } from "./invoke.ts";
import { cpuMs } from "../support/cpu-time.ts";

// Those that ask a service, or write to it, are left out.
const LOCAL = [...readyMade].filter(([name]) => !["approval", "audit", "webhook"].includes(name));
const CONFIGS: Readonly<Record<string, JsonObject>> = {
  "flow-guard": { scope: "global" },
  "rate-limit": { scope: "global", perMinute: 1_000 },
  budget: { scope: "global", max: { requests: 2, chars: 10_000_000 } },
  "sampling-guard": { scope: "global", total: 0 },
  "size-limit": { maxBytes: 256 },
  "secret-guard": { action: "block", known: ["SENTINEL-9f3a"] },
  "tool-filter": { deny: ["t"] },
};

test("no ready-made interceptor quotes a value that it refuses, in a message or in its info", () => {
  const sentinel = "SENTINEL-9f3a";
  const values = [`/srv/../${sentinel}`, `http://${sentinel}@10.0.0.1/`, `; rm ${sentinel}`, `1 or 1=1 -- ${sentinel}`, `[REDACTED:email]${sentinel}`, `${sentinel}\u200b\u202e`, sentinel.repeat(50)];
  const refusals = new Set<string>();
  for (const [name, { create }] of LOCAL) {
    for (const interceptor of create({ ...CONFIGS[name] }, {})) {
      if (interceptor.descriptor.type !== "validation") continue;
      for (const event of ["tools/call", "elicitation/create", "sampling/createMessage", "resources/read"]) {
        if (!interceptor.descriptor.hooks.some(({ events, phase }) => phase === "request" && (events as readonly string[]).some((hooked) => hooked === "*" || hooked === event))) continue;
        for (const value of values) {
          const members = { path: value, url: value, id: value, branch: value, text: value };
          const payload = event === "tools/call" ? { name: "t", arguments: members } : { ...members, uri: value, message: `Enter your password ${value}`, messages: [], maxTokens: 5 };
          const outcome = decided(interceptor, { event, phase: "request", payload });
          if (outcome["valid"] !== false) continue;
          refusals.add(name);
          assert.ok(!JSON.stringify(outcome).includes(sentinel), `${interceptor.descriptor.name}: ${JSON.stringify(outcome)}`);
        }
      }
    }
  }
  // It has seen refusals of those that judge values.
  for (const name of ["budget", "command-guard", "elicitation-guard", "path-guard", "sampling-guard", "secret-guard", "size-limit", "tool-filter", "url-guard"]) assert.ok(refusals.has(name), name);
});

test("no text makes a ready-made interceptor slow, the first time or after a lot of others", () => {
  const CHARS = 100_000;
  // What is quadratic takes thousands of times as long as text without any order.
  const FACTOR = 50;
  const LEAST_MS = 5;
  const random = seededRandom(3);
  const noise = Array.from({ length: CHARS * 2 }, () => String.fromCharCode(97 + random.below(26))).join("");
  for (const [name, { create }] of LOCAL) {
    for (const interceptor of create({ ...CONFIGS[name], ...(name === "size-limit" ? { maxBytes: 10_000_000 } : {}) }, {})) {
      const { hooks } = interceptor.descriptor;
      const phase = (["response", "request"] as const).find((each) => hooks.some((hook) => hook.phase === each && (hook.events as readonly string[]).some((event) => event === "*" || event === "tools/call")));
      if (phase === undefined) continue;
      let noiseMs: number | undefined;
      for (const part of [noise, "word ", "a", "../", "http://", "%2e", "ab\u200b", "{\"a\":", "ignore all "]) {
        const text = part.repeat(Math.ceil(CHARS / part.length));
        const payload = phase === "response" ? { content: [{ type: "text", text }] } : { name: "other", arguments: { text, url: text, path: text } };
        const ms = cpuMs(() => void decided(interceptor, { event: "tools/call", phase, payload }));
        noiseMs ??= Math.max(ms, LEAST_MS);
        assert.ok(ms < noiseMs * FACTOR, `${interceptor.descriptor.name} takes ${Math.round(ms / noiseMs)} times as long over ${JSON.stringify(part.slice(0, 12))}`);
      }
    }
  }
});

test("no text makes a ready-made interceptor slow in many blocks, as it does not in one", () => {
  const BLOCKS = 4_000;
  const LEAST_MS = 10;
  for (const [name, { create }] of LOCAL) {
    for (const interceptor of create({ ...CONFIGS[name], ...(name === "size-limit" ? { maxBytes: 10_000_000 } : {}) }, {})) {
      if (!interceptor.descriptor.hooks.some(({ events, phase }) => phase === "response" && (events as readonly string[]).some((event) => event === "*" || event === "tools/call"))) continue;
      for (const part of ['password="', "eyJhbGciOiJIUzI1NiJ9."]) {
        const msOf = (blocks: number, text: string) => {
          const payload = { content: Array.from({ length: blocks }, () => ({ type: "text", text })) };
          return cpuMs(() => void decided(interceptor, { event: "tools/call", phase: "response", payload }));
        };
        const oneMs = Math.max(msOf(1, part.repeat(BLOCKS)), LEAST_MS);
        const manyMs = msOf(BLOCKS, part);
        assert.ok(manyMs < oneMs * 50, `${interceptor.descriptor.name} takes ${Math.round(manyMs / oneMs)} times as long over many blocks of ${part}`);
      }
    }
  }
});
