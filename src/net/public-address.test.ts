/**
 * Protects: only ranges that mean something are taken, and no text that is not an address counts as
 * one.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isAllowedAddress,
  isReachable,
  isSameAddress,
  parseRange,
  parseRanges,
} from "./public-address.ts";

const NONE = { allow: [], deny: [] };

test("a range is a block or one address, of either family", () => {
  for (const text of [
    "10.0.0.0/8",
    "10.0.0.1",
    "0.0.0.0/0",
    "fd00::/8",
    "::1",
    "::1/128",
    "::ffff:10.0.0.0/104",
  ]) {
    assert.notEqual(parseRange(text), null, text);
  }
  for (const text of [
    "",
    "10/8",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "10.0.0.0/x",
    "fd00::/129",
    "::ffff:10.0.0.0/64",
    "example.com",
    "0x7f.1",
    "[::1]",
  ]) {
    assert.equal(parseRange(text), null, text);
  }
  assert.throws(
    () => parseRanges(["10.0.0.0/8", "everything"]),
    /"everything" is not an address range/,
  );
});

test("a mapped range is the IPv4 range that it maps", () => {
  const policy = { allow: parseRanges(["::ffff:10.0.0.0/104"]), deny: [] };
  assert.ok(isReachable("10.9.9.9", policy));
  assert.ok(isReachable("::ffff:10.9.9.9", policy));
  assert.ok(!isReachable("11.0.0.1", { allow: policy.allow, deny: parseRanges(["11.0.0.0/8"]) }));
});

test("what is no address is not reachable", () => {
  for (const text of [
    "",
    "example.com",
    "2130706433",
    "0x08080808",
    "8.8.8",
    "8.8.8.8.",
    " 8.8.8.8",
    "8.8.8.8:80",
    "[2606:4700:4700::1111]",
  ]) {
    assert.ok(!isReachable(text, NONE), text);
    assert.ok(
      !isAllowedAddress(text, { allow: parseRanges(["0.0.0.0/0", "::/0"]), deny: [] }),
      text,
    );
  }
  for (const text of [
    "8.8.8.8",
    "2606:4700:4700::1111",
    "2a00:1450:4010:c0f::8a",
    "::ffff:8.8.8.8",
  ])
    assert.ok(isReachable(text, NONE), text);
});

test("addresses are compared by what they are, not by how they are written", () => {
  assert.ok(isSameAddress("127.0.0.1", "::ffff:127.0.0.1"));
  assert.ok(isSameAddress("2606:4700:0:0:0:0:0:1", "2606:4700::1"));
  assert.ok(!isSameAddress("127.0.0.1", "127.0.0.2"));
  assert.ok(!isSameAddress("", ""));
});
