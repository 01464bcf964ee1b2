import assert from "node:assert/strict";
import { test } from "node:test";
import { endsInNumber, leadingIpv4, parseIpv4, parseIpv6, specialAddress } from "../../../src/library/uri/ip-address.ts";

const LOCALHOST = 0x7f00_0001;

test("reads an IPv4 address in every spelling", () => {
  for (const text of ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "0x7F.0.0x0.01", "017700000001"]) {
    assert.equal(parseIpv4(text), LOCALHOST, text);
  }
  assert.equal(parseIpv4("0"), 0);
  assert.equal(parseIpv4("0x"), 0);
  assert.equal(parseIpv4("255.255.255.255"), 0xffff_ffff);
  for (const text of ["", "256.1.1.1", "1.2.3.256", "1.2.3.4.5", "4294967296", "1..2", "1.2.3.", "08.1.1.1", "a", "1.2.3.4a", "-1", "1e3", "9".repeat(65)]) {
    assert.equal(parseIpv4(text), undefined, text);
  }
});

test("tells hosts that have to be addresses by their last label", () => {
  for (const host of ["1", "a.1", "example.0x", "1.2.3.0xff"]) assert.equal(endsInNumber(host), true, host);
  for (const host of ["a", "1.a", "example.com", "1.2.3.4x", "0xg"]) assert.equal(endsInNumber(host), false, host);
});

test("reads an IPv6 address, compressed and with IPv4 at its end", () => {
  assert.deepEqual(parseIpv6("::1"), [0, 0, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual(parseIpv6("::"), [0, 0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(parseIpv6("fe80::a:B"), [0xfe80, 0, 0, 0, 0, 0, 10, 11]);
  assert.deepEqual(parseIpv6("1:2:3:4:5:6:7:8"), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(parseIpv6("::ffff:127.0.0.1"), [0, 0, 0, 0, 0, 0xffff, 0x7f00, 1]);
  for (const text of ["", "1:2:3:4:5:6:7", "1::2::3", ":::", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "fe80::1%eth0", "::1.2.3", "1.2.3.4::", "::0x7f.0.0.1", "1:2:3:4:5:6:7:8::", `${"0:".repeat(30)}1`]) {
    assert.equal(parseIpv6(text), undefined, text);
  }
});

test("names what is no public address", () => {
  const of = (text: string) => specialAddress(parseIpv4(text) ?? parseIpv6(text) ?? assert.fail(text));
  const special: readonly [what: RegExp, ...addresses: string[]][] = [
    [/loopback/, "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::127.0.0.1", "::ffff:0:127.0.0.1"],
    [/private/, "10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "fec0::1", "64:ff9b:1::1", "2606:4700::5efe:10.0.0.1"],
    [/link-local/, "169.254.1.1", "fe80::1", "febf::1"],
    [/metadata/, "169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "::ffff:169.254.169.254"],
    [/shared/, "100.64.0.1", "100.127.255.255"],
    [/multicast/, "224.0.0.1", "239.255.255.255", "ff02::1"],
    [/this host/, "0.0.0.0", "0.1.2.3", "::"],
    [/tunnel/, "2002:7f00:1::", "2001::1", "2001:0:ffff::1"],
    [/documentation/, "192.0.2.1", "198.51.100.1", "203.0.113.9", "2001:db8::1"],
    [/benchmarks/, "198.18.0.1", "198.19.255.255"],
    [/reserved/, "240.0.0.1", "255.255.255.255", "192.0.0.1", "2001:2::1", "3fff::1", "5f00::1", "4000::1", "100::1"],
  ];
  for (const [what, ...addresses] of special) for (const address of addresses) assert.match(of(address) ?? "public", what, address);
  for (const address of ["8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0", "169.253.1.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"]) {
    assert.equal(of(address), undefined, address);
  }
});

test("finds the address that a name begins with", () => {
  assert.equal(leadingIpv4("127.0.0.1.example.com"), LOCALHOST);
  assert.equal(leadingIpv4("127-0-0-1.example.com"), LOCALHOST);
  for (const name of ["127-0.0-1.example.com", "x127-0-0-1.example.com", "1-2-3.example.com", "999-0-0-1.example.com", "127-0-0-1x.example.com"]) assert.equal(leadingIpv4(name), undefined, name);
});
