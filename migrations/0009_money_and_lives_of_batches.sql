-- What a batch has cost, and how long its results live.
ALTER TABLE batches.batches
  ADD COLUMN quoted_nano bigint CHECK (quoted_nano >= 0),        -- held when it was admitted
  ADD COLUMN charged_nano bigint CHECK (charged_nano >= 0),      -- for the lines that have ended; null: it began before this was counted
  ADD COLUMN output_seconds integer CONSTRAINT output_lives CHECK (output_seconds BETWEEN 3600 AND 2592000);  -- of its result files; null: as other files
ALTER TABLE batches.batches ALTER COLUMN charged_nano SET DEFAULT 0;
