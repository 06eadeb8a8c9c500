/**
 * Guards key secrets: a typo is known without the database, and a secret never shows in what may be
 * read by others (contract §3).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
  classifyCredential,
  hashKeySecret,
  holdsKeySecret,
  maskKeySecret,
  newKeySecret,
  redactKeySecrets,
} from "./secrets.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a new secret has the published form, is its own, and is recognised", () => {
  const secrets = new Set(Array.from({ length: 500 }, () => newKeySecret()));
  assert.equal(secrets.size, 500);
  for (const secret of secrets) {
    assert.match(secret, /^tg_live_[0-9A-Za-z]{38}$/);
    assert.equal(classifyCredential(secret), "secret");
  }
});

test("the checksum is CRC-32 in base62, so that scanners written elsewhere agree", () => {
  assert.equal(
    classifyCredential(`tg_live_${"0".repeat(32)}${base62(crc32("0".repeat(32)))}`),
    "secret",
  );
});

test("one wrong character anywhere is a bad checksum, never another key", () => {
  fc.assert(
    fc.property(fc.nat(37), fc.nat(61), (position, letter) => {
      const secret = newKeySecret();
      const at = "tg_live_".length + position;
      const typo = secret.slice(0, at) + BASE62.charAt(letter) + secret.slice(at + 1);
      return classifyCredential(typo) === (typo === secret ? "secret" : "bad-checksum");
    }),
  );
});

test("mask, hash and other texts are told apart from secrets", () => {
  const secret = newKeySecret();
  assert.equal(classifyCredential(maskKeySecret(secret)), "mask");
  assert.equal(classifyCredential(maskKeySecret(secret).replace("…", "...")), "mask");
  assert.equal(classifyCredential(hashKeySecret(secret)), "hash");
  for (const text of [
    "",
    "sk-abc",
    secret.slice(0, -1),
    `${secret}x`,
    ` ${secret}`,
    `${secret}\n`,
    secret.toUpperCase(),
  ]) {
    assert.equal(classifyCredential(text), "other", JSON.stringify(text));
  }
});

test("the mask shows four characters at each end and no more", () => {
  const secret = newKeySecret();
  const mask = maskKeySecret(secret);
  assert.match(mask, /^tg_live_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$/);
  assert.ok(secret.startsWith(mask.slice(0, 12)) && secret.endsWith(mask.slice(-4)));
});

test("the hash is the SHA-256 of the secret, hex", () => {
  const secret = newKeySecret();
  assert.equal(hashKeySecret(secret), createHash("sha256").update(secret).digest("hex"));
});

test("no secret survives redaction, wherever it stands in a text", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), (between) => {
      const secrets = [newKeySecret(), newKeySecret()];
      const text = [
        ...between.flatMap((part, index) => [part, secrets[index % 2] ?? ""]),
        ...secrets,
      ].join(" ");
      const redacted = redactKeySecrets(text);
      return secrets.every(
        (secret) => !redacted.includes(secret) && redacted.includes(maskKeySecret(secret)),
      );
    }),
  );
});

/**
 * Written apart from the kernel's, bit by bit, after the definition (polynomial 0xEDB88320,
 * reflected).
 */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  let text = "";
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62))
    text = BASE62.charAt(rest % 62) + text;
  return text;
}

test("a secret in bytes is seen wherever one would be masked, and a mask is none", () => {
  const secret = newKeySecret();
  const piece = fc.oneof(
    fc.constantFrom(secret, maskKeySecret(secret), secret.slice(0, -1), "tg_live_", "x", "…"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      assert.equal(holdsKeySecret(Buffer.from(text)), redactKeySecrets(text) !== text);
    }),
  );
});
