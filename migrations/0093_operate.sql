-- What operators look at beyond the books themselves.
CREATE SCHEMA operate;

-- Money by day over all accounts. Entries come in the order of their time, so an index by blocks is enough, and costs the hot path next to nothing.
CREATE INDEX entries_by_time ON ledger.entries USING brin (at) WITH (pages_per_range = 32, autosummarize = on);

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
