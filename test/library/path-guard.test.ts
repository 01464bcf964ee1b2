import assert from "node:assert/strict";
import { test } from "node:test";
import { pathGuard } from "../../src/library/path-guard.ts";
import { assertLinear } from "./linear.ts";
import { verdictOf, verdictOnCall } from "./verdict-of.ts";

const guard = pathGuard({ allow: ["/srv/data", "C:\\data"] });

test("refuses in an argument that holds a path whatever leads out of the allowed ones", () => {
  for (const path of ["/etc/passwd", "/srv/database/x", "/srv", "docs/x", "../x", "/srv/data/../x", "/srv/data/%2e%2e/x", "/srv/data/%252e%252e/x", "/srv/data/‥/x", "~/x", "\\\\server\\x", "C:\\windows", "C:x", "file:///etc/passwd", "/srv/data/a\u0000"]) {
    for (const name of ["path", "filePath", "output_file", "dir", "paths", "FILENAME"]) assert.match(verdictOnCall(guard, { [name]: [path] }), /^\/arguments\/.*A path /, `${name}: ${path}`);
  }
});

test("lets paths under the allowed ones pass, in every encoding", () => {
  for (const path of ["/srv/data", "/srv/data/a b.txt", "/srv/data/a%20b.txt", "/srv//data/./x", "/srv/data/報告（最終）….pdf", "c:/DATA/x", "file:///srv/data/x", "/srv/data/100%", "/srv/data/..x", `data:text/plain,${"a".repeat(40_000)}`]) {
    assert.equal(verdictOnCall(guard, { path }), "pass", path);
  }
});

test("judges by what is allowed, too, a place that an argument of another name holds", () => {
  const places = ["/etc/cron.d/x", "/srv/data/../x", " /etc/x\n", "~", "~/x", "~root/x", "C:\\windows\\x", "c:/x", "\\\\server\\x", "//server/x", "file:///etc/x", "%2fetc%2fx", "\uff0fetc\uff0fx", "$HOME/x", "%TEMP%\\x", "./x", `/etc/${"./".repeat(3000)}x`];
  for (const place of places) for (const name of ["source", "destination", "src", "dst", "from", "to", "location", "root", "base", "outputs", "input"]) assert.match(verdictOnCall(guard, { [name]: [place] }), /A path /, `${name}: ${place}`);
  assert.match(verdictOnCall(guard, { destinations: { "/etc/x": 1 } }), /out of where/);
  assert.equal(verdictOnCall(guard, { source: "/srv/data/x", destination: "C:\\data\\y" }), "pass");
  assert.equal(verdictOnCall(pathGuard(), { source: "/tmp/x", to: "/help" }), "pass");
  const harmless = { from: "alice@example.com", to: "2026-01-01", source: "web", destination: "Berlin", input: "text with / slash", output: "a/b", base: "main", root: "", location: "// see below", src: "https://example.com/x", dst: "10.0.0.1/8", into: "~5 pm", repo: "ada/notes" };
  for (const [name, value] of Object.entries(harmless)) assert.equal(verdictOnCall(guard, { [name]: value }), "pass", name);
  assert.equal(verdictOnCall(guard, { input: { route: "/help" } }), "pass");
});

test("refuses the empty path where paths are allowed by list, and paths as names or in objects", () => {
  assert.match(verdictOnCall(guard, { path: "" }), /out of where/);
  assert.equal(verdictOnCall(pathGuard({ allow: ["."] }), { path: "" }), "pass");
  assert.equal(verdictOnCall(pathGuard(), { path: "", note: "" }), "pass");
  assert.equal(verdictOf(guard, { event: "completion/complete", phase: "request", payload: { ref: {}, argument: { name: "path", value: "" } } }), "pass");
  for (const args of [{ path: { value: "/etc/x" } }, { files: { "/etc/x": "text" } }, { files: [{ name: "/etc/x" }] }]) assert.match(verdictOnCall(guard, args), /out of where/, JSON.stringify(args));
  assert.match(verdictOnCall(pathGuard(), { any: { "../x": 1 } }), /upwards/);
  assert.match(verdictOnCall(pathGuard(), { any: { "/etc/shadow": 1 } }), /must not/);
  assert.equal(verdictOnCall(guard, { file: { path: "/srv/data/x", encoding: "utf8" }, files: { "/srv/data/x": "text" }, "a/b": 1 }), "pass");
});

test("refuses a step upwards under any name, and takes other text for what it is", () => {
  for (const value of ["../../etc/passwd", "images/../../etc/passwd", "/a/..", "%2e%2e%2fetc", "..%5cx", "file:///srv/data/../x"]) assert.match(verdictOnCall(guard, { value }), /A path /, value);
  const texts = ["/help", "/v1/users", "~approximately", "import x from '../y'", "see ../README.md and more", "https://example.com/a/../b", "1..5", "main..topic", "// comment", "line one\n../x", "and so on..", "C:\\Users", "a/b", "/regex/g", "..."];
  for (const value of texts) assert.equal(verdictOnCall(guard, { value }), "pass", value);
});

test("leaves arguments alone whose names say that they are texts", () => {
  for (const name of ["old_str", "newString", "q", "query", "file_text", "content", "contents", "commitMessage", "diff"]) {
    for (const value of ["../x", "a/b/../c", "/etc/shadow"]) assert.equal(verdictOnCall(pathGuard(), { [name]: value }), "pass", name);
    assert.match(verdictOnCall(pathGuard(), { [name]: "file:///etc/shadow" }), /must not/, name);
    assert.match(verdictOnCall(pathGuard({ arguments: [name] }), { [name]: "../x" }), /upwards/, name);
  }
  assert.equal(verdictOnCall(pathGuard(), { files: [{ path: "a", content: "../x" }] }), "pass");
  for (const name of ["query_path", "text_file", "value", "target", "pattern"]) assert.match(verdictOnCall(pathGuard(), { [name]: "../x" }), /upwards/, name);
});

test("refuses secret places unless told otherwise, by any name, whatever the case", () => {
  const plain = pathGuard();
  for (const path of ["/proc/self/environ", "/etc/shadow", "/home/me/.ssh/id_rsa", ".SSH/id_rsa", "C:\\Users\\me\\.aws\\credentials", "/ETC/Shadow", "/root/x", "/dev/sda", "/etc/shadow-", "/etc/sudoers.d/x", "/private/etc/shadow", "/PRIVATE/etc/sudoers.d/x", "/run/secrets/kubernetes.io/serviceaccount/token", "/var/run/secrets/x", "/private/var/run/docker.sock", "/etc/kubernetes/admin.conf", "/home/me/.vault-token"]) {
    assert.match(verdictOnCall(plain, { path }), /must not/, path);
    if (path.startsWith("/")) assert.match(verdictOnCall(plain, { anything: path }), /must not/, path);
  }
  for (const path of ["/home/me/ssh/x", "/home/me/.sshd", "/etc/hosts", "/srv/.aws", "a/b.txt", "/developer", "/etc/shadows", "/private/x", "/private/etc/hosts", "/private/root", "/run/lock", "/srv/etc/shadow"]) assert.equal(verdictOnCall(plain, { path }), "pass", path);
  assert.match(verdictOnCall(pathGuard({ deny: ["/private/etc"] }), { path: "/etc/hosts" }), /must not/);
  assert.equal(verdictOnCall(pathGuard({ deny: [] }), { path: "/etc/shadow" }), "pass");
  assert.match(verdictOnCall(pathGuard({ allow: ["/srv"], deny: ["/srv/secret", "private"] }), { path: "/srv/a/private/b" }), /must not/);
});

test("lets relative paths pass where they are allowed", () => {
  assert.equal(verdictOnCall(pathGuard({ allow: ["."] }), { path: "docs/x" }), "pass");
  assert.match(verdictOnCall(pathGuard({ allow: ["docs"] }), { path: "src/x" }), /out of where/);
  assert.equal(verdictOnCall(pathGuard(), { path: "docs/x" }), "pass");
  assert.match(verdictOnCall(pathGuard(), { path: "../x" }), /upwards/);
});

test("judges file URIs of resources, prompts and completions", () => {
  const judge = (event: string, payload: object) => verdictOf(guard, { event, phase: "request", payload });
  assert.match(judge("resources/read", { uri: "file:///etc/passwd" }), /^\/uri: A path leads out/);
  assert.equal(judge("resources/read", { uri: "file:///srv/data/x" }), "pass");
  assert.equal(judge("resources/read", { uri: "note://internal/1" }), "pass");
  assert.match(judge("prompts/get", { name: "x", arguments: { file: "/etc/passwd" } }), /^\/arguments\/file/);
  assert.match(judge("completion/complete", { ref: {}, argument: { name: "path", value: "/etc/" } }), /^\/argument\/value/);
});

test("refuses a step upwards in the URI of a resource, whatever its scheme", () => {
  const read = (uri: string, event = "resources/read") => verdictOf(pathGuard(), { event, phase: "request", payload: { uri } });
  const upwards = ["notes://../../etc/passwd", "res://x/../../etc/passwd", "resource:///../etc/shadow", "notes://a/%2e%2e/b", "xy:../a", "notes://a/%252e%252e/b", "notes://a\\..\\b", "notes://a/..", "notes://a/..;x/b", "notes://a/.\t./b", "notes://a/‥/b", "notes://a?file=../b", "notes://a/..%00", "https://example.com/a/../b", "notes://a/%c0%ae%c0%ae/b"];
  for (const uri of upwards) {
    assert.match(read(uri), /^\/uri: A path (?:leads upwards|has an escape that is no UTF-8)$/, uri);
    assert.match(read(uri, "resources/subscribe"), /A path/, uri);
  }
  for (const uri of ["notes://a/b", "git://repo/main..dev", "notes://a/...", "notes://a..b/c", "memo://insights", "echo://a%0Ab", "notes://100%", "https://example.com/a?b=c..d", "a:b", "notes://./a"]) assert.equal(read(uri), "pass", uri);
});

test("takes names of arguments and Windows from its config", () => {
  assert.match(verdictOnCall(pathGuard({ allow: ["/srv"], arguments: ["target*"] }), { target_place: "/etc" }), /out of/);
  assert.match(verdictOnCall(pathGuard({ windows: true }), { path: "docs/con" }), /device/);
  assert.equal(verdictOnCall(pathGuard(), { path: "docs/con" }), "pass");
  assert.equal(verdictOnCall(guard, { path: "/etc/x" }, { config: { allow: ["/etc"] } }), "pass");
  for (const entry of ["", "..", "~", "a*", "\\\\server"]) assert.throws(() => pathGuard({ allow: [entry] }), { code: "invalid_argument", message: /allow\[0\] must be a path/ });
});

test("takes time in proportion to the text", () => {
  assertLinear((text) => verdictOf(guard, { event: "resources/read", phase: "request", payload: { uri: `a:${text.slice(0, 30_000)}` } }), "a%20b/", ["../", "%25", ".", " ", ". "]);
  assertLinear((text) => [verdictOnCall(guard, { path: text.slice(0, 30_000), other: text })], "/srv/data/a%20b/", ["../", "%25", "%2e", ".", "/", "a/", "．", "%c3%a9", ". ", "~1", "..;", "\\", ":"]);
});

test("leaves an absolute path with a step upwards alone in an argument that is a text by its name, unless it is told that it holds a path", () => {
  const paths = ["/srv/../../etc/passwd", "/etc/shadow", "/srv/%2e%2e/x"];
  for (const path of paths) {
    for (const name of ["query", "q", "searchQuery", "content"]) {
      assert.equal(verdictOnCall(pathGuard(), { [name]: path }), "pass", `${name}: ${path}`);
      assert.match(verdictOnCall(pathGuard({ arguments: [name] }), { [name]: path }), /A path/, `${name}: ${path}`);
      assert.match(verdictOnCall(pathGuard({ arguments: ["*"] }), { [name]: path }), /A path/, `${name}: ${path}`);
    }
    assert.match(verdictOnCall(pathGuard(), { target: path }), /A path/, path);
  }
  assert.equal(verdictOnCall(pathGuard({ arguments: ["query"] }), { query: "/srv/data/x" }), "pass");
});
