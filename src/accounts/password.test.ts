/**
 * Guards members' passwords: only the right one opens, the stored form tells nothing, and the hash
 * is real Argon2id.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword, newOneTimePassword, verifyPassword } from "./password.ts";

test("the password that was hashed opens, no other does", async () => {
  const password = newOneTimePassword();
  const stored = await hashPassword(password);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.ok(!stored.includes(password));
  assert.equal(await verifyPassword(password, stored), true);
  for (const wrong of ["", password.slice(1), `${password} `, password.toUpperCase()])
    assert.equal(await verifyPassword(wrong, stored), false, wrong);
});

test("the same password has another hash each time, and letters typed in another Unicode form are the same password", async () => {
  const [first, second] = [await hashPassword("пароль й"), await hashPassword("пароль й")];
  assert.notEqual(first, second);
  assert.equal(await verifyPassword("пароль й".normalize("NFD"), first), true);
});

test("a hash made by another Argon2id opens, so the form is the common one", async () => {
  // A test vector of the reference implementation: t = 2, m = 2^16 KiB, p = 1.
  const stored =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await verifyPassword("password", stored), true);
  assert.equal(await verifyPassword("Password", stored), false);
});

test("what is not a hash opens for nothing", async () => {
  for (const stored of [
    "",
    "password",
    "$argon2id$v=19$m=19456,t=2,p=1$$",
    "$argon2i$v=19$m=16,t=2,p=1$c29tZXNhbHQ$AAAA",
    "null",
  ]) {
    assert.equal(await verifyPassword("password", stored), false);
    assert.equal(await verifyPassword(stored, stored), false);
  }
});

test("a one-time password has 24 characters that cannot be mistaken for each other, and is new each time", () => {
  const passwords = new Set(Array.from({ length: 500 }, () => newOneTimePassword()));
  assert.equal(passwords.size, 500);
  for (const password of passwords) assert.match(password, /^[a-km-zA-HJ-NP-Z2-9]{24}$/);
});
