/** What the ledger's histories do with holds of tasks: they end them and divide them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Db } from "../../src/db/database.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { carveIn } from "./carve-in.ts";
import { settleIn } from "../../src/ledger/holds.store.ts";
import { ended } from "./journal-world.ts";
import { bookAll, carve, nanos, type Model } from "./ledger-model.ts";
import { pickOf, seen, type Real } from "./model-grants.ts";

export const settleDraw = fc.record({
  pick: fc.nat(),
  charge: fc.bigInt({ min: 0n, max: 600n }),
  loss: fc.constantFrom(0n, 0n, 7n),
  twice: fc.boolean(),
});

type DrawOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

export async function settleTask(
  db: Db,
  model: Model,
  { pick, charge, loss, twice }: DrawOf<typeof settleDraw>,
): Promise<void> {
  const task = pickOf(model.tasks, pick);
  if (task === undefined) return;
  model.tasks.splice(model.tasks.indexOf(task), 1);
  const { paged, hold } = task;
  const charged = charge < hold.held ? charge : hold.held;
  const settlement = {
    accountId: paged.accountId,
    holdId: hold.holdId,
    chargeNano: nanos(charge),
    lossNano: nanos(loss),
  };
  assert.deepEqual(await settleIn(db, settlement), {
    kind: "settled",
    chargedNano: charged,
    releasedNano: hold.held - charged,
  });
  seen.add("settled");
  bookAll(model, [ended(paged, charged, { lossNano: nanos(loss + charge - charged) })]);
  if (!twice) return;
  seen.add("already-settled");
  assert.deepEqual(await settleIn(db, settlement), {
    kind: "already-settled",
    chargedNano: charged,
  });
}

export const carveDraw = fc.record({
  pick: fc.nat(),
  amount: fc.bigInt({ min: 1n, max: 200n }),
  /** Of what the hold has; `any`: the amount, which may be more. */
  part: fc.constantFrom("all", "half", "half", "any"),
  /** Most are tasks'; now and then one that a process's journal ends. */
  ofTask: fc.constantFrom(true, true, true, false),
  twice: fc.boolean(),
});

export async function carveTask(
  db: Db,
  model: Model,
  real: Real,
  { pick, amount, part, ofTask, twice }: DrawOf<typeof carveDraw>,
): Promise<void> {
  const others = [...model.holds.values()].filter(({ journal }) => journal !== null);
  const hold = ofTask ? pickOf(model.tasks, pick)?.hold : pickOf(others, pick);
  if (hold === undefined) return;
  const half = (hold.held + 1n) / 2n;
  const wanted = { all: hold.held, half, any: amount }[part];
  const request = {
    accountId: real.accounts[hold.account] ?? "",
    holdId: hold.holdId,
    newHoldId: newUuid(),
    amountNano: nanos(wanted > 0n ? wanted : amount),
    reference: "model",
    priceVersion: 1,
    detail: "{}",
  };
  const expected = carve(model, request);
  assert.deepEqual(await carveIn(db, request), expected);
  seen.add(expected.kind === "carved" && expected.leftNano === 0n ? "carved whole" : expected.kind);
  if (!twice || expected.kind !== "carved") return;
  assert.deepEqual(await carveIn(db, request), { kind: "already-carved" });
  seen.add("already-carved");
}
