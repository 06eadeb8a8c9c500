/** What members agreed to and when (schema `accounts`), each in the wording that they saw. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface AgreedConsent {
  readonly consentId: Uuid;
  readonly version: number;
}

const DELETE = statement({
  text: "DELETE FROM accounts.consents WHERE member_id = $1",
  parameters: [sql.uuid],
});

const INSERT = statement({
  text: `INSERT INTO accounts.consents (member_id, consent_id, version)
     SELECT $1, * FROM unnest($2::uuid[], $3::integer[]) ON CONFLICT DO NOTHING`,
  parameters: [sql.uuid, sql.array(sql.uuid), sql.array(sql.int4)],
});

/** Instead of what a sign-up before this one said. */
export async function putConsents(
  tx: Queryable,
  memberId: Uuid,
  agreed: readonly AgreedConsent[],
): Promise<void> {
  await tx.run(DELETE, [memberId]);
  if (agreed.length === 0) return;
  const ids = agreed.map(({ consentId }) => consentId);
  const versions = agreed.map(({ version }) => version);
  await tx.run(INSERT, [memberId, ids, versions]);
}
