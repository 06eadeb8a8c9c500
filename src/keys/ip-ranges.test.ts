/**
 * Guards a key's address list: only the listed ranges pass, in either spelling of an address, and
 * what is no address never does.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { IP_RANGE_PATTERN } from "../contract/ip-range-pattern.ts";
import { createIpMatcher, ipAllowed, parseIpRange } from "./ip-ranges.ts";

test("ranges and single addresses of both versions are read; anything else is not", () => {
  assert.deepEqual(parseIpRange("10.0.0.0/8"), { address: "10.0.0.0", prefix: 8, family: "ipv4" });
  assert.deepEqual(parseIpRange("192.0.2.7"), { address: "192.0.2.7", prefix: 32, family: "ipv4" });
  assert.deepEqual(parseIpRange("2001:DB8::/32"), {
    address: "2001:DB8::",
    prefix: 32,
    family: "ipv6",
  });
  assert.deepEqual(parseIpRange("::1"), { address: "::1", prefix: 128, family: "ipv6" });
  for (const text of [
    "",
    "10.0.0.0/33",
    "::/129",
    "10.0.0",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "example.com",
    "10.0.0.0/8/8",
    "010.0.0.1",
    " 10.0.0.1",
    "fe80::1%eth0",
    "1.2.3.4:80",
  ]) {
    assert.equal(parseIpRange(text), null, text);
  }
});

test("an address passes when a range holds it", () => {
  const ranges = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"];
  for (const ip of [
    "10.0.0.1",
    "10.255.255.255",
    "192.0.2.7",
    "2001:db8:1::5",
    "::ffff:10.1.2.3",
    "::ffff:a01:203",
    "2001:0DB8::1",
  ])
    assert.equal(ipAllowed(ranges, ip), true, ip);
  for (const ip of [
    "11.0.0.1",
    "192.0.2.8",
    "2001:db9::1",
    "::1",
    "::ffff:11.0.0.1",
    "",
    "unknown",
    "10.0.0.1, 10.0.0.2",
  ])
    assert.equal(ipAllowed(ranges, ip), false, ip);
  assert.equal(ipAllowed(["fe80::/10"], "fe80::1%eth0"), true);
  assert.equal(ipAllowed(["0.0.0.0/0"], "203.0.113.9"), true);
  assert.equal(ipAllowed([], "10.0.0.1"), false);
});

test("a matcher is asked as often as one likes, and gives what each question gives by itself", () => {
  const ranges = ["10.0.0.0/8", "no range", "::ffff:192.0.2.0/120", "2001:db8::/32"];
  const matches = createIpMatcher(ranges);
  const inside = ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.200", "2001:db8::1"];
  const outside = ["11.0.0.1", "192.0.3.1", "::10.1.2.3", "2001:db9::1", "", "no range"];
  for (const ip of [...inside, ...outside, ...inside])
    assert.deepEqual(
      [matches(ip), ipAllowed(ranges, ip)],
      [inside.includes(ip), inside.includes(ip)],
      ip,
    );
});

test("forms know a range by its pattern exactly as it is read here", () => {
  const pattern = new RegExp(IP_RANGE_PATTERN);
  const pieces = [
    "::",
    ":",
    "1",
    "db8",
    "00ff",
    "fffff",
    "192.0.2.7",
    "256.0.0.1",
    "01.2.3.4",
    "/",
    "0",
    "8",
    "32",
    "33",
    "128",
    "129",
    "g",
    "%eth0",
  ];
  let read = 0;
  for (let round = 0; round < 200_000; round++) {
    const text = Array.from({ length: 1 + (round % 11) }, (_, at) => {
      // Groups and colons by turns: or hardly anything would be an address.
      if (round % 2 === 0) return at % 2 === 0 ? "1" : Math.random() < 0.15 ? "::" : ":";
      return pieces[Math.floor(Math.random() * pieces.length)];
    }).join("");
    const ranged = Math.random() < 0.3 ? `${text}/${Math.floor(Math.random() * 140)}` : text;
    const range = parseIpRange(ranged);
    if (range !== null) read++;
    assert.equal(pattern.test(ranged), range !== null, ranged);
  }
  assert.ok(read > 1_000, String(read));
  assert.ok(pattern.test(" 10.0.0.1 "), "spaces around it are taken away");
});
