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
