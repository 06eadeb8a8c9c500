/**
 * Books ends of chat requests with their receipts, as the poster does, without a gateway: for tests
 * of what is read.
 */
import type { Db } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { ZERO_NANO, type Nano } from "../../src/kernel/money.ts";
import { credit } from "../../src/ledger/transfers.store.ts";
import { postEnds } from "../../src/serving/money/journal.store.ts";
import type { EndedRequest } from "../../src/serving/money/page-elements.ts";
import type { ReceiptRow } from "../../src/usage/receipt-row.ts";

/** A request that ended: its receipt, and what its money did. */
export interface EndedWithReceipt {
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly receipt: ReceiptRow | null;
  readonly chargeNano: Nano;
  /** As much as is charged, unless it is said. */
  readonly heldNano?: Nano;
  readonly lossNano?: Nano;
  readonly priceVersion?: number;
}

/**
 * In this order, each in a transaction of its own. An account that is not there is opened; one
 * that has too little is credited with what is missing. Returns the requests whose receipts were
 * parked.
 */
export async function bookReceipts(db: Db, ends: readonly EndedWithReceipt[]): Promise<Uuid[]> {
  const parked: Uuid[] = [];
  for (const end of ends) {
    await holdFor(db, end);
    parked.push(...(await endHold(db, end)));
  }
  return parked;
}

async function holdFor(db: Db, { requestId, accountId, keyId, ...end }: EndedWithReceipt) {
  const heldNano = end.heldNano ?? end.chargeNano;
  await db.transaction(async (tx) => {
    await tx.query("INSERT INTO ledger.accounts (account_id) VALUES ($1) ON CONFLICT DO NOTHING", [
      accountId,
    ]);
    const [row] = await tx.query<{ missing: bigint }>(
      "SELECT $2::bigint - (credited_nano - charged_nano - held_nano) AS missing FROM ledger.accounts WHERE account_id = $1",
      [accountId, heldNano],
    );
    const missing = row?.missing ?? 0n;
    if (missing > 0n)
      await credit(tx, {
        accountId,
        amountNano: missing as Nano,
        reference: `test ${newUuid()}`,
        kind: "topup",
      });
    await tx.query("UPDATE ledger.accounts SET held_nano = held_nano + $2 WHERE account_id = $1", [
      accountId,
      heldNano,
    ]);
    await tx.query(
      "UPDATE ledger.budgets SET held_nano = held_nano + $3 WHERE account_id = $1 AND budget_id = $2",
      [accountId, keyId, heldNano],
    );
    await tx.query(
      `INSERT INTO ledger.holds (account_id, hold_id, budget_id, held_nano, created_at)
       VALUES ($1, $2, $3, $4, clock_timestamp())`,
      [accountId, requestId, keyId, heldNano],
    );
  });
}

/** All in one page, in this order. */
export async function bookTogether(
  db: Db,
  ends: readonly EndedWithReceipt[],
): Promise<readonly Uuid[]> {
  for (const end of ends) await holdFor(db, end);
  return db.transaction((tx) => postEnds(tx, newUuid(), ends.map(endedRequest)));
}

/** Ends a hold that there is, with its receipt, as the poster does it. */
export async function endHold(db: Db, end: EndedWithReceipt): Promise<readonly Uuid[]> {
  return db.transaction((tx) => postEnds(tx, end.requestId, [endedRequest(end)]));
}

function endedRequest({
  requestId,
  accountId,
  receipt,
  chargeNano,
  heldNano = chargeNano,
  lossNano = ZERO_NANO,
  priceVersion = 1,
}: EndedWithReceipt): EndedRequest {
  return {
    kind: "ended",
    requestId,
    accountId,
    holdId: requestId,
    heldNano,
    chargeNano,
    lossNano,
    priceVersion,
    noted: false,
    receipt,
  };
}
