import { VERSION } from "../core/base/version.ts";
import { serveAdapter } from "../conformance/adapter-server.ts";
import { ownTarget } from "../conformance/own-target.ts";
import { protectStdout, stdioTransport } from "../node/stdio.ts";
import { UsageError } from "./errors.ts";
import { defineVerb } from "./verb.ts";

/** `fixture-adapter`: answers until the kit goes. */
export const fixtureAdapter = defineVerb({
  name: "fixture-adapter",
  words: "none",
  usage: "",
  about: `Answers chain, descriptor and dialect vectors on stdio, out of this package's
own engine: what conformance --adapter is to be pointed at, done right.`,
  options: [],
  examples: ["mcp-interceptors conformance --adapter 'mcp-interceptors fixture-adapter'"],
  exit: "Exit code: 0 at the end of its input, 2 for a wrong word.",
  async action({ positionals }) {
    if (positionals.length > 0) throw new UsageError(`unexpected ${JSON.stringify(positionals[0])}`, "mcp-interceptors help fixture-adapter");
    protectStdout();
    await serveAdapter(stdioTransport(), ownTarget(), { name: "mcp-interceptors", version: VERSION, clock: "scripted" });
    return { code: 0 };
  },
});
