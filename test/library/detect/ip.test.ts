import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "./found.ts";

const ADDRESSES: readonly [text: string, address?: string][] = [
  ["192.0.2.1"],
  ["10.0.0.1"],
  ["127.0.0.1"],
  ["255.255.255.255"],
  ["0.0.0.0"],
  ["from 192.0.2.1.", "192.0.2.1"],
  ["192.0.2.1:8080", "192.0.2.1"],
  ["http://192.0.2.1/x", "192.0.2.1"],
  ["10.0.0.0/8", "10.0.0.0"],
  ["(192.0.2.1)", "192.0.2.1"],
  ["ip=192.0.2.1,", "192.0.2.1"],
  ["user@[192.0.2.1]", "192.0.2.1"],
  ["１９２．０．２．１"],
  ["2001:db8::1"],
  ["2001:db8::"],
  ["2001:0db8:85a3:0000:0000:8a2e:0370:7334"],
  ["abcd:abcd:abcd:abcd:abcd:abcd:abcd:abcd"],
  ["1:2:3:4:5:6:7:8"],
  ["fe80::1"],
  ["fe80::1%eth0"],
  ["2001:DB8::A"],
  ["::ffff:192.0.2.1"],
  ["64:ff9b::192.0.2.33"],
  ["http://[2001:db8::1]:80/", "2001:db8::1"],
  ["at 2001:db8::1: refused", "2001:db8::1"],
  ["ip:2001:db8::1", "2001:db8::1"],
  ["host:2001:db8::1,", "2001:db8::1"],
  ["name:2001:db8::1", "2001:db8::1"],
  ["2001:db8::/32", "2001:db8::"],
  ['"2001:db8::1"', "2001:db8::1"],
];

const OTHERS: readonly string[] = [
  "1.2.3",
  "v1.2.3.4",
  "1.2.3.4.5",
  "1.3.6.1.4.1.311",
  "256.1.1.1",
  "1.2.3.256",
  "120.0.6099.109",
  "01.02.03.04",
  "1.2.3.4a",
  "1..2.3.4",
  "1.2.3.",
  "RFC 7231 sec 3.1.1.1",
  "rfc5280#section-4.2.1.3",
  "see §4.2.1.3",
  "std::vector",
  "std::decade",
  "a::b",
  "db::add",
  "Foo::bar",
  "beef::cafe",
  "x[::2]",
  "x[::-1]",
  "x[1::2]",
  "::",
  "::1",
  "12:30:45",
  "12:30",
  "01:23:45:67:89:ab",
  "2024-01-02T03:04:05",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "2001:db8::1::2",
  "2001:db8:::1",
  "12345::1",
  "xfe80::1",
  "fe80::12345",
  "fe80::1g",
  "note: this",
];

test("finds IPv4 and IPv6 addresses, compressed, mapped, with ports and zones around", () => {
  for (const [text, address = text] of ADDRESSES) assert.deepEqual(found("ip", text), [address], text);
});

test("takes no version, scope, slice, time or hardware address for an IP address", () => {
  for (const text of OTHERS) assert.deepEqual(found("ip", text), [], text);
});
