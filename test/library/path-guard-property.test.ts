import assert from "node:assert/strict";
import { posix, win32 } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pathGuard } from "../../src/library/path-guard.ts";
import { seededRandom, type Random } from "../support/random.ts";
import { verdictOnCall } from "./verdict-of.ts";

const PARTS = ["..", ".", "%2e%2e", "%2E.", "%252e%252e", "．．", "‥", "..;", ".. ", "a", "data", "srv", "etc", "", "%2f", "..%2f", "..%5c", "\u0000", "file:", "~", "%c0%ae", "..\\", "\u200b", "c:", "％2e."];
const SEPARATORS = ["/", "/", "/", "\\", "//", "%2f", "∕", "／"];

function randomPath({ pick, below }: Random, starts: readonly string[]): string {
  let text = pick(starts);
  for (let count = below(5); count > 0; count--) text += pick(PARTS) + (count > 1 ? pick(SEPARATORS) : "");
  return text;
}

/** Where a program may end up that decodes a path up to three times, and takes it for one of its system, from a folder of its own. */
function places(text: string, windows: boolean): readonly string[] {
  const found = new Set<string>();
  const add = (path: string) => {
    for (const written of [path, path.normalize("NFKC"), path.replaceAll("\\", "/")]) found.add(windows ? win32.resolve("D:\\cwd", written).toLowerCase() : posix.resolve("/cwd", written));
  };
  let current = /^file:/i.test(text) ? pathOfUri(text) : text;
  add(current);
  for (let round = 0; round < 3; round++) {
    try {
      add((current = decodeURIComponent(current)));
    } catch {
      break;
    }
  }
  return [...found];
}

function pathOfUri(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    // It takes no encoded slashes; others do.
    return new URL(text).pathname;
  }
}

function holds(config: { allow: readonly string[]; windows?: boolean }, starts: readonly string[], isInside: (place: string) => boolean): number {
  const guard = pathGuard(config);
  let inside = 0;
  for (let seed = 1; seed <= 20_000; seed++) {
    const path = randomPath(seededRandom(seed), starts);
    if (path === "" || verdictOnCall(guard, { path }) !== "pass") continue;
    inside++;
    // What Node's own functions make of it: an oracle that shares no code with src.
    for (const place of places(path, config.windows === true)) assert.ok(isInside(place), `seed ${seed}: ${JSON.stringify(path)} may lead to ${place}`);
  }
  return inside;
}

test("lets no path pass that leads out of the allowed folder in any reading", () => {
  const starts = ["/srv/data/", "/srv/data/", "/srv/data/", "file:///srv/data/", "/srv/data", "/", "", "\\srv\\data\\", "FILE:///srv/data/"];
  assert.ok(holds({ allow: ["/srv/data"] }, starts, (place) => place === "/srv/data" || place.startsWith("/srv/data/")) > 2_000);
});

test("lets no path of Windows pass that leads out of the allowed folder in any reading", () => {
  const starts = ["C:\\data\\", "c:/data/", "C:\\DATA\\", "C:\\data", "C:\\", "", "C:", "\\\\srv\\data\\"];
  assert.ok(holds({ allow: ["C:\\data"], windows: true }, starts, (place) => place === "c:\\data" || place.startsWith("c:\\data\\")) > 2_000);
});
