import { audit } from "./audit.ts";
import { bench } from "./bench.ts";
import { chain } from "./chain.ts";
import { check } from "./check.ts";
import { conformance } from "./conformance.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { fixtureAdapter } from "./fixture-adapter.ts";
import { fixtureServerVerb } from "./fixture-server.ts";
import { gateway } from "./gateway.ts";
import { init } from "./init.ts";
import { invoke } from "./invoke.ts";
import { list } from "./list.ts";
import { record } from "./record.ts";
import { replay } from "./replay.ts";
import { test } from "./test.ts";
import { vendor } from "./vendor.ts";
import type { Verb } from "./verb.ts";
import { wrap } from "./wrap.ts";

/** All verbs that do something, in the order in which the help lists them. */
export const VERBS: readonly Verb[] = [
  wrap, gateway, check, list, invoke, chain, explain, test, record, replay, bench, doctor, init, vendor, audit, conformance, fixtureServerVerb, fixtureAdapter,
];
