import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../../src/gateway/config/problems.ts";
import type { Attribute, Span } from "../../../src/gateway/otlp-spans.ts";

export interface Folder {
  readonly path: string;
  /** Writes a file below the folder, and gives its path. */
  write(name: string, content: string | object): string;
  remove(): void;
}

/** A folder for one test. */
export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return file;
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** The lines of the `ConfigError` that something ends in, with `F` for the file and `D/` for its folder. */
export async function complaints(action: Promise<unknown>, file: string, folder: string): Promise<readonly string[]> {
  try {
    await action;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.message.split("\n").map((line) => line.replaceAll(file, "F").replaceAll(`${folder}/`, "D/"));
  }
  assert.fail("nothing was wrong");
}

export const INDEX = new URL("../../../src/index.ts", import.meta.url).href;

/** The command of test/cli's interceptor server: the validator `names`, which denies the tool `rm`. */
export const policyServer = (mode?: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../../cli/fixtures/interceptor-server.mjs", import.meta.url)), ...(mode === undefined ? [] : [mode])],
});

interface Export {
  readonly resourceSpans: readonly { readonly resource: { readonly attributes: readonly Attribute[] }; readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

export interface Collector {
  readonly url: string;
  /** What has arrived, with the headers that it came with. */
  readonly exports: readonly { readonly headers: IncomingHttpHeaders; readonly sent: Export }[];
  spans(): readonly Span[];
  close(): Promise<void>;
}

/** A collector of OpenTelemetry that takes all, on loopback. */
export async function startCollector(): Promise<Collector> {
  const exports: { readonly headers: IncomingHttpHeaders; readonly sent: Export }[] = [];
  const server = createServer((asked, answer) => {
    let body = "";
    asked.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    asked.on("end", () => {
      exports.push({ headers: asked.headers, sent: JSON.parse(body) as Export });
      answer.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    exports,
    spans: () => exports.flatMap(({ sent }) => sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
