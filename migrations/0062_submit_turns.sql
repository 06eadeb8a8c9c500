-- When the last submissions were made to an upstream that takes only so many in a time: one row, so that all processes keep to it together.
CREATE TABLE tasks.submit_turns (
  upstream text PRIMARY KEY,
  taken timestamptz[] NOT NULL                         -- ascending; no more of them than the upstream takes in its time
) WITH (fillfactor = 50);
