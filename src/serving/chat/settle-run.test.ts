/**
 * Protects: what a request is charged at its one settlement, what of it is the operator's loss, and
 * what is told of it (contract §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatCall } from "../../../test/support/chat-call.ts";
import { admittedChat, HELD } from "../../../test/support/chat-run.ts";
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { ExtendVerdict, SettleVerdict } from "../../ledger/hold-verdicts.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { Delivered } from "./final-charge.ts";
import { settleRun } from "./settle-run.ts";

const HEARD = { anything: true, text: "12345" };

interface Options {
  readonly extend?: (addNano: Nano) => ExtendVerdict;
  /** What the ledger says to the settlement, where it is not just done. */
  readonly verdict?: SettleVerdict;
  /** Whether the answer of a request with an idempotency key could be kept. */
  readonly kept?: boolean;
}

function stage({ extend, verdict, kept }: Options = {}) {
  const call = chatCall({ idempotencyKey: kept === undefined ? null : "k" });
  const claim = { accountId: call.key.accountId, key: "k", requestId: call.requestId };
  return admittedChat({
    call,
    ...(extend === undefined ? {} : { extend }),
    ...(verdict === undefined ? {} : { settle: () => verdict }),
    ...(kept === undefined
      ? {}
      : { idempotent: { end: async () => ({ ...claim, answered: kept }), unkept: null } }),
  });
}

const reported = (inputTokens: number, outputTokens: number): UsageReading => ({
  kind: "valid",
  usage: { ...NO_USAGE, inputTokens, outputTokens },
  samplings: 1,
});

function outcome(state: ChatState, usage: UsageReading, delivered: Delivered): ChatOutcome {
  return { state, usage, delivered, end: null, kept: false, keep: null, fault: null };
}

test("an answer that came to more than was held raises the hold, and costs its price", async () => {
  const { run, settlements } = stage();
  const settled = await settleRun(run, outcome("completed", reported(10, 60), HEARD));
  assert.deepEqual([settled.chargedNano, settled.lossNano], [700n, 0n]);
  assert.equal(settlements[0]?.chargeNano, 700n);
});

test("where there is not so much, the hold is what is charged, and the rest is the operator's loss", async () => {
  const { run, settlements } = stage({ extend: () => ({ kind: "refused", heldNano: HELD }) });
  await settleRun(run, outcome("completed", reported(10, 60), HEARD));
  const [settlement] = settlements;
  assert.deepEqual([settlement?.chargeNano, settlement?.lossNano], [500n, 200n]);
});

test("an outage is waited for before the price is charged; another failure does not keep the hold from its end", async () => {
  for (const [code, tries, charge] of [
    ["overloaded", 2, 700n],
    ["internal_error", 1, 500n],
  ] as const) {
    let asked = 0;
    const failing = stage({
      extend(addNano) {
        asked += 1;
        if (asked === 1) throw new Fault(code);
        return { kind: "extended", heldNano: (HELD + addNano) as Nano };
      },
    });
    await settleRun(failing.run, outcome("completed", reported(10, 60), HEARD));
    assert.deepEqual([code, asked, failing.settlements[0]?.chargeNano], [code, tries, charge]);
  }
});

test("what an unbelievable usage would have cost beyond the count is the operator's loss", async () => {
  const { run, settlements } = stage();
  await settleRun(run, outcome("completed", reported(10, 101), { anything: true, text: "12345" }));
  const [settlement] = settlements;
  assert.ok(
    settlement?.chargeNano !== null &&
      settlement?.chargeNano !== undefined &&
      settlement.chargeNano > 0n,
  );
  assert.equal(settlement.chargeNano + settlement.lossNano, 1110n);
});

test("an answer that could not be kept for its idempotency key is not charged: it would be paid for again", async () => {
  const usage = reported(10, 20);
  const lost = stage({ kept: false });
  await settleRun(lost.run, outcome("completed", usage, HEARD));
  const [settlement] = lost.settlements;
  assert.deepEqual(
    [settlement?.chargeNano, settlement?.lossNano, settlement?.record?.answered],
    [0n, 300n, false],
  );
  const kept = stage({ kept: true });
  await settleRun(kept.run, outcome("completed", usage, HEARD));
  assert.deepEqual(
    [kept.settlements[0]?.chargeNano, kept.settlements[0]?.record?.answered],
    [300n, true],
  );
});

test("a hold that another process ended for less is told, and one that it ended for as much is not", async () => {
  for (const [charged, takenAway] of [
    [299n, true],
    [300n, false],
  ] as const) {
    const { run } = stage({ verdict: { kind: "already-settled", chargedNano: charged as Nano } });
    const settled = await settleRun(run, outcome("completed", reported(10, 20), HEARD));
    assert.deepEqual([settled.chargedNano, settled.takenAway], [charged, takenAway]);
  }
});

test("settled once: the second end of an answer gets what came of the first", async () => {
  const { run, settlements } = stage();
  const ends = [
    settleRun(run, outcome("completed", reported(10, 20), HEARD)),
    settleRun(run, outcome("client_gone", reported(10, 5), HEARD)),
  ];
  assert.deepEqual(
    (await Promise.all(ends)).map(({ chargedNano }) => chargedNano),
    [300n, 300n],
  );
  assert.equal(settlements.length, 1);
});
