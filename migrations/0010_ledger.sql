-- The books: who owns how much, what is reserved, and every movement of money, kept so that the database itself refuses to overspend.
-- All amounts are nano-roubles. Accounts, budgets and holds are running totals of ledger.entries; `tollgate ledger verify` recomputes them.
-- The walls are few and simple expressions, because PostgreSQL reads them anew for every statement.

CREATE TYPE ledger.period AS ENUM ('day', 'month', 'total');
CREATE TYPE ledger.entry_kind AS ENUM ('topup', 'adjust', 'charge', 'release', 'loss');

CREATE TABLE ledger.accounts (
  account_id uuid PRIMARY KEY,
  blocked boolean NOT NULL DEFAULT false,
  credited_nano bigint NOT NULL DEFAULT 0,             -- top-ups and adjustments
  charged_nano bigint NOT NULL DEFAULT 0,              -- taken for ended holds
  held_nano bigint NOT NULL DEFAULT 0,                 -- sum of the account's rows in ledger.holds
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT never_overspent CHECK (charged_nano >= 0 AND held_nano >= 0 AND held_nano <= credited_nano - charged_nano)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- A spend limit inside an account. The gateway keeps one per API key. A closed one admits nothing new; what runs may grow and settle.
CREATE TABLE ledger.budgets (
  budget_id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES ledger.accounts,
  closed boolean NOT NULL DEFAULT false,
  limit_nano bigint CHECK (limit_nano >= 0),           -- null: no limit
  period ledger.period NOT NULL,
  period_start timestamptz NOT NULL,                   -- of the period that period_charged_nano counts; only moves forward
  period_charged_nano bigint NOT NULL DEFAULT 0,
  charged_nano bigint NOT NULL DEFAULT 0,
  held_nano bigint NOT NULL DEFAULT 0,
  excess_nano bigint NOT NULL DEFAULT 0,               -- how far use stood above the limit when the limit was set
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT limit_kept CHECK (period_charged_nano >= 0 AND charged_nano >= period_charged_nano AND held_nano >= 0
                               AND period_charged_nano + held_nano - excess_nano <= limit_nano)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Money reserved for work that has not ended. Rows come and go at the rate of requests.
CREATE TABLE ledger.holds (
  hold_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  budget_id uuid,
  owner_id uuid,                                       -- the process that will settle it; null: never swept
  held_nano bigint NOT NULL,
  recorded_nano bigint NOT NULL DEFAULT 0,             -- price of what was delivered so far: the charge if the owner dies
  last_extension bigint,                               -- token of the last granted extension, so that a repeated one is known
  price_version integer NOT NULL,
  created_at timestamptz NOT NULL,
  reference text NOT NULL,
  detail text NOT NULL,                                -- the holder's own JSON
  CONSTRAINT recorded_within_hold CHECK (recorded_nano >= 0 AND recorded_nano <= held_nano)
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_threshold = 10000, autovacuum_analyze_scale_factor = 0);

-- Processes that own holds, and until when they are believed alive; written with the database's clock only.
CREATE TABLE ledger.owners (
  owner_id uuid PRIMARY KEY,
  alive_until timestamptz NOT NULL
);

-- Every movement of money, one row per transfer from a debited book to a credited one. Append-only; a correction is a new row.
-- Books are the accounts and four of the operator's own, which have no balance row, because everybody would queue for it:
--   …01 funding (money paid in), …02 revenue, …03 loss (delivered but not charged), …04 adjustments.
-- The entry that ends a hold has the hold's id: that a hold ends once is the primary key.
CREATE TABLE ledger.entries (
  entry_id uuid PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,             -- given under the account's lock, so an account's rows are in order
  kind ledger.entry_kind NOT NULL,
  account_id uuid NOT NULL,
  budget_id uuid,
  debit_id uuid NOT NULL,
  credit_id uuid NOT NULL,
  amount_nano bigint NOT NULL,
  held_nano bigint,                                    -- charge and release: what was held,
  released_nano bigint,                                -- and what of it went back
  price_version integer,
  at timestamptz NOT NULL,
  reference text NOT NULL,
  note text,
  CONSTRAINT adds_up CHECK (amount_nano >= 0 AND debit_id <> credit_id AND released_nano >= 0 AND held_nano = amount_nano + released_nano)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE UNIQUE INDEX entries_by_account ON ledger.entries (account_id, seq);
-- Money from outside counts once per reference.
CREATE UNIQUE INDEX entries_by_outside_reference ON ledger.entries (kind, reference) WHERE kind IN ('topup', 'adjust');

CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on ledger.entries: the ledger is append-only; book a new entry that corrects the old one', TG_OP
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

REVOKE UPDATE, DELETE, TRUNCATE ON ledger.entries FROM CURRENT_USER;

-- Periods begin at midnight in Moscow, where the customers' days are; 'total' has no beginning.
CREATE FUNCTION ledger.period_start(period ledger.period, moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN date_trunc('day', moment AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow'
    WHEN 'month' THEN date_trunc('month', moment AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow'
    ELSE '-infinity' END
$$;

-- A lease far in the future was written before the clock was set back: it is not believed either.
CREATE FUNCTION ledger.is_alive(alive_until timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT alive_until > clock_timestamp() AND alive_until < clock_timestamp() + interval '2 minutes'
$$;
