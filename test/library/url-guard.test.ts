import assert from "node:assert/strict";
import { test } from "node:test";
import { urlGuard } from "../../src/library/url-guard.ts";
import { assertLinear } from "./linear.ts";
import { verdictOf, verdictOnCall } from "./verdict-of.ts";

const guard = urlGuard();

test("refuses an address that is a number, and one that is the name of a member", () => {
  for (const args of [{ url: 2130706433 }, { hosts: [167772161] }, { urls: { "http://10.0.0.1/": 1 } }, { hosts: { "10.0.0.1": {} } }, { any: { "http://localhost/": 1 } }]) assert.match(verdictOnCall(guard, args), /A URL reaches/, JSON.stringify(args));
  for (const args of [{ max_hosts: 3, id: 2130706433, url: 134744072 }, { webhook: { secret: "x", "example.com": 1 } }, { hosts: { "example.com": 5 } }]) assert.equal(verdictOnCall(guard, args), "pass", JSON.stringify(args));
});

test("refuses every spelling of an address that is not public, as an argument of any name and in a text", () => {
  const urls = [
    ...["http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1", "http://127.1", "http://１２７.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://[::1]/", "http://[::ffff:10.0.0.1]/"],
    ...["http://localhost./", "http://169.254.169.254/latest/meta-data/", "http://169。254。169。254/", "http://%31%36%39.254.169.254/", "HTTP://127.0.0.1", "http://0/", "https://10.0.0.1.nip.io/x"],
    ...["http://user@169.254.169.254/", "http://example.com@169.254.169.254/", "http://example.com\\@169.254.169.254/", "http:/127.0.0.1/", "http:\\\\127.0.0.1/", "gopher://example.com:6379/_x"],
  ];
  for (const url of urls) {
    assert.match(verdictOnCall(guard, { url }), /^\/arguments\/url: A URL /, url);
    assert.match(verdictOnCall(guard, { options: { anything: [url] } }), /^\/arguments\/options\/anything\/0: A URL /, url);
    assert.match(verdictOnCall(guard, { note: `fetch (${url}) now` }), /^\/arguments\/note: A URL /, url);
  }
});

test("refuses in an argument that holds a URL what names a host without a scheme", () => {
  for (const value of ["169.254.169.254", "localhost:8080", "//127.0.0.1/x", "\\\\server\\share", "db", "not a url", "file:///etc/passwd", "ftp://example.com", "http://a.com\n@127.0.0.1"]) {
    for (const name of ["url", "targetUrl", "webhook_url", "URLs", "host"]) assert.notEqual(verdictOnCall(guard, { [name]: [value] }), "pass", `${name}: ${value}`);
    if (!value.includes("://")) assert.equal(verdictOnCall(guard, { query: value }), "pass", value);
  }
});

test("refuses a bare address under the names of links, and that of cloud metadata under src", () => {
  for (const name of ["uri", "link", "callback", "redirect_uri", "redirectUris"]) {
    for (const value of ["169.254.169.254", "2852039166", "10.0.0.1", "127.0.0.1:8080/x", "//10.0.0.1/x", "169.254.169.254/latest/meta-data", "0x7f.0.0.1", "::1", "metadata.google.internal"]) assert.match(verdictOnCall(guard, { [name]: value }), /A URL reaches/, `${name}: ${value}`);
    for (const value of ["note://internal/1", "urn:x:1", "item-5", "123456789", "1.2.3", "1.2.3.4", "/docs/x", "example.com/a", "db", "a.b/c"]) assert.equal(verdictOnCall(guard, { [name]: value }), "pass", `${name}: ${value}`);
  }
  for (const src of ["169.254.169.254", 2852039166, "2852039166", "//169.254.169.254/x", "169.254.169.254/latest"]) assert.match(verdictOnCall(guard, { src }), /metadata/, String(src));
  for (const src of ["10.0.0.0/8", "10.0.0.1", "0.1.2.3", "src/main.ts", "eth0"]) assert.equal(verdictOnCall(guard, { src }), "pass", src);
});

test("joins what line breaks set apart at the start of a value", () => {
  assert.match(verdictOnCall(guard, { q: "ht\ntp://169.254.\n169.254/" }), /metadata/);
  assert.match(verdictOnCall(guard, { q: "http://1.1.1.1 @127.0.0.1/" }), /user name/);
  assert.equal(verdictOnCall(guard, { q: "http://example.com\nhttps://example.org\nmail a@b.com" }), "pass");
});

test("lets public URLs, relative ones, and other text pass", () => {
  const values = ["http://example.com/a?b=c@d", "https://example.com:8443/", "https://münchen.example/", "https://8.8.8.8/", "https://[2606:4700::1111]/", "/docs/x", "./x", "?a=b", "#top", "", "example.com", "example.com:443/x", "data:image/png;base64,AAAA", " https://example.com "];
  for (const url of values) assert.equal(verdictOnCall(guard, { url, other: url, note: `see ${url}.` }), "pass", url);
  const texts = ["10.0.0.1 is our router", "import x from '../y'", '{"url":"http://example.com","mail":"a@b.com"}', "std::vector<int>", "postgres://user:pw@db/x", "C:\\Users\\x", "note://internal/1", "use http://${host}:${port}/ or http://...", "12:30/13:00"];
  for (const note of texts) assert.equal(verdictOnCall(guard, { note }), "pass", note);
  assert.equal(verdictOnCall(guard, { count: 5, deep: { list: [null, true] } }), "pass");
  assert.equal(verdictOf(guard, { event: "tools/call", phase: "request", payload: { name: "x" } }), "pass");
});

test("judges prompts, completions and URIs of resources", () => {
  const judge = (event: string, payload: object) => verdictOf(guard, { event, phase: "request", payload });
  assert.match(judge("prompts/get", { name: "x", arguments: { url: "http://10.0.0.1" } }), /^\/arguments\/url: .*private/);
  assert.match(judge("completion/complete", { ref: {}, argument: { name: "url", value: "10.0.0.1" } }), /^\/argument\/value: .*private/);
  assert.match(judge("completion/complete", { ref: {}, argument: { name: "a", value: "" }, context: { arguments: { host: "10.0.0.1" } } }), /^\/context\/arguments\/host: .*private/);
  assert.match(judge("resources/read", { uri: "http://169.254.169.254/" }), /^\/uri: .*metadata/);
  assert.match(judge("resources/subscribe", { uri: "file:///etc/passwd" }), /scheme/);
  assert.equal(judge("resources/read", { uri: "note://internal/1" }), "pass");
});

test("takes hosts, schemes and argument names from its config", () => {
  const of = (config: object, args: Record<string, unknown>) => verdictOnCall(urlGuard(config), args);
  assert.equal(of({ allow: ["localhost"] }, { url: "http://localhost:3000/" }), "pass");
  assert.equal(of({ allow: ["127.0.0.1"] }, { url: "http://0x7f.1/" }), "pass");
  assert.match(of({ allow: ["127.0.0.1"], deny: ["127.0.0.1"] }, { url: "http://127.0.0.1/" }), /denied/);
  assert.match(of({ deny: ["*.example.com"] }, { url: "http://a.example.com/" }), /denied/);
  for (const host of ["[::ffff:1.1.1.1]", "[::ffff:101:101]", "[64:ff9b::101:101]"]) assert.match(of({ deny: ["1.1.1.1"] }, { url: `http://${host}/` }), /denied/, host);
  assert.match(of({ deny: ["10.8.8.8"], public: true }, { url: "http://010.8.8.8/" }), /denied/);
  assert.equal(of({ public: false, allow: ["*.example.com"] }, { url: "http://a.example.com/" }), "pass");
  assert.match(of({ public: false, allow: ["*.example.com"] }, { url: "http://example.org/" }), /not allowed/);
  assert.equal(of({ schemes: ["file"] }, { path: "file:///srv/a" }), "pass");
  assert.match(of({ schemes: ["https"] }, { url: "http://example.com/" }), /scheme/);
  assert.equal(of({ schemes: ["https"] }, { url: "example.com" }), "pass");
  assert.equal(of({ mentions: false }, { note: "see http://localhost:3000/" }), "pass");
  assert.match(of({ mentions: false }, { note: "http://localhost:3000/ is it" }), /private network/);
  assert.match(of({ mentions: false }, { url: "http://localhost:3000/" }), /private network/);
  assert.equal(of({ mentions: "metadata" }, { note: "see http://localhost:3000/, ws://a.example, http://10.0.0.1 and http://u@h.example/" }), "pass");
  assert.match(of({ mentions: "metadata" }, { run: "curl http://0xA9FEA9FE/latest" }), /metadata/);
  assert.match(of({ mentions: "metadata" }, { run: "see http://metadata.google.internal/computeMetadata" }), /metadata/);
  assert.equal(of({ mentions: "metadata", allow: ["169.254.169.254"] }, { run: "curl http://169.254.169.254/" }), "pass");
  assert.match(of({ mentions: "metadata" }, { note: "http://localhost:3000/" }), /private network/);
  assert.match(of({ arguments: ["target*"] }, { target_box: "10.0.0.1" }), /private/);
  assert.equal(verdictOnCall(guard, { url: "http://localhost/" }, { config: { allow: ["localhost"] } }), "pass");
});

test("refuses a wrong config with the member that is wrong", () => {
  for (const [config, message] of [
    [{ allow: ["a*"] }, /allow\[0\] must be a host/],
    [{ schemes: ["http:"] }, /schemes\[0\] must be a scheme/],
    [{ public: 1 }, /public must be true or false/],
    [{ mentions: "maybe" }, /mentions must be true, false or "metadata"/],
  ] as const) {
    assert.throws(() => urlGuard(config as object), { code: "invalid_argument", message });
  }
});

test("takes time in proportion to the text", () => {
  const run = (text: string) => [verdictOnCall(guard, { q: text }), verdictOnCall(guard, { url: text })];
  assertLinear(run, "See https://example.com/a for more, and ask. ", ["http://", "http:/", "a:", ":/", "http:\\", "/", "http://a@", "\"http://a@", "http:\t//", "http://a.", "ftp://１.", "a", "\n", "https://a.b/?"]);
});

test("refuses hosts whose names are not what they look like, as a value and in a text, unless they are allowed", () => {
  for (const host of ["g\u0456thub.com", "xn--gthub-n4a.com", "xn--80ak6aa92e.com"]) {
    for (const args of [{ url: `https://${host}/x` }, { host }, { note: `see https://${host}/x now` }]) assert.match(verdictOnCall(guard, args), /whose name (?:mixes scripts|looks like another)/, JSON.stringify(args));
    assert.equal(verdictOnCall(urlGuard({ allow: [host] }), { url: `https://${host}/x` }), "pass", host);
  }
  for (const host of ["m\u00fcnchen.de", "xn--mnchen-3ya.de", "xn--e1afmkfd.xn--p1ai"]) assert.equal(verdictOnCall(guard, { url: `https://${host}/x`, note: `https://${host}` }), "pass", host);
});

test("judges addresses under names of machines, and under names of addresses those of cloud metadata alone", () => {
  const guard = urlGuard();
  for (const address of ["169.254.169.254", "169.254.169.254:80", "0xa9fea9fe", "2852039166", "fd00:ec2::254", "[fd00:ec2::254]:80", "metadata.google.internal", "169\u3002254\u3002169\u3002254"]) {
    for (const name of ["ip", "ipAddress", "addr", "address", "server", "domain", "targets"]) assert.match(verdictOnCall(guard, { [name]: address }), /metadata/, `${name} ${address}`);
  }
  for (const address of ["10.0.0.1", "127.0.0.1:8080", "::1", "0x7f000001"]) {
    for (const name of ["server", "dnsServer", "domain", "origin"]) assert.match(verdictOnCall(guard, { [name]: address }), /^\/arguments\/.*: A URL reaches /, `${name} ${address}`);
    for (const name of ["ip", "ip_address", "remoteAddr", "note"]) assert.equal(verdictOnCall(guard, { [name]: address }), "pass", `${name} ${address}`);
  }
  const harmless = { address: "10 Downing Street, London", emailAddress: "ada@h.example", server: "db", domain: "corp.local", target: "src/main.ts", ip: "8.8.8.8", walletAddress: "0x52908400098527886E0F7030069857D2E4169EE7", servers: ["files", "mail.h.example"], peer: "10.2", upstream: "10.13.6", origin: "127.1", targets: [170000000, "167772161"] };
  assert.equal(verdictOnCall(guard, harmless), "pass");
  assert.equal(verdictOnCall(urlGuard({ allow: ["10.0.0.1"] }), { server: "10.0.0.1" }), "pass");
});
