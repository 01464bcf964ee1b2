import { audit } from "./audit.ts";
import { bench } from "./bench.ts";
import { chain } from "./chain.ts";
import { check, CHECK_OPTIONS } from "./check.ts";
import { conformance, CONFORMANCE_OPTIONS } from "./conformance.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { serveOwnAdapter } from "./fixture-adapter.ts";
import { FIXTURE_SERVER_OPTIONS, serveFixtures } from "./fixture-server.ts";
import { gateway, GATEWAY_OPTIONS } from "./gateway.ts";
import { init } from "./init.ts";
import { invoke } from "./invoke.ts";
import { list } from "./list.ts";
import { record } from "./record.ts";
import { replay } from "./replay.ts";
import { test } from "./test.ts";
import type { Verb } from "./verb.ts";
import { wrap, WRAP_OPTIONS } from "./wrap.ts";

/** All verbs that do something, in the order in which the help lists them. */
export const VERBS: readonly Verb[] = [
  { name: "wrap", summary: "put interceptors in front of an MCP server on stdio", options: WRAP_OPTIONS, words: "none", run: wrap },
  { name: "gateway", summary: "serve MCP servers through interceptors, as a file says", options: GATEWAY_OPTIONS, words: "file", run: gateway },
  { name: "check", summary: "check such a file, and print what is guarded by what", options: CHECK_OPTIONS, words: "file", run: check },
  list,
  invoke,
  chain,
  explain,
  test,
  record,
  replay,
  bench,
  doctor,
  init,
  audit,
  { name: "conformance", summary: "measure an implementation against the vectors of SEP-2624", options: CONFORMANCE_OPTIONS, words: "none", run: conformance },
  { name: "fixture-server", summary: "a server that hosts the interceptors of those vectors", options: FIXTURE_SERVER_OPTIONS, words: "none", run: serveFixtures },
  { name: "fixture-adapter", summary: "a program that answers vectors about chains with our engine", options: [], words: "none", run: serveOwnAdapter },
];
