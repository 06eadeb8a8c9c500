/** What providers of upstreams told of the money that is left with them, and when each is asked next. */
import { BALANCE_FAILURES, type BalanceFailure } from "../../contract/enums/balance-kind.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { BalanceSample } from "./balance-trend.ts";

export interface StoredBalance {
  readonly upstream: string;
  /** It may be asked again. */
  readonly due: boolean;
  /** In a row. */
  readonly failures: number;
  /** Of the last time that it was asked. */
  readonly failure: BalanceFailure | null;
  readonly failureStatus: number | null;
  /** The last that it told, in billionths of its currency; null: never. */
  readonly reportedAt: Date | null;
  readonly amount: bigint | null;
  readonly currency: string | null;
  readonly below: bigint | null;
  readonly samples: readonly BalanceSample[];
}

const LIST = statement({
  text: `
  SELECT upstream, due_at <= clock_timestamp() AS due, failures, failure, failure_status AS "failureStatus", reported_at AS "reportedAt", amount, currency, below, samples
  FROM operate.upstream_balances ORDER BY upstream`,
  row: {
    upstream: sql.text,
    due: sql.present(sql.bool),
    failures: sql.int4,
    failure: sql.nullable(sql.oneOf(BALANCE_FAILURES)),
    failureStatus: sql.nullable(sql.int4),
    reportedAt: sql.nullable(sql.timestamptz),
    amount: sql.nullable(sql.int8),
    currency: sql.nullable(sql.text),
    below: sql.nullable(sql.int8),
    samples: sql.jsonb.as<readonly BalanceSample[]>(),
  },
});

export async function storedBalances(q: Queryable): Promise<StoredBalance[]> {
  return q.run(LIST, []);
}

const CLAIM = statement({
  text: `
  INSERT INTO operate.upstream_balances AS b (upstream, due_at) VALUES ($1, clock_timestamp() + $2 * interval '1 second')
  ON CONFLICT (upstream) DO UPDATE SET due_at = excluded.due_at WHERE b.due_at <= clock_timestamp()
  RETURNING upstream`,
  parameters: [sql.text, sql.float8],
  row: { upstream: sql.text },
});

/** False: another process asks, or asked lately. */
export async function claimBalance(
  q: Queryable,
  upstream: string,
  forSeconds: number,
): Promise<boolean> {
  return (await q.run(CLAIM, [upstream, forSeconds])).length > 0;
}

const REPORTED = statement({
  text: `
  UPDATE operate.upstream_balances
  SET due_at = clock_timestamp() + $2 * interval '1 second', failures = 0, failure = NULL, failure_status = NULL,
    reported_at = clock_timestamp(), amount = $3, currency = $4, below = $5, samples = $6
  WHERE upstream = $1`,
  parameters: [sql.text, sql.float8, sql.int8, sql.text, sql.nullable(sql.int8), sql.jsonb],
});

export async function noteBalance(
  q: Queryable,
  reported: {
    readonly upstream: string;
    readonly againSeconds: number;
    readonly amount: bigint;
    readonly currency: string;
    readonly below: bigint | null;
    readonly samples: readonly BalanceSample[];
  },
): Promise<void> {
  const { upstream, againSeconds, amount, currency, below, samples } = reported;
  await q.run(REPORTED, [upstream, againSeconds, amount, currency, below, JSON.stringify(samples)]);
}

const FAILED = statement({
  text: `
  UPDATE operate.upstream_balances
  SET due_at = clock_timestamp() + $2 * interval '1 second', failures = failures + 1, failure = $3, failure_status = $4, below = $5
  WHERE upstream = $1`,
  parameters: [
    sql.text,
    sql.float8,
    sql.oneOf(BALANCE_FAILURES),
    sql.nullable(sql.int4),
    sql.nullable(sql.int8),
  ],
});

/** What it told before stays, with its time. */
export async function noteFailure(
  q: Queryable,
  failed: {
    readonly upstream: string;
    readonly againSeconds: number;
    readonly failure: BalanceFailure;
    readonly status: number | null;
    readonly below: bigint | null;
  },
): Promise<void> {
  const { upstream, againSeconds, failure, status, below } = failed;
  await q.run(FAILED, [upstream, againSeconds, failure, status, below]);
}

const FORGET = statement({
  text: "DELETE FROM operate.upstream_balances WHERE NOT upstream = ANY($1)",
  parameters: [sql.array(sql.text)],
});

/** Those that are asked no more: what they told alerts no one any more. */
export async function forgetOtherBalances(
  q: Queryable,
  upstreams: readonly string[],
): Promise<void> {
  await q.run(FORGET, [upstreams]);
}

const LOW = statement({
  text: `
  SELECT upstream, amount, currency, below FROM operate.upstream_balances WHERE amount < below ORDER BY upstream`,
  row: {
    upstream: sql.text,
    amount: sql.present(sql.int8),
    currency: sql.present(sql.text),
    below: sql.present(sql.int8),
  },
});

export interface LowBalance {
  readonly upstream: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly below: bigint;
}

export async function lowBalances(q: Queryable): Promise<LowBalance[]> {
  return q.run(LOW, []);
}
