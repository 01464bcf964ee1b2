import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { admit, resolveVersions, supportedVersionsIn, type Session } from "../../../src/core/mcp/lifecycle.ts";
import { HANDSHAKE_VERSIONS, META, PROTOCOL_VERSIONS, STATELESS_VERSIONS } from "../../../src/core/wire/versions.ts";

const BOTH = resolveVersions();
const OLD = resolveVersions(HANDSHAKE_VERSIONS);
const NEW = resolveVersions(STATELESS_VERSIONS);
const MODERN = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {}, [META.clientInfo]: { name: "c", version: "1" } };
const HELLO = { protocolVersion: "2025-06-18", capabilities: { roots: {} }, clientInfo: { name: "c", version: "1" } };
const SESSION: Session = { version: "2025-03-26", info: { name: "c", version: "1" }, capabilities: {} };

describe("resolveVersions", () => {
  test("sorts newest first and splits by era", () => {
    const { handshake, stateless, all } = resolveVersions(["2024-11-05", "2026-07-28", "2025-11-25"]);
    assert.deepEqual([handshake, stateless, all], [["2025-11-25", "2024-11-05"], ["2026-07-28"], ["2026-07-28", "2025-11-25", "2024-11-05"]]);
  });
  for (const wanted of [[], ["2020-01-01"]]) {
    test(`refuses ${JSON.stringify(wanted)}`, () => assert.throws(() => resolveVersions(wanted), { code: "invalid_argument" }));
  }
});

describe("admit serves", () => {
  test("initialize with the modern _meta as a stateless request, which that era has no handler for; older servers do not look at it", () => {
    const params = { ...HELLO, _meta: MODERN };
    assert.deepEqual([BOTH, OLD].map((versions) => admit("initialize", params, undefined, versions).kind), ["request", "initialize"]);
  });
  for (const version of HANDSHAKE_VERSIONS) {
    test(`initialize with ${version} in that version`, () => {
      const admission = admit("initialize", { ...HELLO, protocolVersion: version }, undefined, BOTH);
      assert.deepEqual(admission, { kind: "initialize", session: { version, info: HELLO.clientInfo, capabilities: HELLO.capabilities } });
    });
  }
  for (const version of ["2026-07-28", "1999-01-01", ""]) {
    test(`initialize with ${JSON.stringify(version)} in the newest version that has a handshake`, () => {
      const admission = admit("initialize", { ...HELLO, protocolVersion: version }, undefined, BOTH);
      assert.equal(admission.kind === "initialize" && admission.session.version, "2025-11-25");
    });
  }
  test("initialize within the versions that its owner allows", () => {
    const admission = admit("initialize", HELLO, undefined, resolveVersions(["2025-03-26", "2026-07-28"]));
    assert.equal(admission.kind === "initialize" && admission.session.version, "2025-03-26");
  });
  test("a request of a session in its version", () => {
    assert.deepEqual(admit("tools/list", {}, SESSION, BOTH), { kind: "request", era: "handshake", version: "2025-03-26", client: SESSION });
  });
  for (const [name, session] of [["without a session", undefined], ["beside a session", SESSION]] as const) {
    test(`a request with the modern _meta by itself, ${name}`, () => {
      assert.deepEqual(admit("tools/list", { _meta: MODERN }, session, BOTH), {
        kind: "request", era: "stateless", version: "2026-07-28", client: { info: { name: "c", version: "1" }, capabilities: {} },
      });
    });
  }
  test("a modern request without clientInfo", () => {
    const { [META.clientInfo]: _left, ...meta } = MODERN;
    const admission = admit("tools/list", { _meta: meta }, undefined, BOTH);
    assert.equal(admission.kind === "request" && admission.client.info, undefined);
  });
  test("initialize with the modern _meta as any other request, unless it knows no modern revision", () => {
    const params = { ...HELLO, _meta: MODERN };
    const admission = admit("initialize", params, undefined, BOTH);
    assert.equal(admission.kind === "request" && admission.era, "stateless");
    assert.equal(admit("initialize", params, undefined, OLD).kind, "initialize");
  });
  test("ping before the handshake", () => {
    assert.equal(admit("ping", {}, undefined, BOTH).kind, "request");
  });
  test("a modern request by the session's rules where it knows no modern revision", () => {
    const admission = admit("tools/list", { _meta: MODERN }, SESSION, OLD);
    assert.equal(admission.kind === "request" && admission.era, "handshake");
  });
});

describe("admit refuses", () => {
  const rows: [string, [string, object, Session | undefined, typeof BOTH], number, RegExp][] = [
    ["a request before the handshake", ["tools/list", {}, undefined, BOTH], -32600, /initialize/],
    ["server/discover where it knows no modern revision", ["server/discover", { _meta: MODERN }, undefined, OLD], -32600, /initialize/],
    ["a second initialize", ["initialize", HELLO, SESSION, BOTH], -32600, /Already/],
    ["initialize without a version", ["initialize", { ...HELLO, protocolVersion: 5 }, undefined, BOTH], -32602, /protocolVersion/],
    ["initialize without capabilities", ["initialize", { ...HELLO, capabilities: [] }, undefined, BOTH], -32602, /capabilities/],
    ["initialize without a client's name", ["initialize", { ...HELLO, clientInfo: { version: "1" } }, undefined, BOTH], -32602, /clientInfo/],
    ["initialize where it knows no handshake, naming what it speaks", ["initialize", HELLO, undefined, NEW], -32022, /speaks 2026-07-28/],
    ["a request without _meta where it knows no handshake", ["tools/list", {}, undefined, NEW], -32602, /protocolVersion/],
    ["server/discover without _meta", ["server/discover", {}, undefined, BOTH], -32602, /protocolVersion/],
    ["an unknown version", ["tools/list", { _meta: { ...MODERN, [META.protocolVersion]: "2099-01-01" } }, undefined, BOTH], -32022, /2026-07-28, 2025-11-25/],
    ["a handshake version in _meta", ["tools/list", { _meta: { ...MODERN, [META.protocolVersion]: "2025-11-25" } }, SESSION, BOTH], -32022, /speaks/],
    ["a version that is no text", ["tools/list", { _meta: { ...MODERN, [META.protocolVersion]: 1 } }, undefined, BOTH], -32602, /protocolVersion/],
    ["missing client capabilities", ["tools/list", { _meta: { [META.protocolVersion]: "2026-07-28" } }, undefined, BOTH], -32602, /clientCapabilities/],
    ["client capabilities that are a list", ["tools/list", { _meta: { ...MODERN, [META.clientCapabilities]: [] } }, undefined, BOTH], -32602, /clientCapabilities/],
    ["a clientInfo without a version", ["tools/list", { _meta: { ...MODERN, [META.clientInfo]: { name: "x" } } }, undefined, BOTH], -32602, /clientInfo/],
  ];
  for (const [name, [method, params, session, versions], code, message] of rows) {
    test(name, () => {
      assert.throws(() => admit(method, params as never, session, versions), (error) => error instanceof RpcError && error.code === code && message.test(error.message));
    });
  }
  test("an unknown version with the list of those it knows", () => {
    assert.throws(() => admit("x", { _meta: { ...MODERN, [META.protocolVersion]: "1900-01-01" } }, undefined, BOTH), (error) => {
      assert.deepEqual((error as RpcError).data, { supported: [...PROTOCOL_VERSIONS], requested: "1900-01-01" });
      assert.deepEqual(supportedVersionsIn(error), PROTOCOL_VERSIONS);
      return true;
    });
  });
});

describe("supportedVersionsIn", () => {
  for (const [name, error] of [
    ["another code", new RpcError(-32602, "x", { supported: ["a"] })],
    ["no data", new RpcError(-32022, "x")],
    ["a list with other things", new RpcError(-32022, "x", { supported: ["a", 1] })],
    ["no RpcError", new Error("x")],
  ] as const) {
    test(`finds nothing in ${name}`, () => assert.equal(supportedVersionsIn(error), undefined));
  }
});
