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
