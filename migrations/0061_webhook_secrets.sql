-- What webhooks are signed with, one secret for each account; and whose server a webhook goes to, so that one that is down holds up none but its own.
CREATE TABLE tasks.webhook_secrets (
  account_id uuid PRIMARY KEY,
  secret text NOT NULL,                                -- whsec_…, as it is: it has to sign
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  previous text,                                       -- signs too for a while after a change, so that receivers can follow
  previous_until timestamptz,
  CHECK ((previous IS NULL) = (previous_until IS NULL))
);

ALTER TABLE tasks.webhooks ADD COLUMN host text NOT NULL GENERATED ALWAYS AS (lower(coalesce(substring(url FROM '^[A-Za-z]+://([^/?#]*)'), ''))) STORED;
CREATE INDEX webhooks_by_host ON tasks.webhooks (host, due_at) WHERE due_at IS NOT NULL;
DROP INDEX tasks.webhooks_by_due;
