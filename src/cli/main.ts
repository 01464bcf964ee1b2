#!/usr/bin/env node
import { endProcess, ignoreBrokenPipes, reportForeignExit } from "./exit.ts";
import { run } from "./run.ts";

ignoreBrokenPipes();
reportForeignExit();
await endProcess(await run(process.argv.slice(2)));
