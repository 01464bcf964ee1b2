// What `program.ts` finds on any engine, where it is handed the globals that a host is made of.
const ERA = {
  tools: ["echo", "shell", "fails"],
  echoed: [[{ type: "text", text: "hello" }], "123"],
  refused: [-32602, "Interceptor validation failed"],
  failed: [true, [{ type: "text", text: "a tool failed outside" }]],
};

export const EXPECTED = {
  text: {
    duplicate: "duplicate_key",
    spliced: '{"big": 12345678901234567890, "price": 1.10, "name": "b"}',
    clone: { a: [1, { b: null }] },
  },
  schema: ["fits", "/n/1", "/n/0"],
  // NIST's digest of "abc".
  bytes: { utf8: [true, true], base64: "any text", sha256: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" },
  lines: { arrived: { jsonrpc: "2.0", id: 1, method: "ping" }, after: "the end", written: [{ id: 1, result: {} }, { id: null, code: -32700 }] },
  synchronous: ["success", "validation_failed", { content: [], _meta: { "com.example/order": "1" } }],
  chain: {
    statuses: ["success", "validation_failed", "validation_failed"],
    ran: ["no-shell true", "async true", "outside true"],
    response: ["success", { content: [], _meta: { "com.example/order": "123" } }],
  },
  failures: {
    thrown: ["validation_failed", "crashed: thrown outside"],
    rejected: ["validation_failed", "crashed: rejected outside"],
    nothing: ["mutation_failed", "malformed_result: a mutator must return a payload, or unchanged()"],
  },
  guarded: { handshake: { version: "2025-11-25", ...ERA }, stateless: { version: "2026-07-28", ...ERA } },
  remote: ["success", { content: [], _meta: { "com.example/order": "123" } }],
};
