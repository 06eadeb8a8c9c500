/**
 * Verifies the ledger when it is due or asked for, in one process at a time, and keeps what came of
 * it.
 */
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Verification } from "../../ledger/verify.store.ts";
import { verifyLedger } from "./verify-ledger.ts";
import { claimVerification, endVerification } from "./verifications.store.ts";

export interface VerificationDeps {
  readonly db: Db;
  readonly ownerId: Uuid;
  /**
   * Opened for the verification alone: it may take its time, and holds its connection all the
   * while.
   */
  openPatient(): Db;
  /** With every result. */
  onVerified(result: Verification): void;
}

export const VERIFY_EVERY_MINUTES = 60;

/** False: nothing was due. Throws what keeps it from a result, after that was written down. */
export async function runVerification({
  db,
  ownerId,
  openPatient,
  onVerified,
}: VerificationDeps): Promise<boolean> {
  const verificationId = await claimVerification(db, ownerId, VERIFY_EVERY_MINUTES);
  if (verificationId === null) return false;
  const patient = openPatient();
  try {
    const result = await verifyLedger(patient);
    const { accounts, budgets, holds, entries } = result.checked;
    const checked = {
      accounts: Number(accounts),
      budgets: Number(budgets),
      holds: Number(holds),
      entries: Number(entries),
    };
    await endVerification(db, verificationId, ownerId, { checked, mismatches: result.mismatches });
    onVerified(result);
  } catch (error) {
    await endVerification(db, verificationId, ownerId, {
      failure: error instanceof Error ? error.message.slice(0, 500) : "unknown",
    });
    throw error;
  } finally {
    await patient.close();
  }
  return true;
}
