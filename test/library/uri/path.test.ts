import assert from "node:assert/strict";
import { test } from "node:test";
import { foldPathCase, hasSteps, isUnder, readPath } from "../../../src/library/uri/path.ts";

const read = (text: string, windows = false) => readPath(text, { windows });
const shown = (text: string, windows = false) => {
  const readings = read(text, windows);
  return "problem" in readings ? readings.problem : [...new Set(readings.map(({ root, steps }) => `${root}|${steps.join("/")}`))].join(" ");
};

test("reads root and steps of paths of all systems", () => {
  const cases: readonly [text: string, reading: string][] = [
    ["/srv/data/a.txt", "/|srv/data/a.txt"],
    ["/srv//data/./a.txt/", "/|srv/data/a.txt"],
    ["docs/a.txt", "|docs/a.txt"],
    ["./docs", "|docs"],
    [".", "|"],
    ["/", "/|"],
    ["C:\\Data\\A.txt", "C:|data/a.txt"],
    ["c:/data", "C:|data"],
    ["\\data\\a", "/|data/a |\\data\\a"],
    ["file:///srv/a%20b", "/|srv/a%20b /|srv/a b"],
    ["file://localhost/srv", "/|srv"],
    ["file:/srv", "/|srv"],
    ["file:///C:/Data", "C:|data"],
    ["file:///c|/data", "C:|data"],
    ["100%.txt", "|100%.txt"],
    ["a%20b", "|a%20b |a b"],
    ["/資料（案）.txt", "/|資料（案）.txt /|資料(案).txt"],
    ["...", "|..."],
    ["./...", "|..."],
    ["a..b/..c/d..", "|a..b/..c/d.."],
    ["~$report.docx", "|~$report.docx"],
    ["12:30.txt", "|12:30.txt"],
    ["aux.c", "|aux.c"],
    ["wait….txt", "|wait….txt |wait....txt"],
  ];
  for (const [text, reading] of cases) assert.equal(shown(text), reading, text);
});

test("sees a step upwards in every encoding", () => {
  const upwards = [
    ...["..", "../x", "a/../b", "a/..", "..\\x", "/srv/../etc", "C:\\a\\..\\b", ".. /x", ". ./x", "../", "..;/x", "a/..;x=1/b"],
    ...["%2e%2e/x", "%2e%2e%2fx", "..%2fx", "..%5cx", "%252e%252e%252fx", "%25252e%25252e/x", ".%2e/x", "%2E./x", "％2e％2e/x"],
    ...["．．/x", "‥/x", "․․/x", "..∕x", "..⁄x", "..＼x", ".\u200b./x", ".\u{e0100}./x", ".\u{1d173}./x", "%ef%bc%8e%ef%bc%8e/x"],
    ...["file:///srv/../etc", "file:///srv/%2e%2e/etc", "a/.. ../x"],
  ];
  for (const text of upwards) assert.equal(shown(text), "leads upwards", JSON.stringify(text));
});

test("refuses what is somewhere else than it looks", () => {
  const cases: readonly [problem: RegExp, ...texts: string[]][] = [
    [/control character/, "a\u0000.txt", "a%00.txt", "a\nb", "file:///a%00"],
    [/another host/, "\\\\server\\share", "//server/share", "\\\\?\\C:\\x", "\\\\.\\pipe\\x", "file://server/share", "%5c%5cserver/x", "/%2fserver"],
    [/home directory/, "~", "~/x", "~root/x", "%7e/x"],
    [/variable/, "$HOME/x", "${HOME}/x", "%USERPROFILE%\\x"],
    [/relative to a drive/, "C:x", "c:..\\x"],
    [/stream/, "a.txt::$DATA", "C:\\a.txt:evil", "a\\b:c"],
    [/device/, "C:\\con", "a\\NUL", "a\\com1.txt", "a\\aux .x"],
    [/dot or a space/, "C:\\data.\\x", "a\\b .", "C:\\x. "],
    [/short name/, "C:\\PROGRA~1\\x"],
    [/no UTF-8/, "%c0%ae%c0%ae/x", "%ff", "%u002e%u002e/x"],
    [/too many times/, "%2525252525252e"],
    [/query or fragment/, "file:///a?b", "file:///a#b"],
    [/cannot be read/, "file://a@b/c", "file://a b/c"],
    [/too long/, "a".repeat(40_000)],
  ];
  for (const [problem, ...texts] of cases) for (const text of texts) assert.match(shown(text), problem, JSON.stringify(text));
  for (const text of ["con", "docs/nul.txt", "docs/a:b", "PROGRA~1"]) assert.match(shown(text, true), /device|stream|short/, text);
});

test("compares by whole steps", () => {
  const path = (text: string) => {
    const readings = read(text);
    return "problem" in readings ? assert.fail(text) : readings[0]!;
  };
  assert.equal(isUnder(path("/srv/data/a"), path("/srv/data")), true);
  assert.equal(isUnder(path("/srv/data"), path("/srv/data/")), true);
  assert.equal(isUnder(path("/srv/database"), path("/srv/data")), false);
  assert.equal(isUnder(path("/srv"), path("/srv/data")), false);
  assert.equal(isUnder(path("srv/data"), path("/srv")), false);
  assert.equal(isUnder(path("docs/a"), path(".")), true);
  assert.equal(isUnder(path("/anything"), path("/")), true);
  assert.equal(isUnder(path("c:\\DATA\\x"), path("C:/data")), true);
  assert.equal(isUnder(path("/SRV/x"), path("/srv")), false);
  assert.equal(isUnder(foldPathCase(path("/SRV/x")), path("/srv")), true);
  assert.equal(hasSteps(path("/home/me/.aws/credentials"), [".aws", "credentials"]), true);
  assert.equal(hasSteps(path("/home/me/.aws/x/credentials"), [".aws", "credentials"]), false);
});
