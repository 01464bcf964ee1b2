// The program on Node, and on Deno and Bun, which read files as Node does:  on-node.ts INPUTS.json
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { measure } from "./program.ts";

console.log(await measure(readFileSync(argv[2]!, "utf8")));
