// The program in a page of a headless Chromium, served on loopback:  chromium.ts CHROMIUM PROGRAM.js INPUTS.json
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

const [, , command, program, inputs] = process.argv;
const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/": ["text/html", '<!doctype html><meta charset="utf-8"><script type="module" src="program.js"></script>'],
  "/program.js": ["text/javascript", readFileSync(program!, "utf8")],
  "/inputs.json": ["application/json", readFileSync(inputs!, "utf8")],
};

const profile = mkdtempSync(join(tmpdir(), "runtimes-chromium-"));
const server = createServer((request, response) => {
  if (request.method === "POST") return void text(request).then((findings) => (response.end(), end(findings)));
  const [type, body] = FILES[request.url ?? ""] ?? [undefined, ""];
  response.writeHead(type === undefined ? 404 : 200, { "content-type": type ?? "text/plain" }).end(body);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
// No sandbox: the page is ours, and root may not have one.
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${profile}`, page];
const browser = spawn(command!, args, { stdio: "ignore", detached: true });
const ended = new Promise<void>((resolve) => browser.once("close", () => resolve()).once("error", () => resolve()));
void ended.then(() => end("the browser ended before it told anything"));

let told = false;
function end(findings: string): void {
  if (told) return;
  told = true;
  console.log(findings);
  browser.kill("SIGTERM");
  void ended.then(async () => {
    server.close();
    server.closeAllConnections();
    await removed(profile);
  });
}

/** The browser's helper processes outlive it for a moment and still write into its profile: they end first, and what they wrote meanwhile goes with the next try. */
async function removed(path: string): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    try {
      endHelpers();
      return rmSync(path, { recursive: true, force: true });
    } catch {
      await setTimeout(100);
    }
  }
  console.error(`${path} could not be removed`);
}

function endHelpers(): void {
  try {
    if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL");
  } catch {
    // None is left.
  }
}
