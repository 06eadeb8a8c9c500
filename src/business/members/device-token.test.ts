/**
 * Guards what browsers keep: it is worth something for the member that it was made for, as it was
 * made, and nothing else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import { createTokenHash, newOpaqueToken } from "../../kernel/opaque-token.ts";
import { newDeviceToken, readDeviceToken } from "./device-token.ts";

const hashToken = createTokenHash("a secret of at least thirty-two characters");

test("a device is known to its own member only, and cannot be made up", () => {
  const [memberId, another] = [newUuid(), newUuid()];
  const token = newDeviceToken(hashToken, memberId);
  const [device = "", signature = ""] = token.split(".");
  assert.equal(readDeviceToken(hashToken, memberId, token), device);
  assert.equal(readDeviceToken(hashToken, another, token), null);
  assert.equal(
    readDeviceToken(createTokenHash("another secret of thirty-two characters"), memberId, token),
    null,
  );
  for (const forged of [
    "",
    ".",
    device,
    `${device}.`,
    `.${signature}`,
    `${newOpaqueToken()}.${signature}`,
    `${device}.${signature.slice(1)}`,
    `${device}.${newOpaqueToken()}`,
  ]) {
    assert.equal(readDeviceToken(hashToken, memberId, forged), null, forged);
  }
});
