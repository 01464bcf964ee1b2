// The verbs of the command line, loaded at once: it loads one when it is named, for which tests that are declared per verb cannot wait.
import { audit } from "../../src/cli/audit.ts";
import { bench } from "../../src/cli/bench.ts";
import { chain } from "../../src/cli/chain.ts";
import { check } from "../../src/cli/check.ts";
import { conformance } from "../../src/cli/conformance.ts";
import { doctor } from "../../src/cli/doctor.ts";
import { explain } from "../../src/cli/explain.ts";
import { fixtureAdapter } from "../../src/cli/fixture-adapter.ts";
import { fixtureServerVerb } from "../../src/cli/fixture-server.ts";
import { gateway } from "../../src/cli/gateway.ts";
import { init } from "../../src/cli/init.ts";
import { invoke } from "../../src/cli/invoke.ts";
import { list } from "../../src/cli/list.ts";
import { record } from "../../src/cli/record.ts";
import { replay } from "../../src/cli/replay.ts";
import { test } from "../../src/cli/test.ts";
import { vendor } from "../../src/cli/vendor.ts";
import { SUMMARIES, type ListedVerb } from "../../src/cli/verbs.ts";
import { wrap } from "../../src/cli/wrap.ts";

/** In the order of the help. */
export const VERBS: readonly ListedVerb[] = [wrap, gateway, check, list, invoke, chain, explain, test, record, replay, bench, doctor, init, vendor, audit, conformance, fixtureServerVerb, fixtureAdapter].map(
  (verb) => ({ ...verb, summary: SUMMARIES.get(verb.name) ?? "" }),
);
