/**
 * Verifications of the ledger: one waits or runs at a time, in all processes together; the finished
 * ones are its history.
 */
import type { Queryable } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import type { Mismatch } from "../../ledger/verify.store.ts";

export interface StoredVerification {
  readonly verificationId: Uuid;
  readonly askedBy: string | null;
  readonly askedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly checked: {
    readonly accounts: number;
    readonly budgets: number;
    readonly holds: number;
    readonly entries: number;
  } | null;
  readonly mismatchCount: number | null;
  /** The first of them. */
  readonly mismatches: readonly Mismatch[] | null;
  /** Why there is no result. */
  readonly failure: string | null;
}

type Statements = Queryable;

const COLUMNS = `verification_id AS "verificationId", asked_by AS "askedBy", asked_at AS "askedAt", started_at AS "startedAt",
  finished_at AS "finishedAt", checked, mismatch_count AS "mismatchCount", mismatches, failure`;

/** `asked: false`: one waits or runs already, and is given instead. */
export async function askVerification(
  tx: Statements,
  askedBy: string,
): Promise<{ readonly asked: boolean; readonly verification: StoredVerification }> {
  const [asked] = await tx.query<StoredVerification>(
    `INSERT INTO operate.verifications (verification_id, asked_by) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [newUuid(), askedBy],
  );
  const verification = asked ?? (await findPending(tx));
  assert(verification !== null, "what keeps another out is there");
  return { asked: asked !== undefined, verification };
}

// A ledger that takes long to verify is verified less often: a twentieth of the time at most.
const ASK_WHEN_DUE = `
  INSERT INTO operate.verifications (verification_id) SELECT $1 WHERE NOT EXISTS (
    SELECT FROM operate.verifications WHERE finished_at IS NULL
      OR finished_at + CASE WHEN failure IS NULL THEN greatest($2 * interval '1 minute', 20 * (finished_at - started_at)) ELSE interval '5 minutes' END
         > clock_timestamp())
  ON CONFLICT DO NOTHING`;

// One whose process is dead is taken over. This process runs one at a time, so one that is its own
// was broken off.
const CLAIM = `
  UPDATE operate.verifications v SET owner_id = $1, started_at = clock_timestamp()
  WHERE finished_at IS NULL AND (owner_id IS NULL OR owner_id = $1
    OR NOT EXISTS (SELECT FROM ledger.owners o WHERE o.owner_id = v.owner_id AND ledger.is_alive(o.alive_until)))
  RETURNING verification_id AS "verificationId"`;

/** The one that this process is to run now; null: none. Asks for one where it is due. */
export async function claimVerification(
  q: Statements,
  ownerId: Uuid,
  everyMinutes: number,
): Promise<Uuid | null> {
  await q.query(ASK_WHEN_DUE, [newUuid(), everyMinutes]);
  const [claimed] = await q.query<{ verificationId: Uuid }>(CLAIM, [ownerId]);
  return claimed?.verificationId ?? null;
}

export type VerificationEnd =
  | Required<{ [Field in "checked" | "mismatches"]: NonNullable<StoredVerification[Field]> }>
  | { readonly failure: string };

const MOST_MISMATCHES = 100;

/**
 * Only by the process that still owns it. History is kept for ninety days, and where something was
 * wrong for ever.
 */
export async function endVerification(
  q: Statements,
  verificationId: Uuid,
  ownerId: Uuid,
  end: VerificationEnd,
): Promise<void> {
  const found = "failure" in end ? null : end;
  await q.query(
    `UPDATE operate.verifications SET finished_at = clock_timestamp(), checked = $3, mismatch_count = $4, mismatches = $5, failure = $6
     WHERE verification_id = $1 AND owner_id = $2 AND finished_at IS NULL`,
    [
      verificationId,
      ownerId,
      found === null ? null : JSON.stringify(found.checked),
      found?.mismatches.length ?? null,
      found === null ? null : JSON.stringify(found.mismatches.slice(0, MOST_MISMATCHES)),
      "failure" in end ? end.failure : null,
    ],
  );
  await q.query(
    "DELETE FROM operate.verifications WHERE finished_at < clock_timestamp() - interval '90 days' AND coalesce(mismatch_count, 0) = 0",
  );
}

/** What waits or runs; null: nothing. */
export async function findPending(q: Statements): Promise<StoredVerification | null> {
  const [row] = await q.query<StoredVerification>(
    `SELECT ${COLUMNS} FROM operate.verifications WHERE finished_at IS NULL`,
  );
  return row ?? null;
}

/** The last that came to a result; null: none ever did. */
export async function findLast(q: Statements): Promise<StoredVerification | null> {
  const [row] = await q.query<StoredVerification>(
    `SELECT ${COLUMNS} FROM operate.verifications WHERE mismatch_count IS NOT NULL ORDER BY finished_at DESC LIMIT 1`,
  );
  return row ?? null;
}

/**
 * Ends the connections of this name: the process ends, and no request waits for what runs on them.
 */
export async function breakOff(q: Statements, applicationName: string): Promise<void> {
  await q.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()",
    [applicationName],
  );
}
