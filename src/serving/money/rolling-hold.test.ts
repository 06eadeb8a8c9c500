/**
 * Protects: a hold grows before what it pays for is delivered, one extension at a time, and a
 * refusal is believed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { ExtendRequest, ExtendVerdict } from "../../ledger/hold-verdicts.ts";
import { ABSENT_USAGE } from "../../protocol/usage-reading.ts";
import { createRollingHold } from "./rolling-hold.ts";

const PER_TOKEN = 10n;

/** A ledger of one hold over a purse of a fixed size. */
function purse(available: bigint, held: bigint) {
  const asked: ExtendRequest[] = [];
  let inFlight = 0;
  let most = 0;
  return {
    asked,
    get most() {
      return most;
    },
    async extend(request: ExtendRequest): Promise<ExtendVerdict> {
      inFlight += 1;
      most = Math.max(most, inFlight);
      asked.push(request);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      if (request.addNano > available) return { kind: "refused", heldNano: held as Nano };
      available -= request.addNano;
      held += request.addNano;
      return { kind: "extended", heldNano: held as Nano };
    },
  };
}

function rollingHoldOf(
  ledger: ReturnType<typeof purse>,
  coveredTokens: number,
  limitTokens: number,
) {
  return createRollingHold(
    {
      extend: (request) => ledger.extend(request),
      priceAt: (tokens) => (BigInt(tokens) * PER_TOKEN) as Nano,
      // A letter is a token.
      priceStoppedAt: async ({ text }) => (BigInt(text.length) * PER_TOKEN) as Nano,
      record: () => ({ recordedNano: 7n as Nano, detail: "{}" }),
    },
    {
      holdId: newUuid(),
      heldNano: (BigInt(coveredTokens) * PER_TOKEN) as Nano,
      coveredTokens,
      limitTokens,
    },
  );
}

test("growing covers what was asked for, and the held amount follows the ledger", async () => {
  const ledger = purse(1_000_000n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 10_000);
  assert.equal(rollingHold.covers(101), false);
  assert.equal(await rollingHold.grow(101), "covered");
  assert.ok(rollingHold.covers(101));
  assert.equal(rollingHold.heldNano, BigInt(rollingHold.coveredTokens) * PER_TOKEN);
});

test("with little money left the smallest step is tried before the stream is given up", async () => {
  const ledger = purse(650n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 10_000);
  assert.equal(await rollingHold.grow(101), "covered");
  assert.equal(rollingHold.coveredTokens, 165);
  assert.equal(await rollingHold.grow(166), "refused");
  assert.equal(rollingHold.covers(166), false);
});

test("a long answer raises its hold by a bounded step, and no longer by as much as it has", async () => {
  const ledger = purse(1_000_000_000n, 0n);
  const rollingHold = rollingHoldOf(ledger, 30_000, 1_000_000);
  await rollingHold.grow(30_000);
  assert.equal(rollingHold.coveredTokens, 30_000 + 8192);
});

test("a refusal tells what the hold is, which may be more than was known", async () => {
  const rollingHold = rollingHoldOf(purse(0n, 1500n), 100, 10_000);
  assert.equal(await rollingHold.coverAmount(1400n as Nano), true);
  assert.equal(rollingHold.heldNano, 1500n);
});

test("the hold never passes the limit's price, and at the limit everything is covered", async () => {
  const ledger = purse(1_000_000n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 150);
  assert.equal(await rollingHold.grow(120), "covered");
  assert.equal(rollingHold.heldNano, 1500n);
  assert.ok(rollingHold.covers(1_000_000));
});

test("extensions of one hold never overlap", async () => {
  const ledger = purse(1_000_000n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 100_000);
  await Promise.all([
    rollingHold.grow(150),
    rollingHold.grow(900),
    rollingHold.save(),
    rollingHold.grow(4000),
  ]);
  assert.equal(ledger.most, 1);
  assert.ok(rollingHold.covers(4000));
});

test("a hold that another process has settled is reported as lost", async () => {
  const rollingHold = createRollingHold(
    {
      extend: async () => ({ kind: "gone" }),
      priceAt: (tokens) => BigInt(tokens) as Nano,
      priceStoppedAt: async () => 0n as Nano,
      record: () => ({ recordedNano: 0n as Nano, detail: "{}" }),
    },
    { holdId: newUuid(), heldNano: 10n as Nano, coveredTokens: 10, limitTokens: 1000 },
  );
  assert.equal(await rollingHold.grow(20), "lost");
});

test("every extension and every save carries what was delivered so far", async () => {
  const ledger = purse(1_000_000n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 10_000);
  await rollingHold.save();
  await rollingHold.grow(500);
  assert.deepEqual(
    ledger.asked.map((request) => request.recordedNano),
    [7n, 7n],
  );
  assert.equal(ledger.asked[0]?.addNano, 0n);
});

test("past what the estimate covers, the exact price decides, to the last of the money; then the stream is stopped", async () => {
  const ledger = purse(900n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 10_000);
  const delivery = (outputTokens: number, letters: number) => ({
    outputTokens,
    text: "x".repeat(letters),
    usage: ABSENT_USAGE,
  });
  assert.equal(await rollingHold.grow(300), "refused");
  assert.equal(await rollingHold.growExactly(delivery(300, 50)), "covered");
  assert.deepEqual(
    [rollingHold.heldNano, rollingHold.coveredTokens],
    [1140n, 364],
    "64 tokens ahead, since they could be had",
  );
  assert.equal(await rollingHold.growExactly(delivery(500, 150)), "covered");
  assert.deepEqual(
    [rollingHold.heldNano, rollingHold.coveredTokens],
    [1500n, 500],
    "there is not enough for 64 more",
  );
  assert.equal(await rollingHold.growExactly(delivery(700, 190)), "covered");
  assert.deepEqual([rollingHold.heldNano, rollingHold.coveredTokens], [1900n, 700]);
  assert.equal(await rollingHold.growExactly(delivery(701, 191)), "refused");
  assert.equal(rollingHold.covers(701), false);
});

test("an answer is paid for to its limit only by the price of that limit, whatever the count of tokens says", async () => {
  const ledger = purse(10n, 1000n);
  const rollingHold = rollingHoldOf(ledger, 100, 120);
  assert.equal(
    await rollingHold.growExactly({
      outputTokens: 130,
      text: "x".repeat(100),
      usage: ABSENT_USAGE,
    }),
    "covered",
  );
  assert.equal(rollingHold.covers(200), false, "more than the limit by estimate, but not paid for");
});

test("what calls of the upstream's tools cost is held beside the text; where the estimate is out of reach, by the exact price, and then the text is covered no further than that", async () => {
  const ledger = purse(500n, 1000n);
  let callsNano = 0n;
  const rollingHold = createRollingHold(
    {
      extend: (request) => ledger.extend(request),
      priceAt: (tokens) => (BigInt(tokens) * PER_TOKEN + callsNano) as Nano,
      priceStoppedAt: async ({ text }) => (BigInt(text.length) * PER_TOKEN + callsNano) as Nano,
      record: () => ({ recordedNano: 7n as Nano, detail: "{}" }),
    },
    { holdId: newUuid(), heldNano: 1000n as Nano, coveredTokens: 100, limitTokens: 100 },
  );
  const delivered = { outputTokens: 50, text: "x".repeat(20), usage: ABSENT_USAGE };
  callsNano = 300n;
  assert.equal(await rollingHold.growDearer(delivered), "covered");
  assert.deepEqual(
    [rollingHold.heldNano, rollingHold.coveredTokens, rollingHold.covers(101)],
    [1300n, 100, true],
  );
  callsNano = 600n;
  assert.equal(await rollingHold.growDearer(delivered), "covered");
  assert.equal(rollingHold.heldNano, 1440n, "what was delivered, and 64 tokens ahead");
  assert.deepEqual(
    [rollingHold.coveredTokens, rollingHold.covers(115)],
    [114, false],
    "the whole answer is not paid for any more",
  );
  callsNano = 1400n;
  assert.equal(await rollingHold.growDearer(delivered), "refused");
});
