// Writes the public names to exports.json, once a change of them is meant:  node --import tsx test/structure/write-exports.ts
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exportList, PINNED } from "./exports.ts";

writeFileSync(PINNED, `${JSON.stringify(exportList(fileURLToPath(new URL("../..", import.meta.url))), undefined, 2)}\n`);
