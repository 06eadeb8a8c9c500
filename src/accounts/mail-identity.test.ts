/** Guards whom a gift is given to once: spellings of one mailbox are one, other mailboxes are others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mailIdentity } from "./mail-identity.ts";

test("tags, dots of Gmail and names of one service do not make another mailbox", () => {
  for (const [address, same] of [
    ["anna+1@example.com", "anna@example.com"],
    ["anna+a+b@EXAMPLE.com", "anna@example.com"],
    ["a.n.n.a+x@googlemail.com", "anna@gmail.com"],
    ["an.na@ya.ru", "an-na@yandex.ru"],
    ["anna@пример.рф", "anna@xn--e1afmkfd.xn--p1ai"],
    ["+tag@example.com", "+tag@example.com"],
  ] as const)
    assert.equal(mailIdentity(address), same);
  for (const [one, other] of [
    ["a.nna@example.com", "anna@example.com"],
    ["anna@gmail.com", "anna@example.com"],
    ["anna@sub.example.com", "anna@example.com"],
  ] as const)
    assert.notEqual(mailIdentity(one), mailIdentity(other));
});
