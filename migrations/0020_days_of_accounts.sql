-- What an account's requests of a day came to, by model and state; and an index of the few entries that end no request
-- (docs/decisions/0019-what-an-account-sees.md).
-- Oldest version that may run beside it: 0.1.0

-- Days that are over, added up from usage.hourly over keys, members and groups, which makes it a few rows a day for an account of a thousand keys.
-- Which days have a state or a model at all is seen here, and between which ids.
CREATE TABLE usage.account_daily (
  account_id uuid NOT NULL,
  day date NOT NULL,                                   -- of Moscow
  kind text NOT NULL,
  model text NOT NULL,
  state text NOT NULL,
  ended bigint NOT NULL,
  charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  duration_ms bigint NOT NULL,
  first_ms bigint NOT NULL,
  firsts bigint NOT NULL,
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  PRIMARY KEY (account_id, day, kind, model, state)
);
CREATE INDEX account_daily_by_day ON usage.account_daily (day);

-- The last day that is in it. Not that of usage.daily: a gateway of an older version keeps days in that table alone.
CREATE TABLE usage.account_daily_through (day date NOT NULL);
INSERT INTO usage.account_daily_through VALUES ('-infinity');

-- With the hours that are in no day yet, so that it is right at every moment.
CREATE VIEW usage.account_days AS
  SELECT account_id, day, kind, model, state, ended, charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id, last_id
  FROM usage.account_daily
  UNION ALL
  SELECT account_id, (hour AT TIME ZONE 'Europe/Moscow')::date, kind, model, state, ended, charged_nano, input_tokens, cached_tokens, output_tokens,
    duration_ms, first_ms, firsts, first_id, last_id
  FROM usage.hourly WHERE hour >= (SELECT (t.day + 1)::timestamp AT TIME ZONE 'Europe/Moscow' FROM usage.account_daily_through t);

-- Top-ups, adjustments and losses among a million charges. A row that ends a request is in none of it. What posts entries waits while it is built.
CREATE INDEX entries_of_no_request ON ledger.entries (account_id, entry_no) WHERE kind NOT IN ('charge', 'release');
