/** Guarantee: a challenge is good for one purpose, one browser, five minutes and one time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../kernel/faults.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { CHALLENGE_MS, challengeIn, newChallenge, takeChallenge } from "./passkey-challenge.ts";

const START = Date.parse("2026-11-28T00:00:00Z");
const OURS = { purpose: "log-in", browser: "b" } as const;

function world(secret = "s") {
  let now = START;
  const taken = new Set<string>();
  const never = async (): Promise<never> => assert.fail("it only notes");
  return {
    hashToken: createTokenHash(secret),
    clock: {
      now: () => new Date(now),
      pass: (ms: number): void => void (now += ms),
      monotonicMs: () => 0,
    },
    throttle: {
      tryTake: async ({ whom }: { readonly whom: string }) =>
        !taken.has(whom) && taken.add(whom).has(whom),
      take: never,
      takeFrom: never,
      forget: never,
    },
  };
}

const refused = (promise: Promise<void>): Promise<void> =>
  assert.rejects(promise, (error) => error instanceof Fault && error.code === "conflict");

test("it is taken once, where it was made for and while it is young", async () => {
  const deps = world();
  const challenge = newChallenge(deps, OURS);
  assert.ok(Buffer.from(challenge, "base64url").length >= 16);
  assert.notEqual(newChallenge(deps, OURS), challenge);
  await refused(takeChallenge(deps, { ...OURS, purpose: "add" }, challenge));
  await refused(takeChallenge(deps, { ...OURS, browser: "other" }, challenge));
  await refused(takeChallenge(world("another secret"), OURS, challenge));
  const bytes = Buffer.from(challenge, "base64url");
  for (const index of bytes.keys()) {
    const forged = Buffer.from(bytes);
    forged[index] = (forged[index] ?? 0) ^ 1;
    await refused(takeChallenge(deps, OURS, forged.toString("base64url")));
  }
  for (const odd of ["", `${challenge}=`, challenge.slice(1), "AAAA"])
    await refused(takeChallenge(deps, OURS, odd));
  await takeChallenge(deps, OURS, challenge);
  await refused(takeChallenge(deps, OURS, challenge));

  const old = newChallenge(deps, OURS);
  deps.clock.pass(CHALLENGE_MS);
  await refused(takeChallenge(deps, OURS, old));
});

test("what a browser sends is read, or is nothing", () => {
  const written = (data: unknown): string =>
    Buffer.from(JSON.stringify(data)).toString("base64url");
  assert.equal(challengeIn(written({ challenge: "abc" })), "abc");
  for (const odd of [written({}), written(null), written({ challenge: 1 }), "AA", ""])
    assert.equal(challengeIn(odd), "");
});
