/** What the ledger's histories credit and correct, of each class of credit. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { CreditClass } from "../../src/contract/enums/credit-class.ts";
import type { Db } from "../../src/db/database.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { adjust, credit } from "../../src/ledger/transfers.store.ts";
import { leftAfter, nanos, roomOf, type Model } from "./ledger-model.ts";
import { seen, type Real } from "./model-grants.ts";

type DrawOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

const of = fc.constantFrom<CreditClass>("paid", "trial", "bonus");

export const creditDraw = fc.record({
  at: fc.nat({ max: 1 }),
  of,
  whole: fc.bigInt({ min: 1n, max: 1500n }),
  again: fc.option(fc.nat(), { freq: 3 }),
});

export async function creditModel(
  db: Db,
  model: Model,
  real: Real,
  drawn: DrawOf<typeof creditDraw>,
): Promise<void> {
  const { at, of: creditClass, whole, again } = drawn;
  // Gifts are smaller, so that they are used up.
  const value = creditClass === "paid" ? whole : 1n + whole / 3n;
  const account = model.accounts[at];
  assert.ok(account !== undefined);
  const repeated =
    again === null ? undefined : model.references[again % Math.max(1, model.references.length)];
  const reference = repeated ?? newUuid();
  const verdict = await credit(db, {
    accountId: real.accounts[at] ?? "",
    amountNano: nanos(value),
    reference,
    kind: "topup",
    creditClass,
  });
  seen.add(verdict.kind);
  assert.equal(verdict.kind, repeated === undefined ? "credited" : "duplicate");
  if (repeated !== undefined) return;
  if (creditClass !== "paid") seen.add(`${creditClass} credited`);
  account.credited += value;
  account.left[creditClass] += value;
  model.references.push(reference);
}

export const adjustDraw = fc.record({
  at: fc.nat({ max: 1 }),
  of,
  whole: fc.bigInt({ min: -800n, max: 300n }),
  /** Right after a gift: part of it is taken back, or all that is available, as if it were paid. */
  all: fc.constantFrom(true, false, false),
});

export async function adjustModel(
  db: Db,
  model: Model,
  real: Real,
  { at, of: creditClass, whole, all }: DrawOf<typeof adjustDraw>,
): Promise<void> {
  const account = model.accounts[at];
  assert.ok(account !== undefined);
  if (all)
    await giveBeyondHeld(db, model, real, at, creditClass === "paid" ? "bonus" : creditClass);
  // What is held counts as spent, in the order of use.
  const free = leftAfter(account.left, account.held)[creditClass];
  const room = roomOf(account);
  const taken = creditClass === "paid" ? whole : whole / 20n;
  const value = all ? (creditClass === "paid" ? -room : -BEYOND_HELD) : taken;
  if (value === 0n) return;
  const verdict = await db.transaction((tx) =>
    adjust(tx, {
      accountId: real.accounts[at] ?? "",
      amountNano: nanos(value),
      reference: newUuid(),
      creditClass,
      note: "model",
    }),
  );
  const fits = value > 0n || free + value >= 0n;
  if (fits) assert.equal(verdict.kind, "adjusted");
  else assert.deepEqual(verdict, { kind: "insufficient-balance", availableNano: free });
  seen.add(fits ? "adjusted" : "adjust refused");
  if (value < 0n && creditClass !== "paid") seen.add(fits ? "gift taken back" : "gift kept");
  if (!fits && creditClass === "paid" && room + value >= 0n) seen.add("paid credit gone");
  if (!fits) return;
  account.credited += value;
  account.left[creditClass] += value;
}

const BEYOND_HELD = 5n;

/** A gift of which so much is left when all that is held is charged. */
async function giveBeyondHeld(
  db: Db,
  model: Model,
  real: Real,
  at: number,
  creditClass: CreditClass,
): Promise<void> {
  const account = model.accounts[at];
  assert.ok(account !== undefined);
  const value = account.held + BEYOND_HELD;
  const gift = { amountNano: nanos(value), reference: newUuid(), kind: "topup" } as const;
  const accountId = real.accounts[at] ?? "";
  assert.equal((await credit(db, { ...gift, accountId, creditClass })).kind, "credited");
  account.credited += value;
  account.left[creditClass] += value;
}
