-- What was charged is kept in sums of ten minutes for as long as the last hour is asked for, of hours for the week before it, and of days for the
-- month. From ten minutes alone a look at an account that is busy around the clock read a month of them, some thousand rows, every few seconds.
CREATE TYPE alerts.grain AS ENUM ('ten_minutes', 'hour', 'day');

ALTER TABLE alerts.spend ADD COLUMN grain alerts.grain NOT NULL DEFAULT 'ten_minutes';
ALTER TABLE alerts.spend ALTER COLUMN grain DROP DEFAULT;
ALTER TABLE alerts.spend DROP CONSTRAINT spend_pkey;
ALTER TABLE alerts.spend ADD PRIMARY KEY (subject_id, grain, bucket);

INSERT INTO alerts.spend (subject_id, grain, bucket, charged_nano)
SELECT subject_id, 'hour', date_bin('1 hour', bucket, timestamptz '2000-01-01 00:00:00+00'), sum(charged_nano) FROM alerts.spend GROUP BY 1, 3;

INSERT INTO alerts.spend (subject_id, grain, bucket, charged_nano)
SELECT subject_id, 'day', date_trunc('day', bucket AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow', sum(charged_nano)
FROM alerts.spend WHERE grain = 'ten_minutes' GROUP BY 1, 3;

DELETE FROM alerts.spend WHERE grain = 'ten_minutes' AND bucket < clock_timestamp() - interval '2 hours'
  OR grain = 'hour' AND bucket < clock_timestamp() - interval '8 days';
