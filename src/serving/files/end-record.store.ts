/**
 * Ends an idempotency record in the transaction that stores its file: from then on its answer
 * counts.
 */
import type { Tx } from "../../db/database.ts";
import type { RecordClaim } from "../../idempotency/record.ts";
import { endParams } from "../../idempotency/records.store.ts";

const END =
  "SELECT idempotency.end_many($1::uuid[], $2::text[], $3::uuid[], $4::boolean[], ARRAY[0]::bigint[], ARRAY[0]::bigint[])";

/** A file costs nothing, so there is no hold to end with it. */
export async function endRecord(tx: Pick<Tx, "query">, claim: RecordClaim): Promise<void> {
  await tx.query(END, endParams([{ ...claim, answered: true }]));
}
