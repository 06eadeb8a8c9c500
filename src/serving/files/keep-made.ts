/**
 * What an idempotency key answers from now on, kept in the transaction that makes it: so there is
 * nothing that was made with the key without its answer, and no answer without it.
 */
import type { Tx } from "../../db/database.ts";
import type { RecordClaim } from "../../idempotency/record.ts";
import { keepAnswer } from "../../idempotency/records.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { endRecord } from "./end-record.store.ts";

/** `made`: as the caller calls it. Throws Fault("overloaded") where the key is another request's by now. */
export async function keepMade(
  tx: Tx,
  claim: RecordClaim,
  answer: object,
  made: "upload" | "batch" | "order",
): Promise<void> {
  const kept = await keepAnswer(tx, claim, {
    status: 200,
    contentType: "application/json",
    streamed: false,
    broken: false,
    body: Buffer.from(JSON.stringify(answer)),
  });
  if (kept === "lost")
    throw new Fault("overloaded", {
      message: `The ${made} took too long to be kept. Send it again.`,
    });
  await endRecord(tx, claim);
}
