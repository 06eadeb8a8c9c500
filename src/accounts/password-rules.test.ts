/** Guards against the passwords that are tried first, and against refusing good ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { passwordMistake } from "./password-rules.ts";

const EMAIL = "anna.petrova@example.com";

test("too short, too long, the e-mail and what everybody tries are refused", () => {
  for (const password of [
    "",
    "short",
    "123456789",
    "x".repeat(201),
    EMAIL,
    EMAIL.toUpperCase(),
    "anna.petrova",
    "password123",
    "Password2026!",
    "passwordpassword",
    "qwertyuiop",
    "1q2w3e4r5t",
    "1234567890",
    "9876543210",
    "abcdefghijkl",
    "aaaaaaaaaaaa",
    "1111111111",
    "12121212121212",
    "йцукенгшщз",
    "пароль123456",
    "!!!admin!!!2026",
  ]) {
    assert.notEqual(passwordMistake(password, EMAIL), null, password);
  }
});

test("several words, chance, and words that only contain a common one are taken", () => {
  for (const password of [
    "correct horse battery staple",
    "k9$Vq2!mZx",
    "три весёлых мыши",
    "my secretary writes",
    "x7".repeat(2) + "bridge",
    "a".repeat(100) + "bc",
  ]) {
    assert.equal(passwordMistake(password, EMAIL), null, password);
  }
  assert.equal(passwordMistake("x1 ".repeat(60) + "yz", EMAIL), null);
});
