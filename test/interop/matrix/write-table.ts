// Measures the matrix, and writes its table into test/README.md; run it as `npm run test:interop` runs the tests, after a build.
import { measureAll } from "./measure.ts";
import { renderTable, writeTable } from "./table.ts";

const table = await renderTable(measureAll());
if (table.includes("✗")) {
  console.error(`${table}\nnot written, as something fails`);
  process.exitCode = 1;
} else writeTable(table);
