/**
 * Verifications of the ledger: one waits or runs at a time, in all processes together; the finished
 * ones are its history.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
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

const COLUMNS = `verification_id AS "verificationId", asked_by AS "askedBy", asked_at AS "askedAt", started_at AS "startedAt",
  finished_at AS "finishedAt", checked, mismatch_count AS "mismatchCount", mismatches, failure`;

const ROW = {
  verificationId: sql.uuid,
  askedBy: sql.nullable(sql.text),
  askedAt: sql.timestamptz,
  startedAt: sql.nullable(sql.timestamptz),
  finishedAt: sql.nullable(sql.timestamptz),
  checked: sql.nullable(sql.json.as<NonNullable<StoredVerification["checked"]>>()),
  mismatchCount: sql.nullable(sql.int4),
  mismatches: sql.nullable(sql.json.as<readonly Mismatch[]>()),
  failure: sql.nullable(sql.text),
};

const ASK = statement({
  text: `INSERT INTO operate.verifications (verification_id, asked_by) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
  parameters: [sql.uuid, sql.text],
  row: ROW,
});

/** `asked: false`: one waits or runs already, and is given instead. */
export async function askVerification(
  tx: Queryable,
  askedBy: string,
): Promise<{ readonly asked: boolean; readonly verification: StoredVerification }> {
  const [asked] = await tx.run(ASK, [newUuid(), askedBy]);
  const verification = asked ?? (await findPending(tx));
  assert(verification !== null, "what keeps another out is there");
  return { asked: asked !== undefined, verification };
}

// A ledger that takes long to verify is verified less often: a twentieth of the time at most.
const ASK_WHEN_DUE = statement({
  text: `
  INSERT INTO operate.verifications (verification_id) SELECT $1 WHERE NOT EXISTS (
    SELECT FROM operate.verifications WHERE finished_at IS NULL
      OR finished_at + CASE WHEN failure IS NULL THEN greatest($2 * interval '1 minute', 20 * (finished_at - started_at)) ELSE interval '5 minutes' END
         > clock_timestamp())
  ON CONFLICT DO NOTHING`,
  parameters: [sql.uuid, sql.float8],
});

// One whose process is dead is taken over. This process runs one at a time, so one that is its own
// was broken off.
const CLAIM = statement({
  text: `
  UPDATE operate.verifications v SET owner_id = $1, started_at = clock_timestamp()
  WHERE finished_at IS NULL AND (owner_id IS NULL OR owner_id = $1
    OR NOT EXISTS (SELECT FROM ledger.owners o WHERE o.owner_id = v.owner_id AND ledger.is_alive(o.alive_until)))
  RETURNING verification_id AS "verificationId"`,
  parameters: [sql.uuid],
  row: { verificationId: sql.uuid },
});

/** The one that this process is to run now; null: none. Asks for one where it is due. */
export async function claimVerification(
  q: Queryable,
  ownerId: Uuid,
  everyMinutes: number,
): Promise<Uuid | null> {
  await q.run(ASK_WHEN_DUE, [newUuid(), everyMinutes]);
  const [claimed] = await q.run(CLAIM, [ownerId]);
  return claimed?.verificationId ?? null;
}

export type VerificationEnd =
  | Required<{ [Field in "checked" | "mismatches"]: NonNullable<StoredVerification[Field]> }>
  | { readonly failure: string };

const MOST_MISMATCHES = 100;

const END = statement({
  text: `UPDATE operate.verifications SET finished_at = clock_timestamp(), checked = $3, mismatch_count = $4, mismatches = $5, failure = $6
     WHERE verification_id = $1 AND owner_id = $2 AND finished_at IS NULL`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.json),
    sql.nullable(sql.int4),
    sql.nullable(sql.json),
    sql.nullable(sql.text),
  ],
});

const SWEEP = statement({
  text: "DELETE FROM operate.verifications WHERE finished_at < clock_timestamp() - interval '90 days' AND coalesce(mismatch_count, 0) = 0",
});

/**
 * Only by the process that still owns it. History is kept for ninety days, and where something was
 * wrong for ever.
 */
export async function endVerification(
  q: Queryable,
  verificationId: Uuid,
  ownerId: Uuid,
  end: VerificationEnd,
): Promise<void> {
  const found = "failure" in end ? null : end;
  await q.run(END, [
    verificationId,
    ownerId,
    found === null ? null : JSON.stringify(found.checked),
    found?.mismatches.length ?? null,
    found === null ? null : JSON.stringify(found.mismatches.slice(0, MOST_MISMATCHES)),
    "failure" in end ? end.failure : null,
  ]);
  await q.run(SWEEP, []);
}

const FIND_PENDING = statement({
  text: `SELECT ${COLUMNS} FROM operate.verifications WHERE finished_at IS NULL`,
  row: ROW,
});

/** What waits or runs; null: nothing. */
export async function findPending(q: Queryable): Promise<StoredVerification | null> {
  const [row] = await q.run(FIND_PENDING, []);
  return row ?? null;
}

const FIND_LAST = statement({
  text: `SELECT ${COLUMNS} FROM operate.verifications WHERE mismatch_count IS NOT NULL ORDER BY finished_at DESC LIMIT 1`,
  row: ROW,
});

/** The last that came to a result; null: none ever did. */
export async function findLast(q: Queryable): Promise<StoredVerification | null> {
  const [row] = await q.run(FIND_LAST, []);
  return row ?? null;
}

const BREAK_OFF = statement({
  text: "SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()",
  parameters: [sql.text],
  row: { ended: sql.bool },
});

/**
 * Ends the connections of this name: the process ends, and no request waits for what runs on them.
 */
export async function breakOff(q: Queryable, applicationName: string): Promise<void> {
  await q.run(BREAK_OFF, [applicationName]);
}
