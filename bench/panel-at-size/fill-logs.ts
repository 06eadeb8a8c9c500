/**
 * Fills in what else lists of the panel are long of: tasks, deliveries of alerts, and what operators
 * and members did.
 */
import type { ClientBase } from "pg";
import type { BigAccount, FilledKeys } from "./fill-accounts.ts";

export interface LogsWish {
  readonly big: BigAccount;
  readonly small: FilledKeys;
  readonly from: Date;
  readonly days: number;
  /** All in the big account; they failed, so that no money was moved. */
  readonly tasks: number;
}

const ACTIONS = 10_000;
const DELIVERIES = 2_000;

export async function fillLogs(client: ClientBase, wish: LogsWish): Promise<void> {
  const { big, small, from, days, tasks } = wish;
  const apart = (count: number): string => `${(days * 86_400) / Math.max(1, count)} seconds`;
  const begin = from.toISOString();
  if (tasks > 0)
    await client.query(TASKS, [big.accountId, big.keyIds, begin, apart(tasks), tasks - 1]);
  await client.query(OPERATORS_ACTIONS, [small.accountIds, begin, apart(ACTIONS), ACTIONS - 1]);
  await client.query(MEMBERS_ACTIONS, [big.accountId, begin, apart(ACTIONS), ACTIONS - 1]);
  await client.query(ALERTS_SENT, [big.accountId, begin, apart(DELIVERIES), DELIVERIES - 1]);
}

/** Of the moment of a row, with chance behind the time (UUIDv7). */
const ID = `(left(ledger.first_id(moment)::text, 13) || '-7' || substr(md5(n::text), 1, 3) || '-8' || right(gen_random_uuid()::text, 16))::uuid`;

const TASKS = `
  INSERT INTO tasks.tasks (account_id, task_id, key_id, request_id, model, parameter_table, parameters, state, price_version, price_nano, cost_state,
    error_code, error_message, created_at, started_at, completed_at, deadline_at, upstream, attempts)
  SELECT $1::uuid, ${ID}, ($2::uuid[])[n % cardinality($2::uuid[]) + 1], gen_random_uuid(), 'flux-2', 'T1', '{"prompt": "A gate by the road."}'::json,
    'failed'::tasks.state, 1, 5000000000, 'released'::tasks.cost_state, 'provider_error', 'The provider failed.', moment,
    moment + interval '1 second', moment + interval '20 seconds', moment + interval '1 hour', 'sandbox', 1
  FROM (SELECT n, $3::timestamptz + n::float8 * $4::interval AS moment FROM generate_series(0, $5::bigint) AS n) numbers`;

const OPERATORS_ACTIONS = `
  INSERT INTO audit.actions (audit_id, at, member_id, actor, action, account_id, subject, reason)
  SELECT ${ID}, moment, m.member_id, m.email, CASE WHEN n % 50 = 0 THEN 'account.block' ELSE 'key.delete' END,
    ($1::uuid[])[n % cardinality($1::uuid[]) + 1], 'key ' || n, 'Asked for by its owner, letter ' || n
  FROM (SELECT n, $2::timestamptz + n::float8 * $3::interval AS moment FROM generate_series(0, $4::bigint) AS n) numbers,
    (SELECT member_id, email FROM accounts.members WHERE operator ORDER BY member_id LIMIT 1) m`;

const MEMBERS_ACTIONS = `
  INSERT INTO audit.account_actions (account_id, audit_id, at, member_id, actor, action, subject_id, subject)
  SELECT $1::uuid, ${ID}, moment, m.ids[n % cardinality(m.ids) + 1], m.emails[n % cardinality(m.ids) + 1], 'key.freeze', md5(n::text) || md5(n::text),
    'Service ' || n
  FROM (SELECT n, $2::timestamptz + n::float8 * $3::interval AS moment FROM generate_series(0, $4::bigint) AS n) numbers,
    (SELECT array_agg(member_id ORDER BY member_id) AS ids, array_agg(email ORDER BY member_id) AS emails
     FROM accounts.members WHERE account_id = $1::uuid) m`;

const ALERTS_SENT = `
  INSERT INTO alerts.deliveries (account_id, delivery_id, kind, channel, target, test, value_nano, threshold_nano, fired_at, body, tries, last_at,
    last_status, delivered_at)
  SELECT $1::uuid, ${ID}, 'spend_day'::alerts.kind, 'webhook'::alerts.channel, 'https://hooks.example/tollgate', false, 2000000000000, 1000000000000,
    moment, '{}', 1, moment, 200, moment
  FROM (SELECT n, $2::timestamptz + n::float8 * $3::interval AS moment FROM generate_series(0, $4::bigint) AS n) numbers`;
