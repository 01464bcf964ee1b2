import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { bundle } from "../support/bundle.ts";
import { fixture } from "./run-cli.ts";

const posix = { skip: process.platform === "win32" };

test("an orphan whose thread is in an endless loop is killed, with all that it has started", posix, async () => {
  const child = spawn(process.execPath, [bundle(fixture("looping.ts"))], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  const patience = setTimeout(() => child.kill("SIGINT"), 15_000);
  // "close" comes when nobody holds its stdout any more.
  const signal = await new Promise((resolve) => child.once("close", (_code, how) => resolve(how)));
  clearTimeout(patience);
  assert.equal(signal, "SIGKILL");
});
