// Counts what a guard does, and writes the table into README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { measureCosts, withCosts } from "./cost-model.ts";
import { README_FILE } from "./results.ts";

writeFileSync(README_FILE, withCosts(readFileSync(README_FILE, "utf8"), measureCosts()));
