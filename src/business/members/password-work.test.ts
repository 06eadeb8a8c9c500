/**
 * Guards the machine: however many passwords come at once, few are hashed at a time, and those
 * beyond a queue are sent away.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword } from "../../accounts/password.ts";
import { Fault } from "../../kernel/faults.ts";
import { createPasswordWork } from "./password-work.ts";

test("the right password is right, a wrong one is wrong, and so is any where no member has the e-mail", async () => {
  const work = createPasswordWork();
  const stored = await work.hash("correct horse battery");
  assert.equal(await work.verify("correct horse battery", stored), true);
  assert.equal(await work.verify("correct horse", stored), false);
  assert.equal(await work.verify("correct horse battery", null), false);
});

test("a flood is cut short: most are told to come back, and those that wait are served", async () => {
  const work = createPasswordWork();
  const stored = await hashPassword("x");
  const outcomes = await Promise.allSettled(
    Array.from({ length: 120 }, () => work.verify("x", stored)),
  );
  const served = outcomes.filter(
    (outcome) => outcome.status === "fulfilled" && outcome.value,
  ).length;
  const refused = outcomes.filter(
    (outcome) =>
      outcome.status === "rejected" &&
      outcome.reason instanceof Fault &&
      outcome.reason.code === "overloaded",
  ).length;
  assert.equal(served + refused, 120);
  assert.ok(served >= 50 && served <= 53, String(served));
  assert.equal(await work.verify("x", stored), true);
});
