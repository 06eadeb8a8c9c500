-- What was earned on days that are not kept yet: counted with the daily sums, from the same entries in the same transaction, so that a day that
-- goes on is never summed anew. By account too, so that whoever counts has rows of their own.
CREATE TABLE operate.running_margin (
  day date NOT NULL,                                   -- of Moscow
  account_id uuid NOT NULL,
  model text NOT NULL,                                 -- these and the sums as in operate.margin
  upstream text NOT NULL,
  requests bigint NOT NULL,
  charged_nano bigint NOT NULL,
  cost_nano bigint,
  unknown_requests bigint NOT NULL,
  unknown_charged_nano bigint NOT NULL,
  loss_nano bigint NOT NULL,
  PRIMARY KEY (day, account_id, model, upstream)
) WITH (fillfactor = 70);

-- The first day that is all there: of those before, entries were counted when there was no such table.
CREATE TABLE operate.running_since (day date NOT NULL);
INSERT INTO operate.running_since
SELECT CASE WHEN EXISTS (SELECT FROM ledger.entries) THEN (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date + 1 ELSE '-infinity' END;
