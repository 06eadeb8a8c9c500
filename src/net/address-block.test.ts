/**
 * Guards who is counted as one: an IPv4 address in whatever spelling, an IPv6 network whatever its
 * last half.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBlock } from "./address-block.ts";

test("IPv4 is itself, mapped too; of IPv6 the first half counts", () => {
  assert.equal(addressBlock("203.0.113.7"), "203.0.113.7");
  assert.equal(addressBlock("::ffff:203.0.113.7"), "203.0.113.7");
  assert.equal(addressBlock("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(addressBlock("2001:0DB8:1:2::1"), "2001:db8:1:2::/64");
  assert.notEqual(addressBlock("2001:db8:1:3::1"), addressBlock("2001:db8:1:2::1"));
  for (const none of ["", "localhost", "fe80::1%eth0x y"]) assert.equal(addressBlock(none), none);
});
