-- What each account spent, by day, key and model: sums of the ledger's entries with what receipts and tasks say about them, so that no page
-- reads a month of receipts. They are kept behind the entries by whoever works (`gateway/panel/account/fold-spend.ts`); what is not counted
-- yet, a page adds by itself, so its sums are those of the ledger at every moment.

-- Days are those of Moscow, by the time of the entry. Counts are of requests and tasks that ended, whatever they cost.
CREATE TABLE usage.daily_spend (
  account_id uuid NOT NULL,
  day date NOT NULL,
  key_id uuid,
  model text NOT NULL,                                 -- empty: the receipt is lost or parked
  kind text NOT NULL CHECK (kind IN ('chat', 'task')),
  charged_nano bigint NOT NULL,
  ended bigint NOT NULL,
  failed bigint NOT NULL,
  input_tokens bigint NOT NULL,                        -- all of the prompts
  cached_tokens bigint NOT NULL,                       -- of them, read from a cache
  output_tokens bigint NOT NULL,
  CONSTRAINT one_of_each UNIQUE NULLS NOT DISTINCT (account_id, day, key_id, model, kind)
) WITH (fillfactor = 70);

-- How far each account's entries are counted. Its entries are numbered under its lock, so none can appear below a number that was seen.
CREATE TABLE usage.folds (
  account_id uuid PRIMARY KEY,
  through_seq bigint NOT NULL DEFAULT 0,
  charged_nano bigint NOT NULL DEFAULT 0,              -- by the entries up to there
  balance_nano bigint NOT NULL DEFAULT 0,              -- right after the last of them
  unmarked integer NOT NULL DEFAULT 0                  -- entries since the last mark
) WITH (fillfactor = 70);

-- Now and then the balance after an entry, so that the books can be opened at any time without reading all that came before or after.
CREATE TABLE usage.marks (
  account_id uuid NOT NULL,
  seq bigint NOT NULL,
  at timestamptz NOT NULL,
  balance_nano bigint NOT NULL,
  PRIMARY KEY (account_id, seq)
);
