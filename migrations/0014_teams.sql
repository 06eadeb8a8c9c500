-- Teams: members own keys, developers see their own only, an account may want a second factor of all, and what its members change of it is
-- written down (docs/decisions/0037-teams.md).

-- One more role: a developer, to whom nothing of the account is there but its own keys and what was done with them.
ALTER TABLE accounts.members DROP CONSTRAINT members_role_check,
  ADD CONSTRAINT members_role_check CHECK (role IN ('developer', 'viewer', 'manager', 'owner'));
ALTER TABLE accounts.invitations DROP CONSTRAINT invitations_role_check,
  ADD CONSTRAINT invitations_role_check CHECK (role IN ('developer', 'viewer', 'manager', 'owner'));

-- The member whose a key is; null: the account's, as all were before. What a grant goes by is the budget, which knows no owner. A reference would
-- lead out of the account's own tables: who gives a key away holds the member, and who removes a member lets go of its keys.
ALTER TABLE keys.keys ADD COLUMN owner_id uuid;
CREATE INDEX keys_by_owner ON keys.keys (account_id, owner_id) WHERE owner_id IS NOT NULL;

-- Into which group the keys go that a developer makes; no row: into none. The bound that those who manage set to what a developer spends.
CREATE TABLE keys.member_groups (
  account_id uuid NOT NULL,
  member_id uuid NOT NULL,
  group_id uuid NOT NULL,
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, group_id) REFERENCES keys.groups
);

-- Members without a second factor may do nothing but set one up. API keys are not asked.
ALTER TABLE accounts.accounts ADD COLUMN totp_required boolean NOT NULL DEFAULT false;

-- What members changed of their account: written in the transaction that does it, and never changed. In months, as what operators do is.
CREATE TABLE audit.account_actions (
  account_id uuid NOT NULL,
  audit_id uuid NOT NULL,                              -- time-ordered: lists go by it
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  member_id uuid NOT NULL,
  actor text NOT NULL CHECK (length(actor) BETWEEN 1 AND 254),   -- the member's e-mail at that time
  action text NOT NULL CHECK (length(action) BETWEEN 1 AND 100),
  subject_id text CHECK (length(subject_id) BETWEEN 1 AND 100),  -- a key's hash, or the id of what it was about
  subject text CHECK (length(subject) BETWEEN 1 AND 300),        -- what that was called at that time
  before json,
  after json,
  PRIMARY KEY (account_id, audit_id)
) PARTITION BY RANGE (audit_id);
CREATE TRIGGER account_actions_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit.account_actions
  FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON audit.account_actions FROM CURRENT_USER;

-- Of ids that are of no month; nothing of it is dropped.
CREATE TABLE audit.account_actions_other PARTITION OF audit.account_actions DEFAULT WITH (autovacuum_vacuum_insert_scale_factor = 0.2);
SELECT months.wall('audit', 'account_actions_other');

-- As it was, with those of accounts.
CREATE OR REPLACE FUNCTION months.keep(p_from date, p_to date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('months.keep'));
  PERFORM months.make('tasks', 'events', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('tasks', 'webhooks', p_from, p_to, false, 'fillfactor = 70');
  PERFORM months.make('tasks', 'webhook_tries', p_from, p_to, false, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('audit', 'actions', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('audit', 'account_actions', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
END $$;

-- From the running month on: there was none before.
SELECT months.keep(today, (today + interval '3 months')::date) FROM (SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS today) now;
