/** Guards: who sees the panel as a customer does so by a session of its own, there alone, and for half an hour. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { newSeeAsGrant, readSeeAsGrant } from "./see-as-grant.ts";

const hashToken = createTokenHash("s".repeat(40));
const now = new Date("2026-11-27T12:00:00Z");
const until = new Date(now.getTime() + 1);
const [sessionId, accountId] = [newUuid(), newUuid()];
const grant = newSeeAsGrant(hashToken, sessionId, { accountId, until });

test("it is read back for its session, until its moment and not at it", () => {
  assert.deepEqual(readSeeAsGrant(hashToken, { sessionId, now }, grant), { accountId, until });
  assert.equal(readSeeAsGrant(hashToken, { sessionId, now: until }, grant), null);
});

test("another session, account, moment or secret, and whatever is no grant, opens nothing", () => {
  const [, , signature = ""] = grant.split(".");
  const later = until.getTime() + 60_000;
  for (const other of [
    `${newUuid()}.${until.getTime()}.${signature}`,
    `${accountId}.${later}.${signature}`,
    `${accountId}.${until.getTime()}.${"A".repeat(43)}`,
    `${grant}.`,
    `${grant}.x`,
    grant.slice(0, -1),
    "",
    "..",
  ])
    assert.equal(readSeeAsGrant(hashToken, { sessionId, now }, other), null, other);
  assert.equal(readSeeAsGrant(hashToken, { sessionId: newUuid(), now }, grant), null);
  const foreign = createTokenHash("t".repeat(40));
  assert.equal(readSeeAsGrant(foreign, { sessionId, now }, grant), null);
});
