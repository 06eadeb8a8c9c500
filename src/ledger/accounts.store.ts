/** Accounts of the ledger: opening, blocking, and how much each has. */
import { ACCOUNT_STATES, type AccountState } from "../contract/enums/account-state.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

const OPEN_ACCOUNT = statement({
  text: "INSERT INTO ledger.accounts (account_id) VALUES ($1) ON CONFLICT DO NOTHING",
  parameters: [sql.uuid],
});

/** Opens an account with nothing on it. Opening it again changes nothing. */
export async function openAccount(tx: Queryable, accountId: Uuid): Promise<void> {
  await tx.run(OPEN_ACCOUNT, [accountId]);
}

const SET_ACCOUNT_STATE = statement({
  text: "UPDATE ledger.accounts SET blocked = $2 WHERE account_id = $1 RETURNING true AS done",
  parameters: [sql.uuid, sql.bool],
  row: { done: sql.bool },
});

/**
 * A blocked account admits nothing new from the moment of commit; what was admitted may extend and
 * settle.
 */
export async function setAccountState(
  tx: Queryable,
  accountId: Uuid,
  state: AccountState,
): Promise<"changed" | "unknown-account"> {
  const rows = await tx.run(SET_ACCOUNT_STATE, [accountId, state === "blocked"]);
  return rows.length === 1 ? "changed" : "unknown-account";
}

export interface Balance {
  readonly accountId: Uuid;
  readonly state: AccountState;
  /** All top-ups and adjustments so far. */
  readonly creditedNano: Nano;
  /** All charges so far. */
  readonly chargedNano: Nano;
  /** For requests and tasks; what leases hold besides is given back when it is needed. */
  readonly heldNano: Nano;
  /** credited − charged: what the account owns, held money included. */
  readonly balanceNano: Nano;
  /** balance − held: what a new hold can take. Never negative. */
  readonly availableNano: Nano;
}

const BALANCE = `SELECT account_id AS "accountId", CASE WHEN blocked THEN 'blocked' ELSE 'open' END AS state,
  credited_nano AS "creditedNano", charged_nano AS "chargedNano", u.nano AS "heldNano",
  credited_nano - charged_nano AS "balanceNano", credited_nano - charged_nano - u.nano AS "availableNano"
  FROM ledger.accounts, LATERAL (SELECT ledger.in_use(account_id) AS nano) u`;

const BALANCE_ROW = {
  accountId: sql.uuid,
  state: sql.oneOf(ACCOUNT_STATES),
  creditedNano: sql.nano,
  chargedNano: sql.nano,
  heldNano: sql.nano,
  balanceNano: sql.nano,
  availableNano: sql.nano,
};

const READ_BALANCE = statement({
  text: `${BALANCE} WHERE account_id = $1`,
  parameters: [sql.uuid],
  row: BALANCE_ROW,
});

/** One account's money at this moment; null when there is no such account. */
export async function balance(q: Queryable, accountId: Uuid): Promise<Balance | null> {
  const rows = await q.run(READ_BALANCE, [accountId]);
  return rows[0] ?? null;
}

const BALANCES = statement({
  text: `${BALANCE} WHERE account_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: BALANCE_ROW,
});

/** Several accounts' money in one snapshot; unknown ones are missing. */
export async function balances(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<Map<Uuid, Balance>> {
  const rows = await q.run(BALANCES, [accountIds]);
  return new Map(rows.map((row) => [row.accountId, row]));
}

const TOTAL_MONEY = statement({
  text: "SELECT coalesce(sum(credited_nano - charged_nano), 0) AS balance, coalesce(sum(ledger.in_use(account_id)), 0) AS held FROM ledger.accounts",
  row: { balance: sql.numeric, held: sql.numeric },
});

/** What all accounts own and hold together, which may be more than one account ever can. */
export async function totalMoney(q: Queryable): Promise<Pick<Balance, "balanceNano" | "heldNano">> {
  const [row] = await q.run(TOTAL_MONEY, []);
  assert(row !== undefined, "sums are one row");
  return { balanceNano: BigInt(row.balance) as Nano, heldNano: BigInt(row.held) as Nano };
}
