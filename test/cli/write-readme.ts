// Writes what the examples of src/cli/README.md print into it.
import { readFileSync, writeFileSync } from "node:fs";
import { withOutputs } from "../support/pages.ts";
import { README, runExamples } from "./readme-examples.ts";

const text = readFileSync(README, "utf8");
writeFileSync(README, withOutputs(text, await runExamples(text)));
