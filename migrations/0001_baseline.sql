-- The whole schema, as one file: every later change is a migration of its own on top of it.
-- One PostgreSQL schema for each room of the gateway; only that room's store reads or writes it. What the ledger and the receipts do at
-- each request is in 0002_ledger_functions.sql. `schema.sql` beside it says what all migrations together come to.

-- Where accounts are many, they can be spread over servers: account_id leads the key of every table that belongs to one, and no foreign key
-- leaves its account (docs/decisions/0022-keys-by-account.md, test/schema/distributable.test.ts). What is looked for before the account is
-- known, or must be there once in the whole world, has a small row in the schema directory, written in the same transaction by the room that
-- writes the thing; directories stay in one place.

-- ==== directory ==================================================================================

CREATE SCHEMA directory;

-- Whose task an upstream means that reports on a submission. Gone with the task's job.
CREATE TABLE directory.attempts (
  attempt_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  UNIQUE (account_id, task_id)
);

-- Whose file is served under a name.
CREATE TABLE directory.files (
  name text PRIMARY KEY,
  account_id uuid NOT NULL,
  file_id uuid NOT NULL
);

-- Whose payment a provider reports on: by its own id or, until that is known here, by ours.
CREATE TABLE directory.payments (
  payment_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  provider text NOT NULL,
  provider_payment_id text,
  UNIQUE (provider, provider_payment_id)
);

-- Whose key a caller shows. Deleted ones stay, as the keys do.
CREATE TABLE directory.keys (
  hash text PRIMARY KEY,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL
);

-- Money from outside counts once per reference.
CREATE TABLE directory.transfers (
  kind text NOT NULL,                                  -- topup or adjust
  reference text NOT NULL,
  account_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  amount_nano bigint NOT NULL,                         -- as its entry has it, which may be archived when the same is booked again
  PRIMARY KEY (kind, reference)
);

-- ==== accounts ===================================================================================

CREATE SCHEMA accounts;

-- Customers and the people who act for them. Money is the ledger's: an account's balance is under the same id there.
CREATE TABLE accounts.accounts (
  account_id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- What it may ask for each minute, at once, and how many unfinished tasks it may have; null for no limit. What is used of it is counted
  -- in the schema limits, under the account's id.
  requests_per_minute integer CHECK (requests_per_minute > 0),
  tokens_per_minute integer CHECK (tokens_per_minute > 0),
  max_concurrent integer CHECK (max_concurrent > 0),
  max_tasks integer CHECK (max_tasks > 0),
  -- An operator blocked it: its keys are refused. That nothing new is held for it is ledger.accounts.blocked, set in the same transaction.
  blocked_at timestamptz,
  block_reason text CHECK (length(block_reason) BETWEEN 1 AND 500),   -- its members are shown it
  CONSTRAINT blocked_for_a_reason CHECK ((blocked_at IS NULL) = (block_reason IS NULL))
);

-- A person who logs in to the panel. Operators may act on all accounts.
CREATE TABLE accounts.members (
  member_id uuid PRIMARY KEY,
  -- Deferred: a new account's first member is written before it, so that a taken e-mail leaves nothing behind.
  account_id uuid NOT NULL REFERENCES accounts.accounts DEFERRABLE INITIALLY DEFERRED,
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  -- $argon2id$…; the password itself is nowhere.
  password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
  -- The password was made by us and shown to somebody else: it only opens the form that sets a new one.
  must_change_password boolean NOT NULL,
  operator boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  name text CHECK (length(name) BETWEEN 1 AND 200),
  role text NOT NULL DEFAULT 'owner' CHECK (role IN ('viewer', 'manager', 'owner')),
  language text NOT NULL DEFAULT 'ru' CHECK (language IN ('ru', 'en')),
  timezone text NOT NULL DEFAULT 'Europe/Moscow' CHECK (length(timezone) BETWEEN 1 AND 64),
  verified_at timestamptz                              -- null: the member cannot log in yet
);
CREATE INDEX members_of_account ON accounts.members (account_id);

-- The second factor.
CREATE TABLE accounts.totp (
  member_id uuid PRIMARY KEY REFERENCES accounts.members ON DELETE CASCADE,
  sealed_secret bytea NOT NULL,
  -- Null: it was shown, and no code of it came back yet; no log-in asks for it.
  confirmed_at timestamptz,
  -- Of the last code that was taken, in periods of 30 seconds: neither that code nor an older one is taken again.
  last_step bigint NOT NULL DEFAULT 0
);

-- Each opens once, in place of a code. 80 bits of chance, so a plain hash keeps it.
CREATE TABLE accounts.recovery_codes (
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
  PRIMARY KEY (member_id, code_hash)
);

-- Sessions of the panel, asked at every request: what is deleted here is over in every process.
CREATE TABLE accounts.sessions (
  session_id uuid PRIMARY KEY,
  -- HMAC of the cookie's token; the token itself is with the browser alone.
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  stage text NOT NULL CHECK (stage IN ('full', 'totp', 'password')),
  -- Codes of the second factor that were wrong.
  wrong_codes smallint NOT NULL DEFAULT 0,
  address text NOT NULL,
  user_agent text NOT NULL CHECK (length(user_agent) <= 400),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Moves on while the session is used, up to ends_at.
  expires_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX sessions_of_member ON accounts.sessions (member_id);
CREATE INDEX sessions_by_expiry ON accounts.sessions (expires_at);

-- Where a member has logged in from before: a log-in from elsewhere is told by mail.
CREATE TABLE accounts.devices (
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  address text NOT NULL,
  user_agent text NOT NULL CHECK (length(user_agent) <= 400),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (member_id, address, user_agent)
);
CREATE INDEX devices_by_age ON accounts.devices (seen_at);

-- What links in mails carry, each for one purpose and one use: a row that is used is deleted. Only HMACs of the tokens are here.
CREATE TABLE accounts.tokens (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  purpose text NOT NULL CHECK (purpose IN ('verify', 'reset')),
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX tokens_of_member ON accounts.tokens (member_id, purpose);
CREATE INDEX tokens_by_expiry ON accounts.tokens (expires_at);

-- People who are asked to join an account. Whether they are members of another one already is found out when they accept.
CREATE TABLE accounts.invitations (
  invitation_id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts.accounts ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('viewer', 'manager', 'owner')),
  language text NOT NULL CHECK (language IN ('ru', 'en')),
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  UNIQUE (account_id, email)
);

-- How often something was tried lately that must not be tried without end (passwords, codes, mails), for all processes together. One row
-- is one bucket that leaks: an attempt moves free_at on by a step, and is refused where that leads too far ahead of the time.
CREATE TABLE accounts.attempts (
  -- HMAC of what is counted: neither e-mails nor addresses of strangers are collected here.
  subject bytea PRIMARY KEY CHECK (length(subject) = 32),
  free_at timestamptz NOT NULL
);
CREATE INDEX attempts_by_age ON accounts.attempts (free_at);

-- ==== keys =======================================================================================

CREATE SCHEMA keys;

-- API keys. The secret is nowhere, only its hash; the spend limit is a budget in the ledger under the key's id.
CREATE TABLE keys.keys (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  mask text NOT NULL CHECK (mask ~ '^tg_live_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$'),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  deleted_at timestamptz,                              -- set once; the budget is closed in the same transaction: that refuses the next request
  frozen_at timestamptz,                               -- stopped for a while; its budget is closed as long
  rolled_to uuid,                                      -- the key that took its place
  once uuid,                                           -- of the form that made it: sent twice, it makes one key
  models text[] CHECK (cardinality(models) BETWEEN 1 AND 100),
  ips text[] CHECK (cardinality(ips) BETWEEN 1 AND 100),
  -- What it may ask for, as with accounts.
  requests_per_minute integer CHECK (requests_per_minute > 0),
  tokens_per_minute integer CHECK (tokens_per_minute > 0),
  max_concurrent integer CHECK (max_concurrent > 0),
  max_tasks integer CHECK (max_tasks > 0),
  last_used_at timestamptz,
  PRIMARY KEY (account_id, key_id)
) WITH (fillfactor = 80);
-- What keys are called, in lists of several accounts.
CREATE INDEX keys_by_id ON keys.keys (key_id);
CREATE UNIQUE INDEX keys_made_once ON keys.keys (account_id, once) WHERE once IS NOT NULL;

-- ==== catalogue ==================================================================================

CREATE SCHEMA catalogue;

-- Every catalogue that was ever in force. The newest version is the one in force; a hold names the version it was priced by.
CREATE TABLE catalogue.versions (
  version integer PRIMARY KEY CHECK (version > 0),
  -- The file as it was written, ${NAME} references unreplaced, so that no value of the environment is stored.
  source text NOT NULL,
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  -- file: taken from the CATALOGUE file at a start; apply: put in force by a command or the panel.
  origin text NOT NULL CHECK (origin IN ('file', 'apply')),
  applied_by text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  note text CHECK (length(note) BETWEEN 1 AND 500)     -- what whoever put it in force has to say about it
);

CREATE FUNCTION catalogue.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER versions_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON catalogue.versions
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON catalogue.versions FROM CURRENT_USER;

-- ==== ledger =====================================================================================

CREATE SCHEMA ledger;

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
  entries bigint NOT NULL DEFAULT 0,                   -- how many it has: the number of the last one
  entered_at timestamptz NOT NULL DEFAULT '-infinity', -- the time of the last one
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT never_overspent CHECK (charged_nano >= 0 AND held_nano >= 0 AND held_nano <= credited_nano - charged_nano)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- A spend limit inside an account. The gateway keeps one per API key. A closed one admits nothing new; what runs may grow and settle.
CREATE TABLE ledger.budgets (
  account_id uuid NOT NULL REFERENCES ledger.accounts,
  budget_id uuid NOT NULL,
  closed boolean NOT NULL DEFAULT false,
  limit_nano bigint CHECK (limit_nano >= 0),           -- null: no limit
  period ledger.period NOT NULL,
  period_start timestamptz NOT NULL,                   -- of the period that period_charged_nano counts; only moves forward
  period_charged_nano bigint NOT NULL DEFAULT 0,
  charged_nano bigint NOT NULL DEFAULT 0,
  held_nano bigint NOT NULL DEFAULT 0,
  excess_nano bigint NOT NULL DEFAULT 0,               -- how far use stood above the limit when the limit was set
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  follows uuid,                                        -- the budget whose place it took: what was used of the limit before is used of it still
  carried_nano bigint NOT NULL DEFAULT 0,              -- counted in period_charged_nano, but charged to those before it,
  carried_at timestamptz,                              -- for as long as the period of this moment runs
  PRIMARY KEY (account_id, budget_id),
  CONSTRAINT limit_kept CHECK (period_charged_nano >= 0 AND charged_nano + carried_nano >= period_charged_nano AND held_nano >= 0
                               AND carried_nano >= 0 AND period_charged_nano + held_nano - excess_nano <= limit_nano)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- For whoever knows the budget alone; nothing that runs for each request does.
CREATE INDEX budgets_by_id ON ledger.budgets (budget_id);

-- A process's life in the books: it may write pages and take leases until it is judged dead and fenced. A process that was judged dead
-- while it lived opens another one.
CREATE TABLE ledger.journals (
  journal_id uuid PRIMARY KEY,
  owner_id uuid NOT NULL,                              -- the process
  alive_until timestamptz NOT NULL,                    -- by the database's clock only
  fenced boolean NOT NULL DEFAULT false,               -- judged dead: no page and no hold any more
  page_no bigint NOT NULL DEFAULT 0                    -- of the last page that was written
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

-- Money set aside. Of a task: until it ends. Of a journal: for one request, or shared by many (a lease).
CREATE TABLE ledger.holds (
  account_id uuid NOT NULL,
  hold_id uuid NOT NULL,                               -- a request's or task's own, or a lease's
  budget_id uuid, budget2_id uuid, budget3_id uuid,    -- all must have room
  journal_id uuid,                                     -- null: a task's, which is never swept
  shared boolean NOT NULL DEFAULT false,               -- a lease
  recalled boolean NOT NULL DEFAULT false,             -- of a lease: what was unused is given back, and nothing more begins in it
  held_nano bigint NOT NULL,
  token bigint, granted_nano bigint,                   -- the last grant, so that a repeated one is known
  price_version integer, reference text, detail text,  -- of a task
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, hold_id),
  CONSTRAINT not_negative CHECK (held_nano >= 0)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_threshold = 10000, autovacuum_analyze_scale_factor = 0);
CREATE INDEX holds_by_journal ON ledger.holds (journal_id) WHERE journal_id IS NOT NULL;

-- What a process has durably said and the poster has not yet booked; arrays of one group are aligned.
CREATE TABLE ledger.pages (
  journal_id uuid NOT NULL,
  page_no bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Requests that ended. A request whose hold has its own id gives back what is left of it.
  request_ids uuid[] NOT NULL, account_ids uuid[] NOT NULL, hold_ids uuid[] NOT NULL,
  held bigint[] NOT NULL, charges bigint[] NOT NULL, losses bigint[], price_versions integer[] NOT NULL, "references" text[],
  noted boolean[],                                     -- null: none of them is among the unfinished
  -- Their receipts; a null endpoint: none.
  endpoints text[], models_requested text[], models text[], states text[], started_at timestamptz[], details text[], faults text[],
  input_tokens bigint[], cached_tokens bigint[], output_tokens bigint[], upstreams text[], costs bigint[],
  durations integer[], firsts integer[],
  -- Requests that go on: what is held for each, and what it is charged if its process dies.
  note_ids uuid[], note_accounts uuid[], note_holds uuid[], note_held bigint[], note_recorded bigint[], note_versions integer[], note_details text[],
  -- Leases that give money back; a null amount: all of it, and it is over.
  given_accounts uuid[], given_holds uuid[], given bigint[],
  PRIMARY KEY (journal_id, page_no)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
-- A page lives for a moment: to compress it would cost more than to write it as it is.
ALTER TABLE ledger.pages
  ALTER request_ids SET STORAGE EXTERNAL, ALTER account_ids SET STORAGE EXTERNAL, ALTER hold_ids SET STORAGE EXTERNAL, ALTER held SET STORAGE EXTERNAL,
  ALTER charges SET STORAGE EXTERNAL, ALTER endpoints SET STORAGE EXTERNAL, ALTER models_requested SET STORAGE EXTERNAL,
  ALTER models SET STORAGE EXTERNAL, ALTER states SET STORAGE EXTERNAL, ALTER started_at SET STORAGE EXTERNAL, ALTER details SET STORAGE EXTERNAL,
  ALTER input_tokens SET STORAGE EXTERNAL, ALTER cached_tokens SET STORAGE EXTERNAL, ALTER output_tokens SET STORAGE EXTERNAL,
  ALTER upstreams SET STORAGE EXTERNAL, ALTER costs SET STORAGE EXTERNAL, ALTER durations SET STORAGE EXTERNAL, ALTER note_details SET STORAGE EXTERNAL;

-- Requests that were noted and have not ended, as far as pages are posted.
CREATE TABLE ledger.unfinished (
  account_id uuid NOT NULL,
  request_id uuid NOT NULL,
  journal_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  held_nano bigint NOT NULL,
  recorded_nano bigint NOT NULL,
  price_version integer NOT NULL,
  noted_at timestamptz NOT NULL,
  detail text NOT NULL,                                -- the holder's own JSON
  PRIMARY KEY (account_id, request_id),
  CONSTRAINT recorded_within_hold CHECK (recorded_nano >= 0 AND recorded_nano <= held_nano)
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX unfinished_by_journal ON ledger.unfinished (journal_id);

-- Processes, and until when they are believed alive; written with the database's clock only.
CREATE TABLE ledger.owners (
  owner_id uuid PRIMARY KEY,
  alive_until timestamptz NOT NULL
);

-- Every movement of money, one row each; of an ended request or task the row is its receipt, too. Append-only; a correction is a new row.
-- The entry that ends a hold has the hold's id, which is the request's or the task's: that a hold ends once is the primary key.
-- By months of the entries' ids, which begin with the time (UUIDv7): a request stands in the month in which it began. Closed months may be
-- archived. A partition is made long before its month (ledger.keep_months); what belongs to none goes to entries_other.
CREATE TABLE ledger.entries (
  account_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  entry_no bigint NOT NULL,                            -- 1, 2, 3 … of the account, given under its row's lock
  at timestamptz NOT NULL,                             -- when it was booked; never before that of an earlier number
  amount_nano bigint NOT NULL,                         -- below zero only where an adjustment takes
  balance_nano bigint NOT NULL,                        -- the account's, right after it: what was credited without what was charged
  held_nano bigint,                                    -- charge and release: what was held; what was not charged of it went back
  started_at timestamptz,                              -- of the request or task, as are all from here to upstream
  input_tokens bigint,                                 -- all of the prompt
  cached_tokens bigint,                                -- of them, read from a cache
  output_tokens bigint,
  cost_nano bigint,                                    -- of its upstream; null: not known
  kind ledger.entry_kind NOT NULL,
  price_version integer,
  duration_ms integer,
  first_ms integer,                                    -- to the first content; null: none, or not streamed
  budget_id uuid,                                      -- that of the key that paid
  budget2_id uuid,
  budget3_id uuid,
  endpoint text,                                       -- null: no chat request, or its receipt could not be written
  model_requested text,                                -- null: the same as the model
  model text,                                          -- whose price counts
  state text,
  upstream text,                                       -- that served it; null: none did
  reference text,                                      -- null: a chat request's own
  note text,
  detail text,                                         -- JSON of what no column says
  PRIMARY KEY (account_id, entry_id),                  -- receipts, one or in order; what a hold that ended was charged
  CONSTRAINT adds_up CHECK ((amount_nano >= 0 OR kind = 'adjust') AND amount_nano <= held_nano)
) PARTITION BY RANGE (entry_id);

-- The books of an account in order: its list, and what is new since a number.
CREATE INDEX entries_by_number ON ledger.entries (account_id, entry_no);
-- A time over all accounts, or an id whose account is not known. Rows come in the order of their ids, nearly, so an index by blocks is enough.
CREATE INDEX entries_by_id ON ledger.entries USING brin (entry_id) WITH (pages_per_range = 32, autosummarize = on);

CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on ledger.%: the ledger is append-only; book a new entry that corrects the old one', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON ledger.entries FROM CURRENT_USER;

-- ---- closed months -------------------------------------------------------------------------------

-- Months of entries that are closed (docs/decisions/0024-archive.md): sealed, so that none is added any more; then archived, when a file of
-- their rows was read back and agreed with the seals; then dropped from here. A month without a row here is open.
CREATE TABLE ledger.months (
  month date PRIMARY KEY CHECK (extract(day FROM month) = 1),   -- of Moscow, as its partition is
  state text NOT NULL DEFAULT 'sealed' CHECK (state IN ('sealed', 'archived', 'dropped')),
  entries bigint NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  file text,                                           -- in the archive; named before its first byte is written
  edition integer,                                     -- of the form of its rows
  bytes bigint,
  sha256 text,
  archived_at timestamptz,
  dropped_at timestamptz,
  CHECK ((state = 'sealed') = (archived_at IS NULL) AND (state = 'dropped') = (dropped_at IS NOT NULL)),
  CHECK (state = 'sealed' OR num_nonnulls(file, edition, bytes, sha256) = 4)
);

-- What a closed month comes to for an account. Every total of the books is these and the entries that are still here.
CREATE TABLE ledger.seals (
  account_id uuid NOT NULL,
  month date NOT NULL,
  entries bigint NOT NULL,
  topped_up_nano bigint NOT NULL,
  adjusted_nano bigint NOT NULL,
  charged_nano bigint NOT NULL,
  lost_nano numeric NOT NULL,                          -- borne by the operator; may be absurd
  first_no bigint NOT NULL,
  last_no bigint NOT NULL,
  numbers numeric NOT NULL,                            -- the sum of the entries' numbers
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, month)
);

-- The same for a budget.
CREATE TABLE ledger.budget_seals (
  account_id uuid NOT NULL,
  budget_id uuid NOT NULL,
  month date NOT NULL,
  charged_nano bigint NOT NULL,
  period_start timestamptz NOT NULL,                   -- of the period that its total counted at the sealing,
  since_nano bigint NOT NULL,                          -- and what of this was charged since then,
  late_nano bigint NOT NULL,                           -- and in the month of the sealing
  PRIMARY KEY (account_id, budget_id, month)
);

CREATE FUNCTION ledger.refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger.% is sealed: entry % of account % comes too late', TG_TABLE_NAME, NEW.entry_id, NEW.account_id
    USING ERRCODE = 'restrict_violation';
END $$;

-- Closes a month, if it is over for two days and nothing can come to it any more: in one transaction no entry is added, the seals are
-- written, and from then on none is taken. `refused` says why not: running, awaited (a hold, an unfinished request or a page has an id of it),
-- today (an entry of it was booked today, so the totals of days still change by it).
CREATE FUNCTION ledger.seal_month(p_month date, OUT refused text, OUT entries bigint) LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := 'entries_' || to_char(p_month, 'YYYY_MM');
  ends CONSTANT timestamptz := (p_month + interval '1 month') AT TIME ZONE 'Europe/Moscow';
  first CONSTANT uuid := ledger.first_id(p_month::timestamp AT TIME ZONE 'Europe/Moscow');
  next CONSTANT uuid := ledger.first_id(ends);
BEGIN
  IF ends > clock_timestamp() - interval '2 days' THEN
    refused := 'running';
    RETURN;
  END IF;
  EXECUTE format('LOCK TABLE ledger.%I IN SHARE ROW EXCLUSIVE MODE', name);
  -- Pages before what they become.
  IF EXISTS (SELECT FROM ledger.pages g, unnest(g.request_ids || coalesce(g.note_ids, '{}')) AS id WHERE id >= first AND id < next)
    OR EXISTS (SELECT FROM ledger.unfinished u WHERE u.request_id >= first AND u.request_id < next)
    OR EXISTS (SELECT FROM ledger.holds h WHERE NOT h.shared AND h.hold_id >= first AND h.hold_id < next) THEN
    refused := 'awaited';
    RETURN;
  END IF;
  INSERT INTO ledger.seals (account_id, month, entries, topped_up_nano, adjusted_nano, charged_nano, lost_nano, first_no, last_no, numbers, first_at, last_at)
  SELECT e.account_id, p_month, count(*), coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'topup'), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'adjust'), 0), coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'charge'), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'loss'), 0), min(e.entry_no), max(e.entry_no), sum(e.entry_no), min(e.at), max(e.at)
  FROM ledger.entries e WHERE e.entry_id >= first AND e.entry_id < next GROUP BY e.account_id;
  IF EXISTS (SELECT FROM ledger.seals s WHERE s.month = p_month AND s.last_at >= ledger.period_start('day', clock_timestamp())) THEN
    DELETE FROM ledger.seals s WHERE s.month = p_month;
    refused := 'today';
    RETURN;
  END IF;
  INSERT INTO ledger.budget_seals (account_id, budget_id, month, charged_nano, period_start, since_nano, late_nano)
  SELECT b.account_id, b.budget_id, p_month, sum(e.amount_nano), b.period_start, coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= b.period_start), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= ledger.period_start('month', clock_timestamp())), 0)
  FROM ledger.entries e, unnest(ARRAY[e.budget_id, e.budget2_id, e.budget3_id]) AS u (budget_id)
    JOIN ledger.budgets b USING (budget_id)
  WHERE e.entry_id >= first AND e.entry_id < next AND e.kind = 'charge' AND b.account_id = e.account_id
  GROUP BY b.account_id, b.budget_id;
  entries := coalesce((SELECT sum(s.entries) FROM ledger.seals s WHERE s.month = p_month), 0);
  INSERT INTO ledger.months (month, entries) VALUES (p_month, seal_month.entries);
  EXECUTE format('CREATE TRIGGER sealed BEFORE INSERT ON ledger.%I FOR EACH ROW EXECUTE FUNCTION ledger.refuse_late()', name);
END $$;

-- Takes an archived month from here; false: it is not archived, or is dropped. The lock that this needs makes all entries wait, so it is
-- asked for briefly: the caller comes again.
CREATE FUNCTION ledger.drop_month(p_month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
BEGIN
  UPDATE ledger.months m SET state = 'dropped', dropped_at = clock_timestamp() WHERE m.month = p_month AND m.state = 'archived';
  IF NOT FOUND THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE IF EXISTS ledger.%I', 'entries_' || to_char(p_month, 'YYYY_MM'));
  RETURN true;
END $$;

-- The least id of a moment (UUIDv7), and the moment of an id.
CREATE FUNCTION ledger.first_id(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;
CREATE FUNCTION ledger.time_of(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
-- Whether the entry of an id has left with its month.
CREATE FUNCTION ledger.is_past(id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM ledger.months m WHERE m.state = 'dropped' AND m.month = date_trunc('month', ledger.time_of(id) AT TIME ZONE 'Europe/Moscow')::date)
$$;

-- Where there is no statement trigger on a parent (a distributed PostgreSQL drops it), each partition refuses for itself.
CREATE FUNCTION ledger.wall_partition(p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.%I
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', p_name);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON ledger.%I FROM CURRENT_USER', p_name);
END $$;

CREATE TABLE ledger.entries_other PARTITION OF ledger.entries DEFAULT WITH (autovacuum_vacuum_insert_scale_factor = 0.2);
SELECT ledger.wall_partition('entries_other');

-- Makes the partitions of the months from the one date's to the other's, of Moscow, where there are none. Attaches them instead of creating
-- them in place: entries go on being written meanwhile.
CREATE FUNCTION ledger.keep_months(p_from date, p_to date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ledger.keep_months'));
  FOR month IN SELECT generate_series(date_trunc('month', p_from::timestamp), date_trunc('month', p_to::timestamp), interval '1 month') LOOP
    name := 'entries_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(format('ledger.%I', name)) IS NOT NULL OR EXISTS (SELECT FROM ledger.months m WHERE m.month = to_date(right(name, 7), 'YYYY_MM'));
    EXECUTE format('CREATE TABLE ledger.%I (LIKE ledger.entries INCLUDING ALL) WITH (autovacuum_vacuum_insert_scale_factor = 0.2)', name);
    PERFORM ledger.wall_partition(name);
    EXECUTE format('ALTER TABLE ledger.entries ATTACH PARTITION ledger.%I FOR VALUES FROM (%L) TO (%L)', name,
      ledger.first_id(month AT TIME ZONE 'Europe/Moscow'), ledger.first_id((month + interval '1 month') AT TIME ZONE 'Europe/Moscow'));
  END LOOP;
END $$;

SELECT ledger.keep_months((clock_timestamp() - interval '1 month')::date, (clock_timestamp() + interval '3 months')::date);

-- The number of the first entry of an account from a moment on; where there is none, the one that comes next. Numbers have no gaps and times
-- do not go back, so it is found in some twenty steps, however many there are. Of what is archived it knows nothing.
CREATE FUNCTION ledger.first_entry_from(p_account uuid, p_moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint := (SELECT e.entry_no FROM ledger.entries e WHERE e.account_id = p_account ORDER BY e.entry_no LIMIT 1);
  high bigint := (SELECT e.entry_no + 1 FROM ledger.entries e WHERE e.account_id = p_account ORDER BY e.entry_no DESC LIMIT 1);
  middle bigint;
  found bigint;                                        -- an archived number between is passed over
  moment timestamptz;
BEGIN
  IF low IS NULL THEN RETURN 1; END IF;
  WHILE low < high LOOP
    middle := (low + high) / 2;
    SELECT e.at, e.entry_no INTO moment, found FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_no >= middle ORDER BY e.entry_no LIMIT 1;
    IF moment >= p_moment THEN high := middle; ELSE low := found + 1; END IF;
  END LOOP;
  RETURN low;
END $$;

-- Each movement as a transfer from a debited book to a credited one. Books are the accounts and four of the operator's own, which have no
-- balance row, because everybody would queue for it:
--   …01 funding (money paid in), …02 revenue, …03 loss (delivered but not charged), …04 adjustments.
CREATE VIEW ledger.transfers AS
  SELECT account_id, entry_id, entry_no, kind, at, abs(amount_nano) AS amount_nano,
    CASE kind WHEN 'topup' THEN '00000000-0000-0000-0000-000000000001' WHEN 'loss' THEN '00000000-0000-0000-0000-000000000003'
      WHEN 'adjust' THEN CASE WHEN amount_nano < 0 THEN account_id ELSE '00000000-0000-0000-0000-000000000004' END
      ELSE account_id END AS debit_id,
    CASE kind WHEN 'topup' THEN account_id
      WHEN 'adjust' THEN CASE WHEN amount_nano < 0 THEN '00000000-0000-0000-0000-000000000004' ELSE account_id END
      ELSE '00000000-0000-0000-0000-000000000002' END AS credit_id
  FROM ledger.entries;

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

-- ==== usage ======================================================================================

CREATE SCHEMA usage;

-- Receipts of chat requests: their entries, seen from the other side.
CREATE VIEW usage.requests AS
  SELECT entry_id AS request_id, account_id, budget_id AS key_id, endpoint, coalesce(model_requested, model) AS model_requested, model, state,
    started_at, at AS recorded_at, amount_nano AS charged_nano, held_nano, price_version, input_tokens, cached_tokens, output_tokens, upstream,
    cost_nano, duration_ms, first_ms, detail::json AS detail, detail AS detail_text
  FROM ledger.entries WHERE endpoint IS NOT NULL;

-- Receipts that could not be written as they came. The money was settled all the same; somebody has to look.
CREATE TABLE usage.parked (
  parked_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  charged_nano bigint,
  reason text NOT NULL,
  receipt text NOT NULL,
  reported boolean NOT NULL DEFAULT false              -- by the log and the metrics of a process
);
CREATE INDEX parked_unreported ON usage.parked (parked_id) WHERE NOT reported;

-- What was spent and earned, by the hour in which it was booked: added up in the transaction that books it, so the sums are those of the
-- ledger at every moment, and no page reads a month of receipts. Counts are of requests and tasks that ended, whatever they cost.
CREATE TABLE usage.hourly (
  account_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  key_id uuid,                                         -- the three budgets that were charged
  member_id uuid,
  group_id uuid,
  kind text NOT NULL CHECK (kind IN ('chat', 'task')),
  model text NOT NULL,                                 -- empty: the receipt is parked
  state text NOT NULL,                                 -- as the receipt has it
  upstream text NOT NULL,                              -- empty: none served it
  ended bigint NOT NULL,
  charged_nano bigint NOT NULL,
  loss_nano bigint NOT NULL,
  cost_nano bigint,                                    -- of those whose cost is known; null: of none
  unknown_requests bigint NOT NULL,                    -- served, and nobody told at what cost
  unknown_charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,                        -- all of the prompts
  cached_tokens bigint NOT NULL,                       -- of them, read from a cache
  output_tokens bigint NOT NULL,
  duration_ms bigint NOT NULL,                         -- of all together
  first_ms bigint NOT NULL,                            -- to the first content, of those
  firsts bigint NOT NULL,                              -- that were streamed: so many
  first_id uuid NOT NULL, last_id uuid NOT NULL,       -- the least and the greatest id of their entries: where to look for them
  CONSTRAINT one_of_each UNIQUE NULLS NOT DISTINCT (account_id, hour, key_id, member_id, group_id, kind, model, state, upstream)
) WITH (fillfactor = 70);
-- An hour over all accounts.
CREATE INDEX hourly_by_hour ON usage.hourly (hour);

-- The same of days of Moscow that are over, for pages that look back for months: an hour of a busy account has as many rows as it has kinds of
-- requests. Nothing is booked in them any more, so each day is added up once.
CREATE TABLE usage.daily (
  account_id uuid NOT NULL,
  day date NOT NULL,
  key_id uuid,
  kind text NOT NULL,
  model text NOT NULL,
  ended bigint NOT NULL,
  failed bigint NOT NULL,                              -- of them
  charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  CONSTRAINT one_of_a_day UNIQUE NULLS NOT DISTINCT (account_id, day, key_id, kind, model)
);

-- The last day that is in usage.daily, as all before it are.
CREATE TABLE usage.daily_through (day date NOT NULL);
INSERT INTO usage.daily_through VALUES ('-infinity');

-- What was spent by days, up to this moment.
CREATE VIEW usage.days AS
  SELECT account_id, day, key_id, kind, model, ended, failed, charged_nano, input_tokens, cached_tokens, output_tokens FROM usage.daily
  UNION ALL
  SELECT account_id, (hour AT TIME ZONE 'Europe/Moscow')::date, key_id, kind, model, ended, CASE state WHEN 'failed' THEN ended ELSE 0 END,
    charged_nano, input_tokens, cached_tokens, output_tokens
  FROM usage.hourly WHERE hour >= (SELECT (t.day + 1)::timestamp AT TIME ZONE 'Europe/Moscow' FROM usage.daily_through t);

-- How many tokens an upstream told of an answer, and how many our tokenizer counts of it: a few of the settled requests of each route, so that
-- a factor for the counts of other tokenizers can be proposed. Figures alone, and nothing of what was said.
CREATE TABLE usage.count_samples (
  request_id uuid PRIMARY KEY,
  sampled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  upstream text NOT NULL,
  model text NOT NULL,                                 -- the upstream's name of it
  counted_input bigint NOT NULL CHECK (counted_input > 0),
  told_input bigint NOT NULL CHECK (told_input > 0),
  counted_output bigint NOT NULL CHECK (counted_output > 0),
  told_output bigint NOT NULL CHECK (told_output > 0)
);
CREATE INDEX count_samples_of_a_route ON usage.count_samples (upstream, model, sampled_at DESC);

-- ==== limits =====================================================================================

-- Rate limits: how much each subject (an opaque id; the gateway's are API keys and accounts) has used of what it may use each minute, and
-- how many of its requests run. The limits themselves come with each question. All tables are unlogged: a count of the last minute need not
-- survive a crash of the database server, and so a decision writes no log and waits for no disk.
CREATE SCHEMA limits;

-- Two buckets a subject. A limit of N a minute is a bucket that holds N and gets N back each minute, evenly. What was taken and has not
-- flowed back is counted in sixty-millionths, because then N of them flow back each microsecond and every figure is whole.
CREATE UNLOGGED TABLE limits.subjects (
  subject_id uuid PRIMARY KEY,
  requests_used bigint NOT NULL DEFAULT 0 CHECK (requests_used >= 0),
  tokens_used bigint NOT NULL DEFAULT 0 CHECK (tokens_used >= 0),   -- may be above the limit: a debt
  as_of_us bigint NOT NULL DEFAULT 0                                -- microseconds since 1970, by the database's clock
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The requests that run now, of subjects with a limit on them.
CREATE UNLOGGED TABLE limits.running (
  subject_id uuid NOT NULL,
  request_id uuid NOT NULL,
  owner_id uuid NOT NULL,                                           -- the process that will say when it has ended
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (subject_id, request_id)
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Processes whose requests count, and until when they are believed alive.
CREATE UNLOGGED TABLE limits.owners (
  owner_id uuid PRIMARY KEY,
  alive_until timestamptz NOT NULL,
  steady_since timestamptz NOT NULL                                 -- it has kept its lease without a gap since then
);

-- A lease far in the future was written before the clock was set back: it is not believed either.
CREATE FUNCTION limits.is_alive(alive_until timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT alive_until > clock_timestamp() AND alive_until < clock_timestamp() + interval '2 minutes'
$$;

-- What is left of `used` after so many microseconds at this rate a minute. A clock that was set back gives nothing back and takes nothing.
-- Without a rate it stays as it is: whoever asks without a limit, because it is new and not known everywhere yet, must not empty the count.
CREATE FUNCTION limits.after_flow(used bigint, rate integer, elapsed_us bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN rate IS NULL THEN used ELSE greatest(0, used - least(greatest(elapsed_us, 0), used / rate + 1) * rate) END
$$;

-- Decides a batch: notes requests that run (placed) and requests that have ended, gives tokens back or takes more (corrections), and then
-- lets each asking request in, in order of arrival, if every limit of both its subjects has room for it, or takes nothing of it.
-- p_subjects is ascending and distinct; its limits are null where there are none. p_first and p_second point from the asking requests into
-- it (second 0: none). A request asks for one request, p_tokens tokens (of each bucket at most what that can hold), and one place.
-- Returns, for each asking request, whether it is in, and per subject what is used after that: sixty-millionths, and places.
-- The rows of all subjects are locked first, in ascending order, so that no two batches of any processes wait for each other in a circle.
CREATE FUNCTION limits.decide_many(
  p_owner uuid,
  p_subjects uuid[], p_requests_limits integer[], p_tokens_limits integer[], p_concurrent_limits integer[], p_corrections bigint[],
  p_placed_subjects uuid[], p_placed uuid[], p_ended_subjects uuid[], p_ended uuid[],
  p_asking uuid[], p_first integer[], p_second integer[], p_tokens integer[],
  OUT at_us bigint, OUT admitted boolean[],
  OUT first_requests bigint[], OUT first_tokens bigint[], OUT first_running bigint[],
  OUT second_requests bigint[], OUT second_tokens bigint[], OUT second_running bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  one CONSTANT bigint := 60000000;
  most_owed CONSTANT bigint := 1000000000000000000; -- absurd usage must not break the count by its size
  requests bigint[]; tokens bigint[]; running bigint[];
  new_subjects uuid[] := '{}'; new_requests uuid[] := '{}';
  s integer; let_in boolean;
BEGIN
  -- An existing row is locked, not written; a missing one is made. One pass, in order.
  INSERT INTO limits.subjects (subject_id)
  SELECT u.subject_id FROM unnest(p_subjects) AS u (subject_id) ORDER BY u.subject_id
  ON CONFLICT (subject_id) DO UPDATE SET as_of_us = excluded.as_of_us WHERE false;
  at_us := extract(epoch FROM clock_timestamp()) * 1000000;

  INSERT INTO limits.running (subject_id, request_id, owner_id)
  SELECT u.subject_id, u.request_id, p_owner FROM unnest(p_placed_subjects, p_placed) AS u (subject_id, request_id)
  ON CONFLICT DO NOTHING;
  DELETE FROM limits.running r USING unnest(p_ended_subjects, p_ended) AS u (subject_id, request_id)
  WHERE r.subject_id = u.subject_id AND r.request_id = u.request_id;

  SELECT
    array_agg(limits.after_flow(t.requests_used, u.requests_limit, at_us - t.as_of_us) ORDER BY u.at),
    array_agg(least(most_owed, greatest(0, limits.after_flow(t.tokens_used, u.tokens_limit, at_us - t.as_of_us) + u.correction * one)) ORDER BY u.at),
    array_agg(CASE WHEN u.concurrent_limit IS NULL THEN 0
              ELSE (SELECT count(*) FROM limits.running r WHERE r.subject_id = u.subject_id) END ORDER BY u.at)
  INTO requests, tokens, running
  FROM unnest(p_subjects, p_requests_limits, p_tokens_limits, p_concurrent_limits, p_corrections)
    WITH ORDINALITY AS u (subject_id, requests_limit, tokens_limit, concurrent_limit, correction, at)
  JOIN limits.subjects t USING (subject_id);

  FOR i IN 1 .. cardinality(p_asking) LOOP
    let_in := true;
    FOREACH s IN ARRAY ARRAY[p_first[i], p_second[i]] LOOP
      CONTINUE WHEN s = 0;
      let_in := let_in
        AND (p_requests_limits[s] IS NULL OR requests[s] + one <= p_requests_limits[s] * one)
        AND (p_tokens_limits[s] IS NULL OR tokens[s] + least(p_tokens[i], p_tokens_limits[s]) * one <= p_tokens_limits[s] * one)
        AND (p_concurrent_limits[s] IS NULL OR running[s] < p_concurrent_limits[s]);
    END LOOP;
    IF let_in THEN
      FOREACH s IN ARRAY ARRAY[p_first[i], p_second[i]] LOOP
        CONTINUE WHEN s = 0;
        IF p_requests_limits[s] IS NOT NULL THEN requests[s] := requests[s] + one; END IF;
        IF p_tokens_limits[s] IS NOT NULL THEN tokens[s] := tokens[s] + least(p_tokens[i], p_tokens_limits[s]) * one; END IF;
        IF p_concurrent_limits[s] IS NOT NULL THEN
          running[s] := running[s] + 1;
          new_subjects := new_subjects || p_subjects[s];
          new_requests := new_requests || p_asking[i];
        END IF;
      END LOOP;
    END IF;
    admitted[i] := let_in;
    first_requests[i] := requests[p_first[i]];
    first_tokens[i] := tokens[p_first[i]];
    first_running[i] := running[p_first[i]];
    second_requests[i] := requests[nullif(p_second[i], 0)];
    second_tokens[i] := tokens[nullif(p_second[i], 0)];
    second_running[i] := running[nullif(p_second[i], 0)];
  END LOOP;

  INSERT INTO limits.running (subject_id, request_id, owner_id)
  SELECT u.subject_id, u.request_id, p_owner FROM unnest(new_subjects, new_requests) AS u (subject_id, request_id);
  UPDATE limits.subjects t SET requests_used = u.requests, tokens_used = u.tokens, as_of_us = at_us
  FROM unnest(p_subjects, requests, tokens) AS u (subject_id, requests, tokens)
  WHERE t.subject_id = u.subject_id;
END $$;

-- Renews a process's lease, and clears away what nobody will end any more. `late`: there was no lease, or it had run out, so others may
-- have cleared away what this process has running, or a crash of the server did: it has to be noted again.
-- Of its own, what has been here for a lease's time and is not in p_running: its end was not heard, or nobody heard that it was let in.
-- Of others, everything of a process without a lease. After a standstill of the database all leases have run out, so a process judges
-- others only after it kept its own for as long as a lease lasts; by then whoever is alive has renewed. A dead process's lease is removed
-- under its row's lock, and only then its requests: it cannot renew in between without hearing that it is late.
CREATE FUNCTION limits.beat(p_owner uuid, p_lease interval, p_running uuid[], OUT late boolean) LANGUAGE plpgsql AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  steady timestamptz;
BEGIN
  INSERT INTO limits.owners AS o (owner_id, alive_until, steady_since) VALUES (p_owner, now_at + p_lease, now_at)
  ON CONFLICT (owner_id) DO UPDATE SET alive_until = excluded.alive_until,
    steady_since = CASE WHEN limits.is_alive(o.alive_until) THEN o.steady_since ELSE excluded.steady_since END
  RETURNING o.steady_since INTO steady;
  late := steady = now_at;
  DELETE FROM limits.running r
  WHERE r.owner_id = p_owner AND r.noted_at < now_at - p_lease AND NOT r.request_id = ANY (p_running);
  IF steady <= now_at - p_lease THEN
    DELETE FROM limits.owners o WHERE NOT limits.is_alive(o.alive_until);
    DELETE FROM limits.running r WHERE NOT EXISTS (SELECT FROM limits.owners o WHERE o.owner_id = r.owner_id);
  END IF;
END $$;

-- ==== idempotency ================================================================================

-- What a request with an Idempotency-Key answered: the same request again gets the same answer, and pays once.
CREATE SCHEMA idempotency;

CREATE TYPE idempotency.state AS ENUM ('running', 'answered');

CREATE TABLE idempotency.records (
  account_id uuid NOT NULL,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_id uuid NOT NULL,                            -- whose record it is; another process may take over that of a dead one
  owner_id uuid NOT NULL,                              -- the process that runs it
  digest bytea NOT NULL CHECK (length(digest) = 32),   -- SHA-256 of what was asked
  state idempotency.state NOT NULL DEFAULT 'running',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours',
  -- The answer: written while the request still runs, and valid from the moment its charge is committed.
  status smallint,
  content_type text,
  streamed boolean,
  broken boolean,                                      -- a stream that came to no proper end
  body bytea,                                          -- null in an answered record: it was too large to be kept
  charged_nano bigint CHECK (charged_nano >= 0),
  PRIMARY KEY (account_id, key)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX records_by_expiry ON idempotency.records (expires_at);

-- Ends records in the transaction that ends their holds: one that is answered keeps its answer, any other is removed, so that its key is free.
-- Arrays are aligned; a null account means that there is no record. What was charged is the settled figure, or the earlier one.
-- A record that belongs to another request by now, or has ended, is left alone.
CREATE FUNCTION idempotency.end_many(
  p_accounts uuid[], p_keys text[], p_requests uuid[], p_answered boolean[], p_settled bigint[], p_earlier bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE idempotency.records r SET state = 'answered', charged_nano = coalesce(u.settled, u.earlier, 0)
  FROM unnest(p_accounts, p_keys, p_requests, p_answered, p_settled, p_earlier) AS u (account_id, key, request_id, answered, settled, earlier)
  WHERE u.answered AND r.account_id = u.account_id AND r.key = u.key AND r.request_id = u.request_id AND r.state = 'running';
  DELETE FROM idempotency.records r
  USING unnest(p_accounts, p_keys, p_requests, p_answered) AS u (account_id, key, request_id, answered)
  WHERE NOT u.answered AND r.account_id = u.account_id AND r.key = u.key AND r.request_id = u.request_id AND r.state = 'running';
END $$;

-- ==== files ======================================================================================

-- Which files exist, whose they are and until when they are served. Their bytes lie in the object storage under the same name.
CREATE SCHEMA files;

-- A row is made before the first byte is stored, so that whatever lies in the storage is named here or in files.removals.
CREATE TYPE files.state AS ENUM (
  'receiving',   -- a process reads it; nobody else sees it
  'stored',      -- served, until expires_at
  'expired',     -- its time was over
  'deleted'      -- its owner did not want it any longer
);
CREATE TYPE files.origin AS ENUM ('upload', 'fetched', 'result');   -- fetched: copied for a task; result: what a task made

CREATE TABLE files.files (
  account_id uuid NOT NULL,
  file_id uuid NOT NULL,                               -- time-ordered: lists go by it
  name text NOT NULL CHECK (name ~ '^[0-9a-z]{32}\.[0-9a-z]{1,8}$'),
  key_id uuid,                                         -- the key that it came with
  origin files.origin NOT NULL,
  state files.state NOT NULL DEFAULT 'receiving',
  owner_id uuid NOT NULL,                              -- the process that received it
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),   -- as its sender called it; only ever shown
  content_type text NOT NULL,                          -- read from its bytes
  inline boolean NOT NULL,                             -- a browser may show it
  bytes bigint CHECK (bytes > 0),
  sha256 bytea CHECK (length(sha256) = 32),
  verdict jsonb,                                       -- what measuring it said; null: it was not measured
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  stored_at timestamptz,
  expires_at timestamptz,
  ended_at timestamptz,                                -- when it was found expired, or deleted
  CHECK ((state = 'receiving') = (stored_at IS NULL)),
  CHECK (stored_at IS NULL OR (bytes IS NOT NULL AND sha256 IS NOT NULL AND expires_at IS NOT NULL)),
  CHECK ((state IN ('expired', 'deleted')) = (ended_at IS NOT NULL)),
  PRIMARY KEY (account_id, file_id),
  UNIQUE (account_id, name)
) WITH (fillfactor = 80);
CREATE INDEX files_of_account ON files.files (account_id, file_id) WHERE state = 'stored';
CREATE INDEX files_by_expiry ON files.files (expires_at) WHERE state = 'stored';
CREATE INDEX files_by_end ON files.files (ended_at) WHERE state IN ('expired', 'deleted');
CREATE INDEX files_being_received ON files.files (owner_id, created_at) WHERE state = 'receiving';

-- The sum of each account's stored files, changed in the transaction that changes their state: this row decides about the quota.
CREATE TABLE files.usage (
  account_id uuid PRIMARY KEY,
  bytes bigint NOT NULL CHECK (bytes >= 0),
  files bigint NOT NULL CHECK (files >= 0)
) WITH (fillfactor = 50);

-- Objects that are nobody's any more and still to be removed from the storage: written in the transaction that gives the file up.
CREATE TABLE files.removals (
  name text PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- moved on by whoever removes it now
  again_at timestamptz                                     -- a process taken for dead may still finish writing it: then it is removed once more
);
CREATE INDEX removals_by_due ON files.removals (due_at);

-- ==== tasks ======================================================================================

-- Tasks: what was ordered, what became of it, and what is to be done for it next. Amounts are nano-roubles.
CREATE SCHEMA tasks;

CREATE TYPE tasks.state AS ENUM ('queued', 'processing', 'completed', 'failed');
CREATE TYPE tasks.cost_state AS ENUM ('held', 'charged', 'released');

-- The task as its owner sees it, and what support wants to know of it. Its hold in the ledger has the same id.
CREATE TABLE tasks.tasks (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,                               -- time-ordered: lists go by it
  key_id uuid,                                         -- the key that ordered it
  request_id uuid NOT NULL,
  model text NOT NULL,
  parameter_table text NOT NULL,                       -- T1 … T19
  parameters json NOT NULL,                            -- as accepted, defaults filled in
  media json,                                          -- the files of ours that stand in for the URLs among them; null: not taken yet
  callback_url text,                                   -- where its owner wants to hear of its end
  state tasks.state NOT NULL DEFAULT 'queued',
  price_version integer NOT NULL,
  price_nano bigint NOT NULL CHECK (price_nano >= 0),  -- what is held for it, and the most that is charged
  price_by_files bigint[],                             -- what 1, 2, … files cost, where the number counts; null: price_nano
  cost_state tasks.cost_state NOT NULL DEFAULT 'held',
  charged_nano bigint,
  attempts integer NOT NULL DEFAULT 0,                 -- submissions begun
  attempt_id uuid,                                     -- of the last one; nobody can guess it
  upstream text,                                       -- where that went, as the catalogue names it
  upstream_model text,
  credential_name text,
  handle json,                                         -- what the upstream's adapter needs to ask for it
  upstream_cost json,                                  -- what the upstream said it cost
  upstream_cost_nano bigint,                           -- what the catalogue says that it costs us
  result json,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,                              -- when an upstream had taken it
  completed_at timestamptz,
  deadline_at timestamptz NOT NULL,
  CONSTRAINT ended CHECK ((state IN ('completed', 'failed')) = (completed_at IS NOT NULL)),
  CONSTRAINT has_result CHECK ((state = 'completed') = (result IS NOT NULL)),
  CONSTRAINT has_error CHECK ((state = 'failed') = (error_code IS NOT NULL) AND (error_code IS NULL) = (error_message IS NULL)),
  CONSTRAINT paid CHECK (cost_state = CASE state WHEN 'completed' THEN 'charged' WHEN 'failed' THEN 'released' ELSE 'held' END::tasks.cost_state),
  CONSTRAINT within_hold CHECK ((state = 'completed') = (charged_nano IS NOT NULL) AND charged_nano BETWEEN 0 AND price_nano),
  PRIMARY KEY (account_id, task_id)
) WITH (fillfactor = 80);
-- For operators, who look at tasks of all accounts, and at one by its id alone.
CREATE INDEX tasks_by_id ON tasks.tasks (task_id);
CREATE INDEX living_tasks_of_account ON tasks.tasks (account_id, task_id) WHERE state IN ('queued', 'processing');
-- Finds an account's tasks of a model, a state, a key, or of all three, however rare they are among its hundreds of thousands: what is not asked
-- for is skipped, because there are few of each. The one index besides that of the account's own list, because every task pays for it.
CREATE INDEX tasks_by_kind ON tasks.tasks (account_id, model, state, key_id, task_id);

CREATE TYPE tasks.phase AS ENUM (
  'held',             -- accepted and paid for; its media are still to be taken
  'ready',            -- to be submitted
  'submitting',       -- written before the call: whoever finds it so does not know whether the upstream has it
  'submit_unknown',   -- sent, and nobody knows whether it was taken
  'running',          -- taken by the upstream, whose handle is known
  'collecting',       -- done there; its files are being copied
  'watching'          -- failed here by its deadline; the upstream is still asked now and then
);

-- The next step of each task that has one. Narrow, because rows change at the rate of polls; gone when nothing is left to do.
CREATE TABLE tasks.jobs (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  phase tasks.phase NOT NULL,
  lane text NOT NULL,                                  -- steps that share a bound: a slow one holds up its own lane only
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- of a leased one: until when its lease lasts
  lease_id uuid,                                       -- who works at it; a new lease takes it over
  woken boolean NOT NULL DEFAULT false,                -- something happened during the lease: due again as soon as that ends
  polls integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,                    -- of this step, that came to nothing
  progress real,                                       -- 0 to 1, as the upstream says
  queue_position integer,
  phase_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- since when it is in this phase
  cancel_requested_at timestamptz,
  heard_id text,                                       -- the upstream's id for it, told by a callback to its attempt
  PRIMARY KEY (account_id, task_id),
  FOREIGN KEY (account_id, task_id) REFERENCES tasks.tasks
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX jobs_by_lane ON tasks.jobs (lane, due_at);
-- Those that an upstream has, or may have, are counted from the jobs themselves: whoever dies, the count is right.
CREATE INDEX jobs_being_submitted ON tasks.jobs (account_id, task_id) WHERE phase IN ('submitting', 'submit_unknown');

-- What happened to each task, in order: rows of one task are numbered from 1, under its lock. For its owner's event stream, audit and support.
CREATE TABLE tasks.events (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL,
  detail json,
  PRIMARY KEY (account_id, task_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE FUNCTION tasks.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tasks.events
  FOR EACH STATEMENT EXECUTE FUNCTION tasks.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON tasks.events FROM CURRENT_USER;

-- Ends that are to be told to the owner's own server: written in the transaction that ends the task.
CREATE TABLE tasks.webhooks (
  account_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  task_id uuid NOT NULL,
  url text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz DEFAULT clock_timestamp(),        -- moved on by whoever delivers it now; null: over
  delivered_at timestamptz,
  -- Whose server it goes to, so that one that is down holds up none but its own.
  host text NOT NULL GENERATED ALWAYS AS (lower(coalesce(substring(url FROM '^[A-Za-z]+://([^/?#]*)'), ''))) STORED,
  CHECK (delivered_at IS NULL OR due_at IS NULL),
  PRIMARY KEY (account_id, webhook_id),
  FOREIGN KEY (account_id, task_id) REFERENCES tasks.tasks
) WITH (fillfactor = 70);
CREATE INDEX webhooks_by_host ON tasks.webhooks (host, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_of_task ON tasks.webhooks (account_id, task_id);

-- The delivery log.
CREATE TABLE tasks.webhook_tries (
  account_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  try integer NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  status integer,                                      -- what was answered; null: nothing
  error text,
  took_ms integer NOT NULL,
  PRIMARY KEY (account_id, webhook_id, try),
  FOREIGN KEY (account_id, webhook_id) REFERENCES tasks.webhooks
);

-- When the last submissions were made to an upstream that takes only so many in a time: one row, so that all processes keep to it together.
CREATE TABLE tasks.submit_turns (
  upstream text PRIMARY KEY,
  taken timestamptz[] NOT NULL                         -- ascending; no more of them than the upstream takes in its time
) WITH (fillfactor = 50);

-- Tasks that asked for a turn at an upstream and got none. Gone with the job, and when the task is submitted anywhere.
CREATE TABLE tasks.submit_waits (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  upstream text NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, task_id),
  FOREIGN KEY (account_id, task_id) REFERENCES tasks.jobs ON DELETE CASCADE
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX submit_waits_by_account ON tasks.submit_waits (upstream, account_id, since);

-- When each account last had a turn: the next one is of the account that waits for it the longest.
CREATE TABLE tasks.submit_shares (
  account_id uuid NOT NULL,
  upstream text NOT NULL,
  last_at timestamptz NOT NULL DEFAULT '-infinity',
  offered_at timestamptz,                              -- a turn was kept for it, and none of its tasks has asked since
  PRIMARY KEY (account_id, upstream)
) WITH (fillfactor = 70);

-- Takes a turn for a task: wait_ms is 0, and the turn is gone when the transaction commits. Else the milliseconds until it should ask again,
-- how many tasks of its account wait there, and of how many accounts.
-- p_count turns in any p_window (null: no such limit), p_running tasks under way at once (null: no such limit), all processes together.
-- A free turn is kept for an account that waits and had its last turn earlier: its oldest waiting task is woken, and for three seconds the others
-- stand back. Locks are taken in this order: the upstream's row, jobs, waits, shares.
CREATE FUNCTION tasks.take_turn(
  p_upstream text, p_task uuid, p_account uuid, p_count integer, p_window interval, p_running integer,
  OUT wait_ms float8, OUT mine bigint, OUT accounts bigint) LANGUAGE plpgsql AS $$
DECLARE
  patience CONSTANT interval := '3 seconds';
  full_ms CONSTANT float8 := 1000;      -- nobody knows when a running task ends
  stand_back_ms CONSTANT float8 := 250;
  turns timestamptz[]; now_at timestamptz; free integer;
  my_last timestamptz; my_since timestamptz; ahead uuid[]; next_tasks uuid[];
BEGIN
  -- First without a lock: whoever waits costs a look.
  FOR locked IN 0 .. 1 LOOP
    IF locked = 1 THEN
      INSERT INTO tasks.submit_turns (upstream, taken) VALUES (p_upstream, '{}') ON CONFLICT DO NOTHING;
      PERFORM FROM tasks.submit_turns WHERE upstream = p_upstream FOR UPDATE;
    END IF;
    turns := coalesce((SELECT taken FROM tasks.submit_turns WHERE upstream = p_upstream), '{}');
    now_at := clock_timestamp();
    free := least(
      p_count - (SELECT count(*) FROM unnest(turns) AS at WHERE at > now_at - p_window),
      p_running - CASE WHEN p_running IS NULL THEN 0 ELSE (
        SELECT count(*) FROM (
          SELECT FROM tasks.jobs j WHERE j.lane = 'poll:' || p_upstream AND j.phase = 'running'
          UNION ALL
          SELECT FROM tasks.jobs j JOIN tasks.tasks t USING (account_id, task_id)
          WHERE j.phase IN ('submitting', 'submit_unknown') AND t.upstream = p_upstream AND j.task_id <> p_task) there) END);
    EXIT WHEN free <= 0;
  END LOOP;

  PERFORM FROM tasks.jobs WHERE account_id = p_account AND task_id = p_task FOR NO KEY UPDATE;
  IF free > 0 THEN
    my_last := coalesce((SELECT last_at FROM tasks.submit_shares WHERE account_id = p_account AND upstream = p_upstream), '-infinity');
    my_since := coalesce((SELECT since FROM tasks.submit_waits WHERE account_id = p_account AND task_id = p_task AND upstream = p_upstream), now_at);
    ahead := ARRAY (
      SELECT w.account_id
      FROM (SELECT account_id, min(since) AS since FROM tasks.submit_waits WHERE upstream = p_upstream AND account_id <> p_account GROUP BY 1) w
      JOIN tasks.submit_shares s ON s.upstream = p_upstream AND s.account_id = w.account_id
      WHERE (s.last_at, w.since) < (my_last, my_since) AND (s.offered_at IS NULL OR s.offered_at > now_at - patience)
      ORDER BY s.last_at, w.since LIMIT free);
    IF cardinality(ahead) < free THEN
      IF p_count IS NOT NULL THEN
        UPDATE tasks.submit_turns SET taken = turns[greatest(1, cardinality(turns) - p_count + 2) : ] || now_at WHERE upstream = p_upstream;
      END IF;
      INSERT INTO tasks.submit_shares (account_id, upstream, last_at) VALUES (p_account, p_upstream, now_at)
      ON CONFLICT (account_id, upstream) DO UPDATE SET last_at = excluded.last_at, offered_at = NULL;
      IF random() < 0.01 THEN
        DELETE FROM tasks.submit_shares s WHERE s.upstream = p_upstream AND s.last_at < now_at - interval '1 day'
          AND NOT EXISTS (SELECT FROM tasks.submit_waits w WHERE w.upstream = s.upstream AND w.account_id = s.account_id);
      END IF;
      wait_ms := 0;
      RETURN;
    END IF;
    next_tasks := ARRAY (
      SELECT j.task_id FROM tasks.jobs j WHERE (j.account_id, j.task_id) IN (
        SELECT DISTINCT ON (w.account_id) w.account_id, w.task_id FROM tasks.submit_waits w JOIN tasks.submit_shares s USING (upstream, account_id)
        WHERE w.upstream = p_upstream AND w.account_id = ANY (ahead) AND s.offered_at IS NULL ORDER BY w.account_id, w.since)
      FOR NO KEY UPDATE SKIP LOCKED);
    UPDATE tasks.jobs SET woken = true, due_at = CASE WHEN lease_id IS NULL THEN least(due_at, now_at) ELSE due_at END
    WHERE account_id = ANY (ahead) AND task_id = ANY (next_tasks);
    UPDATE tasks.submit_shares SET offered_at = now_at WHERE upstream = p_upstream AND account_id = ANY (ahead) AND offered_at IS NULL;
    IF cardinality(next_tasks) > 0 THEN PERFORM pg_notify('tollgate_task_work', ''); END IF;
    wait_ms := stand_back_ms;
  ELSE
    wait_ms := greatest(1,
      CASE WHEN p_count <= cardinality(turns)
        THEN extract(epoch FROM turns[cardinality(turns) - p_count + 1] + p_window - now_at) * 1000 ELSE full_ms END);
  END IF;
  INSERT INTO tasks.submit_waits (account_id, task_id, upstream)
  SELECT p_account, p_task, p_upstream WHERE EXISTS (SELECT FROM tasks.jobs WHERE account_id = p_account AND task_id = p_task)
  ON CONFLICT (account_id, task_id) DO UPDATE SET upstream = excluded.upstream WHERE submit_waits.upstream <> excluded.upstream;
  INSERT INTO tasks.submit_shares AS s (account_id, upstream) VALUES (p_account, p_upstream)
  ON CONFLICT (account_id, upstream) DO UPDATE SET offered_at = NULL WHERE s.offered_at IS NOT NULL;
  SELECT count(*) FILTER (WHERE account_id = p_account), count(DISTINCT account_id) INTO mine, accounts
  FROM tasks.submit_waits WHERE upstream = p_upstream;
END $$;

-- ==== webhooks ===================================================================================

CREATE SCHEMA webhooks;

-- What webhooks are signed with, sealed like everything secret: by SESSION_SECRET, which the database never sees. It has one place for both
-- purposes, and they stay apart: who hears of an account's money cannot forge results of its tasks.
CREATE TABLE webhooks.secrets (
  account_id uuid NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('tasks', 'alerts')),
  sealed bytea NOT NULL,                               -- whsec_…; it opens in this row only
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  previous bytea,                                      -- signs too for a while after a change, so that receivers can follow
  previous_until timestamptz,
  PRIMARY KEY (account_id, purpose),
  CHECK ((previous IS NULL) = (previous_until IS NULL))
);

-- ==== mail =======================================================================================

-- Mail that is to be sent: written in the transaction that gives rise to it, so that one is never without the other.
CREATE SCHEMA mail;

CREATE TABLE mail.outbox (
  mail_id uuid PRIMARY KEY,
  -- What it is about, for the log: `verify`, `reset`, …
  kind text NOT NULL,
  recipient text NOT NULL,
  -- Subject and texts, which may carry links that open an account. Null once it is sent or given up.
  sealed bytea,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Not before; moves on while somebody tries, so that nobody else does.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  sent_at timestamptz,
  failed_at timestamptz,
  -- Why the last attempt failed.
  last_error text,
  CHECK ((sealed IS NULL) = (sent_at IS NOT NULL OR failed_at IS NOT NULL))
);
CREATE INDEX outbox_by_due ON mail.outbox (due_at) WHERE sealed IS NOT NULL;
CREATE INDEX outbox_by_age ON mail.outbox (created_at) WHERE sealed IS NULL;

-- ==== payments ===================================================================================

-- Payments by which accounts are topped up. A row is there before the provider is asked, so that nothing paid is unknown here; the ledger's entry
-- is made in the transaction that sets it to succeeded, under a reference of the payment's own, so that it is credited once.
CREATE SCHEMA payments;

CREATE TYPE payments.state AS ENUM (
  'created',     -- the provider has not said yet that it knows of it
  'pending',     -- it waits for the payer
  'succeeded',   -- paid, and credited
  'canceled',    -- not paid; a late success still credits it
  'failed'       -- the provider did not take it, or what it says does not match; a success that matches still credits it
);

CREATE TABLE payments.payments (
  account_id uuid NOT NULL,
  payment_id uuid NOT NULL,                            -- time-ordered: lists go by it; also our idempotence key at the provider
  member_id uuid,                                      -- who began it
  email text,                                          -- theirs, as of then
  provider text NOT NULL,                              -- whom to ask: the one that is configured is only asked of its own
  method text NOT NULL,
  locale text NOT NULL,                                -- of the payment page
  amount_nano bigint NOT NULL CHECK (amount_nano > 0 AND amount_nano % 10000000 = 0),   -- kopecks at most
  state payments.state NOT NULL DEFAULT 'created',
  provider_payment_id text,
  return_url text NOT NULL,                            -- where the browser comes back to
  redirect_url text,                                   -- where it is sent to pay
  reason text,                                         -- why it did not succeed
  refunded_nano bigint NOT NULL DEFAULT 0 CHECK (refunded_nano >= 0),   -- as the provider tells; the ledger does not follow by itself
  entry_id uuid,                                       -- in the ledger
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  reads integer NOT NULL DEFAULT 0,                    -- how often the provider was asked since it last told something new
  due_at timestamptz,                                  -- when it is asked next, moved on by whoever asks now; null: only when it reports
  -- What its fiscal receipt says (54-FZ), as of its beginning: asked for again under the same idempotence key, the provider has to get the
  -- same, whatever the catalogue says by then. Null: the shop issues none through us.
  receipt jsonb CHECK (receipt IS NULL OR (jsonb_typeof(receipt) = 'object' AND email IS NOT NULL)),
  PRIMARY KEY (account_id, payment_id),
  UNIQUE (account_id, entry_id),
  CHECK ((state = 'succeeded') = (entry_id IS NOT NULL)),
  CHECK ((state IN ('created', 'pending')) = (ended_at IS NULL)),
  CHECK (state NOT IN ('pending', 'succeeded') OR provider_payment_id IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX payments_by_due ON payments.payments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payments_open ON payments.payments (account_id) WHERE state IN ('created', 'pending');

-- ==== alerts =====================================================================================

-- Spend alerts: rules, what was counted for them behind the ledger, and what was sent. A rule fires by one conditional UPDATE in the transaction
-- that writes its deliveries, so however many processes look, each crossing is told once.
CREATE SCHEMA alerts;

CREATE TYPE alerts.kind AS ENUM ('balance_below', 'spend_day', 'spend_month', 'spend_spike');
CREATE TYPE alerts.channel AS ENUM ('mail', 'webhook');

CREATE TABLE alerts.rules (
  account_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  kind alerts.kind NOT NULL,
  threshold_nano bigint NOT NULL CHECK (threshold_nano > 0),
  factor integer CHECK (factor BETWEEN 2 AND 100),     -- of a spike: so many times the mean hour
  subject_id uuid NOT NULL,                            -- whose spend: the account, or one of its budgets
  key_hash text,                                       -- how the budget's key is named; null: the account
  enabled boolean NOT NULL,
  mail_to text NOT NULL CHECK (mail_to IN ('owners', 'members', 'nobody')),
  member_ids uuid[] NOT NULL CHECK (cardinality(member_ids) <= 50),
  webhook_url text CHECK (length(webhook_url) <= 2048),
  quiet_until timestamptz,                             -- it has fired for this crossing: infinity until the balance is up again, the next
                                                       -- day or month, an hour after it was last seen above
  fired_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((kind = 'spend_spike') = (factor IS NOT NULL)),
  CHECK (kind <> 'balance_below' OR key_hash IS NULL),
  CHECK ((subject_id = account_id) = (key_hash IS NULL)),
  PRIMARY KEY (account_id, rule_id)
) WITH (fillfactor = 80);

-- How far each account was looked at. Its entries are numbered under its lock, so none can appear below a number that was seen.
CREATE TABLE alerts.looks (
  account_id uuid PRIMARY KEY,
  through_no bigint NOT NULL,
  credited_nano bigint NOT NULL,
  charged_nano bigint NOT NULL
) WITH (fillfactor = 60);

-- What accounts, and those keys that have rules, were charged: in sums of ten minutes for as long as the last hour is asked for, of hours for
-- the week before it, and of days for the month. From ten minutes alone a look at an account that is busy around the clock read a month of
-- them, some thousand rows, every few seconds.
CREATE TYPE alerts.grain AS ENUM ('ten_minutes', 'hour', 'day');

CREATE TABLE alerts.spend (
  account_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  grain alerts.grain NOT NULL,
  bucket timestamptz NOT NULL,                         -- its beginning
  charged_nano bigint NOT NULL,
  PRIMARY KEY (account_id, subject_id, grain, bucket)
) WITH (fillfactor = 70);

CREATE TABLE alerts.deliveries (
  account_id uuid NOT NULL,
  delivery_id uuid NOT NULL,                           -- time-ordered: lists go by it; a webhook's message id is made of it
  rule_id uuid,                                        -- null: it is gone
  kind alerts.kind NOT NULL,
  channel alerts.channel NOT NULL,
  target text NOT NULL,                                -- an e-mail address, or an address to post to
  test boolean NOT NULL,
  value_nano bigint NOT NULL,                          -- what was measured
  threshold_nano bigint NOT NULL,
  fired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  mail_id uuid,                                        -- in the outbox of mail, which tells the rest
  body text,                                           -- of a webhook: the same at each try
  host text NOT NULL GENERATED ALWAYS AS (lower(coalesce(substring(target FROM '^[A-Za-z]+://([^/?#]*)'), ''))) STORED,
  due_at timestamptz,                                  -- of a webhook; null: it is over
  tries integer NOT NULL DEFAULT 0,
  last_at timestamptz,
  last_status integer,
  last_error text,
  delivered_at timestamptz,
  CHECK ((channel = 'mail') = (mail_id IS NOT NULL)),
  CHECK ((channel = 'webhook') = (body IS NOT NULL)),
  PRIMARY KEY (account_id, delivery_id),
  FOREIGN KEY (account_id, rule_id) REFERENCES alerts.rules ON DELETE SET NULL (rule_id)
) WITH (fillfactor = 80);
CREATE INDEX deliveries_by_due ON alerts.deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_of_rule ON alerts.deliveries (account_id, rule_id);

-- ==== audit ======================================================================================

-- Everything that operators did: written in the transaction that does it, and never changed.
CREATE SCHEMA audit;

CREATE TABLE audit.actions (
  audit_id uuid PRIMARY KEY,                           -- time-ordered: lists go by it
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  member_id uuid,                                      -- null: a command on the server
  actor text NOT NULL CHECK (length(actor) BETWEEN 1 AND 254),   -- the member's e-mail at that time
  action text NOT NULL CHECK (length(action) BETWEEN 1 AND 100),
  account_id uuid,                                     -- whose account it was about
  subject text CHECK (length(subject) BETWEEN 1 AND 300),        -- what it was about: a task, a catalogue version, an entry
  reason text CHECK (length(reason) BETWEEN 1 AND 500),
  before json,
  after json
);
CREATE INDEX actions_of_account ON audit.actions (account_id, audit_id) WHERE account_id IS NOT NULL;

CREATE FUNCTION audit.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER actions_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit.actions
  FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON audit.actions FROM CURRENT_USER;

-- ==== operate ====================================================================================

-- What operators look at beyond the books themselves.
CREATE SCHEMA operate;

-- What each serving process thinks of its routes; believed for as long as it is fresh. Nothing is lost with it.
CREATE UNLOGGED TABLE operate.processes (
  process_id uuid PRIMARY KEY,
  label text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  routes json NOT NULL                                 -- by upstream/model: 0 closed, 1 resting, 2 open
);

-- Verifications of the ledger: asked for, under way, and what came of them.
CREATE TABLE operate.verifications (
  verification_id uuid PRIMARY KEY,                    -- time-ordered
  asked_by text,                                       -- an operator's e-mail; null: it was due
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  owner_id uuid,                                       -- the process that works at it
  started_at timestamptz,
  finished_at timestamptz,
  checked json,                                        -- how many of what
  mismatch_count integer,
  mismatches json,                                     -- the first of them
  failure text,                                        -- why there is no result
  CHECK ((owner_id IS NULL) = (started_at IS NULL)),
  CHECK ((finished_at IS NULL) = (mismatch_count IS NULL AND failure IS NULL))
);
-- One waits or runs at a time, whoever asks.
CREATE UNIQUE INDEX one_verification ON operate.verifications ((true)) WHERE finished_at IS NULL;

-- What was earned by day, model and upstream, of days that are over: their sums do not change any more, so each day is added up once.
CREATE TABLE operate.margin_days (
  day date PRIMARY KEY                                 -- of Moscow; its sums are all there
);
CREATE TABLE operate.margin (
  day date NOT NULL REFERENCES operate.margin_days,
  model text NOT NULL,                                 -- empty: the receipt is lost or parked
  upstream text NOT NULL,                              -- empty: none served it
  requests bigint NOT NULL,                            -- requests and tasks that ended
  charged_nano bigint NOT NULL,
  cost_nano bigint,                                    -- of those whose cost is known; null: of none
  unknown_requests bigint NOT NULL,                    -- served, and nobody told at what cost
  unknown_charged_nano bigint NOT NULL,
  loss_nano bigint NOT NULL,
  PRIMARY KEY (day, model, upstream)
);
