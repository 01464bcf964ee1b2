import assert from "node:assert/strict";
import { test } from "node:test";
import { deceptiveHost } from "../../../src/library/uri/deceptive-host.ts";
import { foldHost, parseHost } from "../../../src/library/uri/host.ts";

function judged(host: string) {
  const parsed = parseHost(foldHost(host) ?? "");
  assert.ok(parsed !== undefined, host);
  return deceptiveHost(parsed);
}

test("sees names of hosts that are not what they look like, in Punycode or not", () => {
  for (const host of ["g\u0456thub.com", "xn--gthub-n2e.com", "api.xn--gthub-n2e.com", "p\u0430ypal.example"]) assert.equal(judged(host), "mixed", host);
  for (const host of ["\u0430\u0440\u0440\u04cf\u0435.com", "xn--80ak6aa92e.com", "xn--gthub-n4a.com", "api.xn--gthub-n4a.com", "\u0261ithub.com"]) assert.equal(judged(host), "look-alike", host);
  for (const host of ["xn--.com", "xn--0.com"]) assert.equal(judged(host), "unreadable", host);
});

test("leaves names alone that are of one script", () => {
  for (const host of ["github.com", "m\u00fcnchen.de", "xn--mnchen-3ya.de", "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444", "xn--e1afmkfd.xn--p1ai", "\u4f8b\u3048.jp", "xn--fsq.com", "kap\u0131.com.tr", "stra\u00dfe.de", "\u00f8l.dk", "caf\u00e9.com", "10.0.0.1", "[::1]"]) assert.equal(judged(host), undefined, host);
});
