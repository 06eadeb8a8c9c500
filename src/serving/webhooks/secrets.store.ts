/**
 * What webhooks are signed with: a secret for each account and purpose, sealed, and the one before
 * while receivers follow.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";

const PURPOSES = ["tasks", "alerts"] as const;

/** Whose webhooks, and about what. */
export interface Signer {
  readonly accountId: Uuid;
  readonly purpose: (typeof PURPOSES)[number];
}

export interface WebhookSecrets {
  /** `whsec_…`; null: it does not open, because another SESSION_SECRET sealed it. */
  readonly secret: string | null;
  readonly madeAt: Date;
  /** The one before, while it signs too; null as well where it does not open. */
  readonly previous: string | null;
  readonly previousUntil: Date | null;
}

/** Of secrets that open: just made, or read by who sealed them. */
export interface OpenSecrets extends WebhookSecrets {
  readonly secret: string;
}

interface Row {
  readonly sealed: Buffer;
  readonly madeAt: Date;
  readonly previous: Buffer | null;
  readonly previousUntil: Date | null;
}

const COLUMNS = `sealed, made_at AS "madeAt",
  CASE WHEN previous_until > clock_timestamp() THEN previous END AS previous,
  CASE WHEN previous_until > clock_timestamp() THEN previous_until END AS "previousUntil"`;
const OF_SIGNER = `SELECT ${COLUMNS} FROM webhooks.secrets WHERE account_id = $1 AND purpose = $2`;

const ROW = {
  sealed: sql.bytea,
  madeAt: sql.timestamptz,
  previous: sql.nullable(sql.bytea),
  previousUntil: sql.nullable(sql.timestamptz),
};

const FIND = statement({
  text: OF_SIGNER,
  parameters: [sql.uuid, sql.oneOf(PURPOSES)],
  row: ROW,
});

/** Null: none was made yet. */
export async function findSecrets(
  q: Queryable,
  seal: Seal,
  signer: Signer,
): Promise<WebhookSecrets | null> {
  const [row] = await q.run(FIND, [signer.accountId, signer.purpose]);
  return row === undefined ? null : openRow(seal, signer, row);
}

const LOCK = statement({
  text: `${OF_SIGNER} FOR UPDATE`,
  parameters: [sql.uuid, sql.oneOf(PURPOSES)],
  row: ROW,
});

/** No other transaction changes them before this one ends. */
export async function lockSecrets(
  tx: Queryable,
  seal: Seal,
  signer: Signer,
): Promise<WebhookSecrets | null> {
  const [row] = await tx.run(LOCK, [signer.accountId, signer.purpose]);
  return row === undefined ? null : openRow(seal, signer, row);
}

const INSERT = statement({
  text: "INSERT INTO webhooks.secrets (account_id, purpose, sealed) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
  parameters: [sql.uuid, sql.oneOf(PURPOSES), sql.bytea],
});

/** It becomes the signer's where there is none. */
export async function makeSecret(
  q: Queryable,
  seal: Seal,
  signer: Signer,
  secret: string,
): Promise<void> {
  const sealed = seal.seal(secret, placeOf(signer));
  await q.run(INSERT, [signer.accountId, signer.purpose, sealed]);
}

// What was sealed for this row opens in its other column as well.
const CHANGE = statement({
  text: `
  INSERT INTO webhooks.secrets AS s (account_id, purpose, sealed) VALUES ($1, $2, $3)
  ON CONFLICT (account_id, purpose) DO UPDATE SET sealed = excluded.sealed, made_at = excluded.made_at,
    previous = CASE WHEN $4 > 0 THEN s.sealed END,
    previous_until = CASE WHEN $4 > 0 THEN clock_timestamp() + $4 * interval '1 second' END
  RETURNING ${COLUMNS}`,
  parameters: [sql.uuid, sql.oneOf(PURPOSES), sql.bytea, sql.int4],
  row: ROW,
});

/** The secret before goes on signing for so long; 0: it is given up at once. */
export async function changeSecret(
  q: Queryable,
  seal: Seal,
  signer: Signer,
  change: { readonly secret: string; readonly previousSeconds: number },
): Promise<OpenSecrets> {
  const { secret, previousSeconds } = change;
  const sealed = seal.seal(secret, placeOf(signer));
  const [row] = await q.run(CHANGE, [signer.accountId, signer.purpose, sealed, previousSeconds]);
  if (row === undefined)
    throw new Error("an insertion that changes on conflict answers with a row");
  return { ...openRow(seal, signer, row), secret };
}

function openRow(seal: Seal, signer: Signer, row: Row): WebhookSecrets {
  const place = placeOf(signer);
  const previous = row.previous === null ? null : seal.open(row.previous, place);
  return {
    secret: seal.open(row.sealed, place),
    madeAt: row.madeAt,
    previous,
    previousUntil: previous === null ? null : row.previousUntil,
  };
}

function placeOf({ accountId, purpose }: Signer): string {
  return `webhook:${purpose}:${accountId}`;
}
