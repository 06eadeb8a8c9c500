/** Validates a batch whose file lies in the storage, and admits it or says what is wrong with it. */
import type { BatchRecord, FileMistake } from "../../batches/batch-record.ts";
import { failBatch } from "../../batches/work.store.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toFault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { findKey } from "../../keys/store.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";
import type { Conversations } from "../responses/conversation.ts";
import { admitChecked } from "./admit-batch.ts";
import { atBatchPrices, type VersionedCatalogue } from "./batch-catalogue.ts";
import { checkFile, type FileCheck } from "./check-file.ts";
import type { ValidationTurns } from "./validation-turns.ts";

export interface ValidationDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly storage: Pick<ObjectStorage, "read">;
  readonly catalogue: { current(): VersionedCatalogue };
  readonly countTexts: CountTexts;
  readonly conversations: Conversations;
  readonly turns: ValidationTurns;
}

/** Throws what no file is to blame for; then it is validated again. */
export async function validateBatch(
  deps: ValidationDeps,
  batch: BatchRecord,
  leaseId: Uuid,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  const priced = atBatchPrices(deps.catalogue.current());
  const key = await findKey(db, batch.accountId, batch.keyId);
  const fail = (errors: readonly FileMistake[], total: number): Promise<void> =>
    failBatch(db, batch, leaseId, { errors, total });
  if (key === null || key.deletedAt !== null)
    return fail([ofTheWhole("invalid_api_key", "The key of this batch was deleted.")], 0);
  if (batch.expiresAt <= deps.clock.now())
    return fail([ofTheWhole("batch_expired", "The batch could not be validated in time.")], 0);
  const checked = await deps.turns.take(() => read(deps, batch, key, priced, signal));
  if (checked === null)
    return fail([ofTheWhole("file_not_found", "The input file is not there any more.")], 0);
  if (!checked.ok) return fail(checked.mistakes, checked.total);
  try {
    await admitChecked(db, batch, leaseId, { lines: checked.lines, priceVersion: priced.version });
  } catch (error) {
    const fault = toFault(error);
    // Of lack of money, of a key or an account that was stopped.
    if (fault.status >= 500) throw error;
    await fail([ofTheWhole(fault.code, fault.message)], checked.lines.length);
  }
}

async function read(
  { storage, countTexts, conversations }: ValidationDeps,
  { inputName, endpoint, clientIp }: BatchRecord,
  key: KeyRecord,
  priced: VersionedCatalogue,
  signal: AbortSignal,
): Promise<FileCheck | null> {
  const source = await storage.read(inputName);
  if (source === null) return null;
  const stop = (): void => void source.destroy(new Error("the batch is another process's by now"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    const asker = { priced, endpoint, key, ip: clientIp, countTexts, conversations };
    return await checkFile(source, asker);
  } finally {
    signal.removeEventListener("abort", stop);
    source.destroy();
  }
}

function ofTheWhole(code: string, message: string): FileMistake {
  return { code, message, param: null, line: null };
}
