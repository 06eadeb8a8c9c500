/**
 * Ends an idempotency record in the transaction that stores its file: from then on its answer
 * counts.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { RecordClaim } from "../../idempotency/record.ts";
import { END_PARAMETERS, endParams } from "../../idempotency/records.store.ts";

const END = statement({
  text: "SELECT idempotency.end_many($1::uuid[], $2::text[], $3::uuid[], $4::boolean[], ARRAY[0]::bigint[], ARRAY[0]::bigint[])",
  parameters: END_PARAMETERS,
  row: { end_many: sql.void },
});

/** A file costs nothing, so there is no hold to end with it. */
export async function endRecord(tx: Queryable, claim: RecordClaim): Promise<void> {
  await tx.run(END, endParams([{ ...claim, answered: true }]));
}
