/**
 * Admits a batch: holds what all its lines may cost, as one hold, and writes the lines down, in one
 * transaction.
 */
import { admitBatch, lockNewBatch } from "../../batches/work.store.ts";
import { insertBatch } from "../../batches/batches.store.ts";
import type { BatchRecord, NewBatch } from "../../batches/batch-record.ts";
import { insertLines } from "../../batches/lines.store.ts";
import { insertPasses } from "../../batches/passes.store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { keepFileFor } from "../../files/private-files.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { holdIn } from "../../ledger/holds.store.ts";
import { withRoom } from "../../ledger/recall.ts";
import { refuseHold } from "../chat/refuse-hold.ts";
import { INPUT_LIVES_SECONDS } from "./batch-limits.ts";
import type { KeepMade } from "./once-by-key.ts";
import { assignPasses, type CheckedLine } from "./passes/assign-passes.ts";

export interface CheckedLines {
  readonly lines: readonly CheckedLine[];
  readonly priceVersion: number;
}

const ROWS_AT_ONCE = 1_000;

/**
 * One that is there and was validated under this lease. False: it is another process's by now, or
 * was cancelled. Throws Fault: `insufficient_balance`, `key_limit_exceeded`, `group_limit_exceeded`, and those of a stopped
 * key or account; nothing is held then.
 */
export async function admitChecked(
  db: Db,
  batch: BatchRecord,
  leaseId: Uuid,
  checked: CheckedLines,
): Promise<boolean> {
  return withRoom(db, batch.accountId, () =>
    db.transaction(async (tx) => {
      if (!(await lockNewBatch(tx, batch, leaseId))) return false;
      await admit(tx, batch, checked);
      return true;
    }),
  );
}

/** One that is not there yet; `keep` writes what belongs to its making. Throws the same. */
export async function admitNew(
  db: Db,
  batch: NewBatch,
  checked: CheckedLines,
  keep: KeepMade,
): Promise<void> {
  await withRoom(db, batch.accountId, () =>
    db.transaction(async (tx) => {
      await insertBatch(tx, batch);
      await keep(tx, batch.batchId);
      await admit(tx, batch, checked);
    }),
  );
}

/** The money last: it keeps the account locked. */
async function admit(
  tx: Tx,
  batch: NewBatch,
  { lines: checked, priceVersion }: CheckedLines,
): Promise<void> {
  const { lines, passes } = assignPasses(checked);
  const { accountId, batchId, keyId, inputFileId } = batch;
  for (let from = 0; from < lines.length; from += ROWS_AT_ONCE)
    await insertLines(tx, batch, lines.slice(from, from + ROWS_AT_ONCE));
  if (passes.length > 0) await insertPasses(tx, batch, passes);
  const refused = lines.filter((line) => line.refused !== null).length;
  const quotedNano = nano(lines.reduce<bigint>((sum, { quoteNano }) => sum + quoteNano, 0n));
  await admitBatch(tx, batch, { priceVersion, total: lines.length, refused, quotedNano });
  await keepFileFor(tx, accountId, inputFileId, INPUT_LIVES_SECONDS);
  const verdict = await holdIn(tx, {
    holdId: batchId,
    accountId,
    budgetId: keyId,
    // Wherever the key is by now.
    groupId: null,
    fullNano: null,
    sliceNano: quotedNano,
    minimumNano: quotedNano,
    reference: `batch:${batchId}`,
    priceVersion,
    detail: JSON.stringify({ batch: batchId }),
  });
  if (verdict.kind !== "held") throw refuseHold(verdict, quotedNano);
}
