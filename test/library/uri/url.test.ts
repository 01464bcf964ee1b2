import assert from "node:assert/strict";
import { test } from "node:test";
import { hasUser, parseHostPort, parseUrl, schemeOf, type Unreadable, type UrlTarget, urlsIn } from "../../../src/library/uri/url.ts";

const shown = (target: UrlTarget | Unreadable | undefined) => (target === undefined ? "none" : "problem" in target ? "unreadable" : `${target.scheme} ${target.host?.name ?? "-"}`);

test("reads the scheme and host of a URL", () => {
  const cases: readonly [text: string, target: string][] = [
    ["http://example.com", "http example.com"],
    ["HTTPS://Example.COM:8443/a?b#c", "https example.com"],
    ["http://example.com?a@b", "http example.com"],
    ["http://[::1]:80/", "http [::1]"],
    ["mailto:a@b.com", "mailto -"],
    ["file:///etc/passwd", "file -"],
    ["file://server/share", "file server"],
    ["note://internal/1", "note internal"],
    ["urn:isbn:1", "urn -"],
    ["/path", "none"],
    ["", "none"],
    ["1http://a", "none"],
    ["a b://c", "none"],
  ];
  for (const [text, target] of cases) assert.equal(shown(parseUrl(text)), target, text);
});

test("refuses what parsers do not read alike", () => {
  const cases = ["http:example.com", "http:/example.com", "http:///example.com", "http:\\\\example.com", "http://a\\@b.com/", "http://a@b.com/", "http://a:b@c.com", "http://@a.com", "http://", "http:///", "http://a b.com", "http://a.com\t/", "http://a\n.com", "http://a.com:80a/", "http://a.com:123456/", "http://a.com::80/", `http://${"a".repeat(3_000)}`, "http://a\u0000.com", "http://%zz.com"];
  for (const text of cases) assert.equal(shown(parseUrl(text)), "unreadable", JSON.stringify(text));
});

test("reads a host and port without a scheme", () => {
  assert.equal(shown(parseHostPort("example.com:80/x")), "http example.com");
  assert.equal(shown(parseHostPort("//example.com")), "http example.com");
  assert.equal(shown(parseHostPort("[::1]:80")), "http [::1]");
  for (const text of ["", "not a host", "a@b", "a:b:c"]) assert.equal(shown(parseHostPort(text)), "unreadable", text);
});

test("finds URLs in text, cut where prose and markup cut them", () => {
  const cases: readonly [text: string, ...targets: string[]][] = [
    ["see http://a.com, then (https://b.com/x).", "http a.com", "https b.com"],
    ['<a href="http://a.com">http://b.com</a>', "http a.com", "http b.com"],
    ['{"url":"http://a.com","mail":"x@b.com"}', "http a.com", "http b.com"],
    ['http://a.com"@b.com/', "http a.com", "http b.com"],
    ["请看https://a.com。谢谢", "https a.com.谢谢"],
    ["jar:http://a.com!/x", "http a.com"],
    ["https://a.com/?u=http://b.com", "https a.com", "http b.com"],
    ["http:/a.com http:\\\\b.com", "http a.com", "http b.com"],
    ["http://a@b.com http://c.com\\@d.com", "unreadable", "unreadable"],
    ["http://[::1]/ [x](http://[fe80::1%25a]/)", "http [::1]", "unreadable"],
    ["http://1.2.3.4.5/", "unreadable"],
    ["gopher://a.com/", "gopher a.com"],
  ];
  for (const [text, ...targets] of cases) assert.deepEqual([...urlsIn(text)].map(shown), targets, text);
});

test("takes no other text for a URL", () => {
  for (const text of ["http://", "http://...", "http://…", "http://${host}/", "http://{host}/", "http://<host>/", "http://%s/x", "http: yes", "12:30", "a:/b", "xhttp://a.com", "C:\\x", "note://a.com", "std::vector", "// comment"]) {
    assert.deepEqual([...urlsIn(text)].map(shown), [], text);
  }
});

test("sees a user name before a space at the start of a text", () => {
  assert.equal(hasUser("http://a b@c.com/"), true);
  assert.equal(hasUser("http://a.com/ b@c.com"), false);
  assert.equal(schemeOf("HtTp://a"), "http");
});
