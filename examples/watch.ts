// Watching a guard: what happens step by step, who wrote which field, what an interceptor gets to see, and what is covered.
//   node --import tsx -C mcp-interceptors-source examples/watch.ts
import {
  formatCoverage,
  guardCoverage,
  guardServer,
  localChain,
  McpClient,
  McpServer,
  memoryPair,
  mutator,
  validator,
  writersOf,
  type Decision,
  type GuardEvent,
} from "mcp-interceptors";
import { check } from "./self-check.ts";

const calls = [{ events: ["tools/call"], phase: "request" }] as const;
const seen: unknown[] = [];
// Somebody else's interceptor, which needs the tool's name and nothing more.
const quota = validator({ name: "quota", hooks: calls }, ({ payload }) => seen.push(payload.arguments) > 0);
const units = mutator({ name: "units", hooks: calls }, ({ payload }) => ({ ...payload, arguments: { ...payload.arguments, units: "metric" } }));

const chain = await localChain([quota, units], {
  overrides: { quota: { grants: { read: ["/name"] } }, units: { grants: { write: ["/arguments"] } } },
});
const server = new McpServer({ name: "weather", version: "1.0.0" });
server.tool({ name: "get_weather", inputSchema: { type: "object" } }, ({ location, units }) => `Sunny in ${String(location)}, in ${String(units)} units`);

const steps: string[] = [];
const decisions: Decision[] = [];
guardServer(server, chain, {
  policy: { provenance: "pointers", immutable: { "tools/call": ["/name"] } },
  observe(event: GuardEvent) {
    steps.push("interceptor" in event ? `${event.kind} ${event.interceptor}` : event.kind);
    if (event.kind === "passed" || event.kind === "blocked") decisions.push(event.decision);
  },
});

const [near, far] = memoryPair();
const client = new McpClient({ name: "watch", version: "1.0.0" });
const serving = server.connect(far);
await client.connect(near);
const { content } = await client.callTool({ name: "get_weather", arguments: { location: "Oslo" } });

check("the call was changed on its way", content, [{ type: "text", text: "Sunny in Oslo, in metric units" }]);
check("each step was told", steps, ["planned", "invoked quota", "verdict quota", "invoked units", "mutated units", "invoked quota", "verdict quota", "passed"]);
check("what was not granted came as a digest", seen.map((value) => /^digest:[0-9a-f]{32}$/.test(String(value))), [true, true]);
const writers = decisions.map((decision) => writersOf(decision, "/arguments/units").writers.map(({ interceptor }) => interceptor));
check("the decision says who wrote the units", writers, [["units"]]);
const coverage = guardCoverage(chain, { role: "server" });
check("the counters are live", coverage.interceptors.map(({ address, runs, changed }) => [address, runs, changed]), [["local/quota", 2, 0], ["local/units", 1, 1]]);
console.log(`\n${formatCoverage(coverage)}`);

await client.close();
await (await serving).close();
