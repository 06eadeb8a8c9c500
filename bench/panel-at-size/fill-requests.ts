/**
 * Fills accounts with requests of some months and the payments before them, so that the books agree
 * afterwards as if each had been made.
 */
import type { ClientBase } from "pg";
import { bookMade } from "../../test/support/book-made.ts";
import type { BigAccount, FilledKeys } from "./fill-accounts.ts";

export interface RequestsWish {
  readonly big: BigAccount;
  /** To whom one request of twenty belongs. */
  readonly small: FilledKeys;
  readonly count: number;
  readonly from: Date;
  /** Between two requests. */
  readonly apartMs: number;
}

/** Stretches of time; the big account pays before each, the others before two of them. */
const SLICES = 10;
const SMALL_PAY_EVERY = 5;
const SMALL_PAYMENT_NANO = 1_000_000_000_000n;
/** No request costs more. */
const DEAREST_NANO = 2_000_000_000n;
const MODELS = [
  "sandbox-small",
  "sandbox-medium",
  "sandbox-large",
  ...Array.from({ length: 9 }, (_, nth) => `model-${nth + 1}`),
];

export async function fillRequests(
  client: ClientBase,
  { big, small, count, from, apartMs }: RequestsWish,
  say: (done: number) => void,
): Promise<void> {
  const size = Math.ceil(count / SLICES);
  const step = `${apartMs} milliseconds`;
  for (let slice = 0; slice < SLICES; slice++) {
    const first = slice * size;
    const last = Math.min(first + size, count) - 1;
    if (last < first) return;
    const at = new Date(from.getTime() + first * apartMs).toISOString();
    await client.query(PAY, [[big.accountId], at, String(BigInt(size) * DEAREST_NANO)]);
    if (slice % SMALL_PAY_EVERY === 0)
      await client.query(PAY, [small.accountIds, at, String(SMALL_PAYMENT_NANO)]);
    await client.query(FILL, [
      big.accountId,
      big.keyIds,
      big.groupIds,
      small.accountIds,
      small.keyIds,
      MODELS,
      from.toISOString(),
      step,
      first,
      last,
    ]);
    say(last + 1);
  }
}

/** Of a moment, with something of its own behind the time (UUIDv7). */
const idOf = (moment: string, own: string): string =>
  `(left(ledger.first_id(${moment})::text, 13) || '-7' || substr(md5(${own}), 1, 3) || '-8' || substr(md5(${own}), 4, 3) || '-' || substr(md5(${own}), 7, 12))::uuid`;

/** One that succeeded, for each account. */
const PAY = `
  WITH made AS (
    SELECT a.account_id, a.entries + 1 AS entry_no, a.credited_nano - a.charged_nano + $3::bigint AS balance_nano,
      ${idOf("$2::timestamptz", "a.account_id::text || 'entry' || $2::text")} AS entry_id,
      ${idOf("$2::timestamptz", "a.account_id::text || 'payment' || $2::text")} AS payment_id
    FROM ledger.accounts a WHERE a.account_id = ANY ($1::uuid[])),
  booked AS (
    INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, class, reference)
    SELECT account_id, entry_id, entry_no, $2::timestamptz, $3::bigint, balance_nano, 'topup'::ledger.entry_kind, 'paid'::ledger.credit_class,
      'payment:' || payment_id
    FROM made),
  named AS (
    INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano, class, entry_no)
    SELECT 'topup', 'payment:' || payment_id, account_id, entry_id, $3::bigint, 'paid', entry_no FROM made),
  known AS (
    INSERT INTO directory.payments (payment_id, account_id, provider, provider_payment_id)
    SELECT payment_id, account_id, 'sandbox', 'filled-' || payment_id FROM made),
  paid AS (
    INSERT INTO payments.payments (account_id, payment_id, email, provider, method, locale, amount_nano, state, provider_payment_id, return_url,
      entry_id, created_at, ended_at)
    SELECT account_id, payment_id, 'accounts@company.example', 'sandbox', 'bank_card', 'ru', $3::bigint, 'succeeded'::payments.state,
      'filled-' || payment_id, 'http://127.0.0.1/panel/billing', entry_id, $2::timestamptz, $2::timestamptz + interval '1 minute'
    FROM made)
  UPDATE ledger.accounts a SET credited_nano = a.credited_nano + $3::bigint, entries = m.entry_no, entered_at = $2::timestamptz
  FROM made m WHERE a.account_id = m.account_id`;

/** As PostgreSQL 18's own uuidv7: in the order of the moments, to the microsecond. */
const REQUEST_ID = `(left(ledger.first_id(moment)::text, 13) || '-7' || lpad(to_hex((extract(epoch FROM moment) * 1000000)::bigint % 1000 * 4), 3, '0')
    || '-8' || right(gen_random_uuid()::text, 16))::uuid`;

/**
 * Some keys have many times the requests of others; each has models of its own. One request of seven
 * has failed, `client_gone` and `stopped_by_balance` are rare.
 */
const FILL = bookMade(
  `
  SELECT CASE WHEN small THEN ($4::uuid[])[nth + 1] ELSE $1::uuid END AS account_id,
    CASE WHEN small THEN ($5::uuid[])[nth + 1] ELSE ($2::uuid[])[key + 1] END AS budget_id,
    CASE WHEN NOT small AND key % 5 <> 0 THEN ($3::uuid[])[key % cardinality($3::uuid[]) + 1] END AS group_id,
    ${REQUEST_ID} AS entry_id, moment AS at, charge AS amount_nano, charge + 500 AS held_nano, charge / 2 AS cost_nano,
    ($6::text[])[(key + n % 3) % cardinality($6::text[]) + 1] AS model, 'upstream-' || key % 3 AS upstream, n % 1000 AS input_tokens,
    n % 10 AS cached_tokens, n % 100 AS output_tokens, (800 + n % 900)::integer AS duration_ms, (100 + n % 90)::integer AS first_ms, NULL AS reference,
    CASE WHEN charge = 0 THEN 'failed' WHEN n % 1009 = 5 THEN 'client_gone' WHEN n % 200003 = 11 THEN 'stopped_by_balance' ELSE 'completed' END AS state,
    json_build_object('stream', true, 'usageSource', 'upstream', 'finishReason', 'stop',
      'usage', json_build_object('inputTokens', n % 1000 - n % 10, 'cachedInputTokens', n % 10, 'outputTokens', n % 100),
      'attempts', json_build_array(json_build_object('upstream', 'upstream-' || key % 3, 'model', 'their-model', 'outcome', 'served',
        'status', 200, 'ms', 700 + n % 900)))::text AS detail
  FROM (
    SELECT n, n % 20 = 7 AS small, n / 20 % cardinality($4::uuid[]) AS nth,
      floor(power((hashint8(n) & 1048575)::float8 / 1048576, 2) * cardinality($2::uuid[]))::integer AS key,
      $7::timestamptz + (n + 0.5)::float8 * $8::interval AS moment,
      CASE WHEN n % 7 = 3 THEN 0 ELSE (hashint8(n + 13) & 2147483647) % 2000000000 + 1 END::bigint AS charge
    FROM generate_series($9::bigint, $10::bigint) AS n) numbers`,
  true,
);
