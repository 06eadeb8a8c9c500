-- What all migrations together come to, as PostgreSQL tells it: to be read, and to see in a change what it does to the schema.
-- It is never run. Written by `npm run schema`; test/schema/committed-schema.test.ts keeps it true. Why things are so stands in the migrations.

CREATE SCHEMA accounts;

CREATE TABLE accounts.accounts (
  account_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  requests_per_minute integer,
  tokens_per_minute integer,
  max_concurrent integer,
  max_tasks integer,
  blocked_at timestamp with time zone,
  block_reason text,
  totp_required boolean DEFAULT false NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id),
  CONSTRAINT accounts_block_reason_check CHECK (((length(block_reason) >= 1) AND (length(block_reason) <= 500))),
  CONSTRAINT accounts_max_concurrent_check CHECK ((max_concurrent > 0)),
  CONSTRAINT accounts_max_tasks_check CHECK ((max_tasks > 0)),
  CONSTRAINT accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT accounts_requests_per_minute_check CHECK ((requests_per_minute > 0)),
  CONSTRAINT accounts_tokens_per_minute_check CHECK ((tokens_per_minute > 0)),
  CONSTRAINT blocked_for_a_reason CHECK (((blocked_at IS NULL) = (block_reason IS NULL)))
);

CREATE TABLE accounts.attempts (
  subject bytea NOT NULL,
  free_at timestamp with time zone NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (subject),
  CONSTRAINT attempts_subject_check CHECK ((length(subject) = 32))
);
CREATE INDEX attempts_by_age ON accounts.attempts USING btree (free_at);

CREATE TABLE accounts.consents (
  member_id uuid NOT NULL,
  consent_id uuid NOT NULL,
  version integer NOT NULL,
  agreed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT consents_pkey PRIMARY KEY (member_id, consent_id, version),
  CONSTRAINT consents_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE,
  CONSTRAINT consents_version_check CHECK ((version > 0))
);

CREATE TABLE accounts.devices (
  member_id uuid NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT devices_pkey PRIMARY KEY (member_id, address, user_agent),
  CONSTRAINT devices_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE,
  CONSTRAINT devices_user_agent_check CHECK ((length(user_agent) <= 400))
);
CREATE INDEX devices_by_age ON accounts.devices USING btree (seen_at);

CREATE TABLE accounts.invitations (
  invitation_id uuid NOT NULL,
  account_id uuid NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  language text NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT invitations_pkey PRIMARY KEY (invitation_id),
  CONSTRAINT invitations_account_id_email_key UNIQUE (account_id, email),
  CONSTRAINT invitations_token_hash_key UNIQUE (token_hash),
  CONSTRAINT invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts(account_id) ON DELETE CASCADE,
  CONSTRAINT invitations_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254)))),
  CONSTRAINT invitations_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text]))),
  CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['developer'::text, 'viewer'::text, 'manager'::text, 'owner'::text]))),
  CONSTRAINT invitations_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE accounts.members (
  member_id uuid NOT NULL,
  account_id uuid NOT NULL,
  email text NOT NULL,
  password_hash text NOT NULL,
  must_change_password boolean NOT NULL,
  operator boolean NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  name text,
  role text DEFAULT 'owner'::text NOT NULL,
  language text DEFAULT 'ru'::text NOT NULL,
  timezone text DEFAULT 'Europe/Moscow'::text NOT NULL,
  verified_at timestamp with time zone,
  sign_up_code_id uuid,
  CONSTRAINT members_pkey PRIMARY KEY (member_id),
  CONSTRAINT members_email_key UNIQUE (email),
  CONSTRAINT members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts(account_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT members_sign_up_code_id_fkey FOREIGN KEY (sign_up_code_id) REFERENCES installation.sign_up_codes(code_id),
  CONSTRAINT members_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254)))),
  CONSTRAINT members_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text]))),
  CONSTRAINT members_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT members_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text)),
  CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['developer'::text, 'viewer'::text, 'manager'::text, 'owner'::text]))),
  CONSTRAINT members_timezone_check CHECK (((length(timezone) >= 1) AND (length(timezone) <= 64)))
);
CREATE INDEX members_by_sign_up_code ON accounts.members USING btree (sign_up_code_id) WHERE (sign_up_code_id IS NOT NULL);
CREATE INDEX members_of_account ON accounts.members USING btree (account_id);

CREATE TABLE accounts.passkeys (
  passkey_id uuid NOT NULL,
  member_id uuid NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (passkey_id),
  CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id),
  CONSTRAINT passkeys_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE,
  CONSTRAINT passkeys_counter_check CHECK ((counter >= 0)),
  CONSTRAINT passkeys_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))),
  CONSTRAINT passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
  CONSTRAINT passkeys_public_key_check CHECK (((length(public_key) >= 1) AND (length(public_key) <= 4000))),
  CONSTRAINT passkeys_transports_check CHECK ((cardinality(transports) <= 10))
);
CREATE INDEX passkeys_of_member ON accounts.passkeys USING btree (member_id);

CREATE TABLE accounts.recovery_codes (
  member_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (member_id, code_hash),
  CONSTRAINT recovery_codes_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE,
  CONSTRAINT recovery_codes_code_hash_check CHECK ((length(code_hash) = 32))
);

CREATE TABLE accounts.sessions (
  session_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  member_id uuid NOT NULL,
  stage text NOT NULL,
  wrong_codes smallint DEFAULT 0 NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (session_id),
  CONSTRAINT sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE,
  CONSTRAINT sessions_stage_check CHECK ((stage = ANY (ARRAY['full'::text, 'totp'::text, 'password'::text]))),
  CONSTRAINT sessions_token_hash_check CHECK ((length(token_hash) = 32)),
  CONSTRAINT sessions_user_agent_check CHECK ((length(user_agent) <= 400))
);
CREATE INDEX sessions_by_expiry ON accounts.sessions USING btree (expires_at);
CREATE INDEX sessions_of_member ON accounts.sessions USING btree (member_id);

CREATE TABLE accounts.tokens (
  token_hash bytea NOT NULL,
  purpose text NOT NULL,
  member_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT tokens_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE,
  CONSTRAINT tokens_purpose_check CHECK ((purpose = ANY (ARRAY['verify'::text, 'reset'::text]))),
  CONSTRAINT tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX tokens_by_expiry ON accounts.tokens USING btree (expires_at);
CREATE INDEX tokens_of_member ON accounts.tokens USING btree (member_id, purpose);

CREATE TABLE accounts.totp (
  member_id uuid NOT NULL,
  sealed_secret bytea NOT NULL,
  confirmed_at timestamp with time zone,
  last_step bigint DEFAULT 0 NOT NULL,
  CONSTRAINT totp_pkey PRIMARY KEY (member_id),
  CONSTRAINT totp_member_id_fkey FOREIGN KEY (member_id) REFERENCES accounts.members(member_id) ON DELETE CASCADE
);

CREATE SCHEMA alerts;

CREATE TYPE alerts.channel AS ENUM ('mail', 'webhook', 'telegram');

CREATE TYPE alerts.grain AS ENUM ('ten_minutes', 'hour', 'day');

CREATE TYPE alerts.kind AS ENUM ('balance_below', 'spend_day', 'spend_month', 'spend_spike', 'limit_used');

CREATE TABLE alerts.deliveries (
  account_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  rule_id uuid,
  kind alerts.kind NOT NULL,
  channel alerts.channel NOT NULL,
  target text NOT NULL,
  test boolean NOT NULL,
  value_nano bigint NOT NULL,
  threshold_nano bigint NOT NULL,
  fired_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  mail_id uuid,
  body text,
  host text GENERATED ALWAYS AS (lower(COALESCE("substring"(target, '^[A-Za-z]+://([^/?#]*)'::text), ''::text))) STORED NOT NULL,
  due_at timestamp with time zone,
  tries integer DEFAULT 0 NOT NULL,
  last_at timestamp with time zone,
  last_status integer,
  last_error text,
  delivered_at timestamp with time zone,
  message_id uuid,
  CONSTRAINT deliveries_pkey PRIMARY KEY (account_id, delivery_id),
  CONSTRAINT deliveries_account_id_rule_id_fkey FOREIGN KEY (account_id, rule_id) REFERENCES alerts.rules(account_id, rule_id) ON DELETE SET NULL (rule_id),
  CONSTRAINT deliveries_check CHECK (((channel = 'mail'::alerts.channel) = (mail_id IS NOT NULL))),
  CONSTRAINT deliveries_check1 CHECK (((channel = 'webhook'::alerts.channel) = (body IS NOT NULL))),
  CONSTRAINT deliveries_check2 CHECK (((channel <> ALL (ARRAY['mail'::alerts.channel, 'webhook'::alerts.channel])) = (message_id IS NOT NULL)))
) WITH (fillfactor=80);
CREATE INDEX deliveries_by_due ON alerts.deliveries USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX deliveries_of_rule ON alerts.deliveries USING btree (account_id, rule_id);

CREATE TABLE alerts.looks (
  account_id uuid NOT NULL,
  through_no bigint NOT NULL,
  credited_nano bigint NOT NULL,
  charged_nano bigint NOT NULL,
  CONSTRAINT looks_pkey PRIMARY KEY (account_id)
) WITH (fillfactor=60);

CREATE TABLE alerts.operator_rules (
  kind text NOT NULL,
  enabled boolean NOT NULL,
  percent integer,
  mail boolean DEFAULT true NOT NULL,
  telegram boolean DEFAULT true NOT NULL,
  notified jsonb DEFAULT '{}'::jsonb NOT NULL,
  fired_at timestamp with time zone,
  CONSTRAINT operator_rules_pkey PRIMARY KEY (kind),
  CONSTRAINT operator_rules_check CHECK (((kind = 'margin_below'::text) = (percent IS NOT NULL))),
  CONSTRAINT operator_rules_kind_check CHECK ((kind = ANY (ARRAY['circuit_open'::text, 'receipts_parked'::text, 'payments_late'::text, 'margin_below'::text, 'balance_below'::text]))),
  CONSTRAINT operator_rules_percent_check CHECK (((percent >= '-100'::integer) AND (percent <= 100)))
);

CREATE TABLE alerts.rules (
  account_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  kind alerts.kind NOT NULL,
  threshold_nano bigint,
  factor integer,
  subject_id uuid NOT NULL,
  key_hash text,
  enabled boolean NOT NULL,
  mail_to text NOT NULL,
  member_ids uuid[] NOT NULL,
  webhook_url text,
  quiet_until timestamp with time zone,
  fired_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  telegram_to text DEFAULT 'owners'::text NOT NULL,
  percent integer,
  group_id uuid,
  CONSTRAINT rules_pkey PRIMARY KEY (account_id, rule_id),
  CONSTRAINT rules_check CHECK (((kind = 'spend_spike'::alerts.kind) = (factor IS NOT NULL))),
  CONSTRAINT rules_check1 CHECK (((kind <> 'balance_below'::alerts.kind) OR (key_hash IS NULL))),
  CONSTRAINT rules_check2 CHECK (((subject_id = account_id) = ((key_hash IS NULL) AND (group_id IS NULL)))),
  CONSTRAINT rules_check3 CHECK (((key_hash IS NULL) OR (group_id IS NULL))),
  CONSTRAINT rules_check4 CHECK (((group_id IS NULL) OR ((group_id = subject_id) AND (percent IS NOT NULL)))),
  CONSTRAINT rules_check5 CHECK (((percent IS NULL) = (threshold_nano IS NOT NULL))),
  CONSTRAINT rules_check6 CHECK (((percent IS NULL) = (kind = ANY (ARRAY['balance_below'::alerts.kind, 'spend_day'::alerts.kind, 'spend_month'::alerts.kind, 'spend_spike'::alerts.kind])))),
  CONSTRAINT rules_check7 CHECK (((percent IS NULL) OR (subject_id <> account_id))),
  CONSTRAINT rules_factor_check CHECK (((factor >= 2) AND (factor <= 100))),
  CONSTRAINT rules_mail_to_check CHECK ((mail_to = ANY (ARRAY['owners'::text, 'members'::text, 'nobody'::text]))),
  CONSTRAINT rules_member_ids_check CHECK ((cardinality(member_ids) <= 50)),
  CONSTRAINT rules_percent_check CHECK (((percent >= 1) AND (percent <= 100))),
  CONSTRAINT rules_telegram_to_check CHECK ((telegram_to = ANY (ARRAY['owners'::text, 'members'::text, 'nobody'::text]))),
  CONSTRAINT rules_threshold_nano_check CHECK ((threshold_nano > 0)),
  CONSTRAINT rules_webhook_url_check CHECK ((length(webhook_url) <= 2048))
) WITH (fillfactor=80);

CREATE TABLE alerts.spend (
  account_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  grain alerts.grain NOT NULL,
  bucket timestamp with time zone NOT NULL,
  charged_nano bigint NOT NULL,
  CONSTRAINT spend_pkey PRIMARY KEY (account_id, subject_id, grain, bucket)
) WITH (fillfactor=70);

CREATE SCHEMA audit;

CREATE TABLE audit.account_actions (
  account_id uuid NOT NULL,
  audit_id uuid NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  member_id uuid NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject_id text,
  subject text,
  before json,
  after json,
  CONSTRAINT account_actions_pkey PRIMARY KEY (account_id, audit_id),
  CONSTRAINT account_actions_action_check CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  CONSTRAINT account_actions_actor_check CHECK (((length(actor) >= 1) AND (length(actor) <= 254))),
  CONSTRAINT account_actions_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 300))),
  CONSTRAINT account_actions_subject_id_check CHECK (((length(subject_id) >= 1) AND (length(subject_id) <= 100)))
) PARTITION BY RANGE (audit_id);
CREATE TRIGGER account_actions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit.account_actions FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
REVOKE DELETE, TRUNCATE, UPDATE ON audit.account_actions FROM CURRENT_USER;

CREATE TABLE audit.actions (
  audit_id uuid NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  member_id uuid,
  actor text NOT NULL,
  action text NOT NULL,
  account_id uuid,
  subject text,
  reason text,
  before json,
  after json,
  CONSTRAINT actions_pkey PRIMARY KEY (audit_id),
  CONSTRAINT actions_action_check1 CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  CONSTRAINT actions_actor_check1 CHECK (((length(actor) >= 1) AND (length(actor) <= 254))),
  CONSTRAINT actions_reason_check1 CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  CONSTRAINT actions_subject_check1 CHECK (((length(subject) >= 1) AND (length(subject) <= 300)))
) PARTITION BY RANGE (audit_id);
CREATE INDEX actions_of_account ON audit.actions USING btree (account_id, audit_id) WHERE (account_id IS NOT NULL);
CREATE TRIGGER actions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit.actions FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
REVOKE DELETE, TRUNCATE, UPDATE ON audit.actions FROM CURRENT_USER;

CREATE OR REPLACE FUNCTION audit.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$function$;

CREATE SCHEMA batches;

CREATE TABLE batches.batches (
  account_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  key_id uuid NOT NULL,
  shape text NOT NULL,
  endpoint text NOT NULL,
  state text DEFAULT 'validating'::text NOT NULL,
  outcome text,
  input_file_id uuid NOT NULL,
  input_name text NOT NULL,
  output_file_id uuid,
  error_file_id uuid,
  client_ip text NOT NULL,
  passed_on json NOT NULL,
  metadata json,
  errors json,
  price_version integer,
  total integer DEFAULT 0 NOT NULL,
  succeeded integer DEFAULT 0 NOT NULL,
  errored integer DEFAULT 0 NOT NULL,
  canceled integer DEFAULT 0 NOT NULL,
  expired integer DEFAULT 0 NOT NULL,
  lease_id uuid,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  began_at timestamp with time zone,
  cancel_asked_at timestamp with time zone,
  finalizing_at timestamp with time zone,
  ended_at timestamp with time zone,
  expires_at timestamp with time zone DEFAULT (clock_timestamp() + '24:00:00'::interval) NOT NULL,
  quoted_nano bigint,
  charged_nano bigint DEFAULT 0,
  output_seconds integer,
  CONSTRAINT batches_pkey PRIMARY KEY (account_id, batch_id),
  CONSTRAINT batches_charged_nano_check CHECK ((charged_nano >= 0)),
  CONSTRAINT batches_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT batches_quoted_nano_check CHECK ((quoted_nano >= 0)),
  CONSTRAINT batches_shape_check CHECK ((shape = ANY (ARRAY['openai'::text, 'anthropic'::text]))),
  CONSTRAINT batches_state_check CHECK ((state = ANY (ARRAY['validating'::text, 'in_progress'::text, 'cancelling'::text, 'finalizing'::text, 'completed'::text, 'failed'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT counted CHECK (((LEAST(succeeded, errored, canceled, expired) >= 0) AND ((((succeeded + errored) + canceled) + expired) <= total))),
  CONSTRAINT ended CHECK (((state = ANY (ARRAY['completed'::text, 'failed'::text, 'expired'::text, 'cancelled'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT output_lives CHECK (((output_seconds >= 3600) AND (output_seconds <= 2592000)))
) WITH (fillfactor=50);
CREATE INDEX batches_at_work ON batches.batches USING btree (due_at) WHERE (ended_at IS NULL);
CREATE INDEX batches_by_end ON batches.batches USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE TABLE batches.lines (
  account_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  line_no integer NOT NULL,
  custom_id text NOT NULL,
  first_byte bigint NOT NULL,
  bytes integer NOT NULL,
  quote_nano bigint NOT NULL,
  state text DEFAULT 'waiting'::text NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  lease_id uuid,
  tries integer DEFAULT 0 NOT NULL,
  request_id uuid,
  status integer,
  answer bytea,
  pass_no integer,
  CONSTRAINT lines_pkey PRIMARY KEY (account_id, batch_id, line_no),
  CONSTRAINT lines_account_id_batch_id_fkey FOREIGN KEY (account_id, batch_id) REFERENCES batches.batches(account_id, batch_id) ON DELETE CASCADE,
  CONSTRAINT answered CHECK (((state = ANY (ARRAY['succeeded'::text, 'errored'::text])) = (answer IS NOT NULL))),
  CONSTRAINT leased CHECK (((state = 'running'::text) = (lease_id IS NOT NULL))),
  CONSTRAINT lines_bytes_check CHECK ((bytes > 0)),
  CONSTRAINT lines_first_byte_check CHECK ((first_byte >= 0)),
  CONSTRAINT lines_line_no_check CHECK ((line_no > 0)),
  CONSTRAINT lines_quote_nano_check CHECK ((quote_nano >= 0)),
  CONSTRAINT lines_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'passed'::text, 'succeeded'::text, 'errored'::text, 'canceled'::text, 'expired'::text]))),
  CONSTRAINT passed CHECK (((state <> 'passed'::text) OR (pass_no IS NOT NULL)))
) WITH (fillfactor=70);
CREATE INDEX lines_passed ON batches.lines USING btree (account_id, batch_id, pass_no, line_no) WHERE (state = 'passed'::text);
CREATE INDEX lines_to_do ON batches.lines USING btree (account_id, batch_id, due_at, line_no) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));

CREATE TABLE batches.passes (
  account_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  pass_no integer NOT NULL,
  upstream text NOT NULL,
  model text NOT NULL,
  state text DEFAULT 'waiting'::text NOT NULL,
  credential text,
  remote_file text,
  remote_id text,
  lines integer,
  submitted_at timestamp with time zone,
  cancel_sent boolean DEFAULT false NOT NULL,
  lease_id uuid,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT passes_pkey PRIMARY KEY (account_id, batch_id, pass_no),
  CONSTRAINT passes_account_id_batch_id_fkey FOREIGN KEY (account_id, batch_id) REFERENCES batches.batches(account_id, batch_id) ON DELETE CASCADE,
  CONSTRAINT named CHECK (((state <> 'running'::text) OR (remote_id IS NOT NULL))),
  CONSTRAINT passes_pass_no_check CHECK ((pass_no > 0)),
  CONSTRAINT passes_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'submitting'::text, 'running'::text, 'over'::text]))),
  CONSTRAINT submitted CHECK (((state = ANY (ARRAY['waiting'::text, 'over'::text])) OR ((submitted_at IS NOT NULL) AND (credential IS NOT NULL))))
) WITH (fillfactor=50);
CREATE INDEX passes_at_work ON batches.passes USING btree (due_at) WHERE (state <> 'over'::text);

CREATE SCHEMA catalogue;

CREATE TABLE catalogue.versions (
  version integer NOT NULL,
  source text NOT NULL,
  digest text NOT NULL,
  origin text NOT NULL,
  applied_by text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  note text,
  CONSTRAINT versions_pkey PRIMARY KEY (version),
  CONSTRAINT versions_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT versions_note_check CHECK (((length(note) >= 1) AND (length(note) <= 500))),
  CONSTRAINT versions_origin_check CHECK ((origin = ANY (ARRAY['file'::text, 'apply'::text]))),
  CONSTRAINT versions_version_check CHECK ((version > 0))
);
CREATE TRIGGER versions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON catalogue.versions FOR EACH STATEMENT EXECUTE FUNCTION catalogue.refuse_change();
REVOKE DELETE, TRUNCATE, UPDATE ON catalogue.versions FROM CURRENT_USER;

CREATE OR REPLACE FUNCTION catalogue.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$function$;

CREATE SCHEMA directory;

CREATE TABLE directory.attempts (
  attempt_id uuid NOT NULL,
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (attempt_id),
  CONSTRAINT attempts_account_id_task_id_key UNIQUE (account_id, task_id)
);

CREATE TABLE directory.files (
  name text NOT NULL,
  account_id uuid NOT NULL,
  file_id uuid NOT NULL,
  CONSTRAINT files_pkey PRIMARY KEY (name)
);

CREATE TABLE directory.keys (
  hash text NOT NULL,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  CONSTRAINT keys_pkey PRIMARY KEY (hash)
);

CREATE TABLE directory.payments (
  payment_id uuid NOT NULL,
  account_id uuid NOT NULL,
  provider text NOT NULL,
  provider_payment_id text,
  CONSTRAINT payments_pkey PRIMARY KEY (payment_id),
  CONSTRAINT payments_provider_provider_payment_id_key UNIQUE (provider, provider_payment_id)
);

CREATE TABLE directory.transfers (
  kind text NOT NULL,
  reference text NOT NULL,
  account_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  amount_nano bigint NOT NULL,
  class text DEFAULT 'paid'::text NOT NULL,
  entry_no bigint,
  CONSTRAINT transfers_pkey PRIMARY KEY (kind, reference)
);
CREATE INDEX transfers_by_entry ON directory.transfers USING btree (entry_id);

CREATE SCHEMA files;

CREATE TYPE files.origin AS ENUM ('upload', 'fetched', 'result');

CREATE TYPE files.state AS ENUM ('receiving', 'stored', 'expired', 'deleted');

CREATE TABLE files.files (
  account_id uuid NOT NULL,
  file_id uuid NOT NULL,
  name text NOT NULL,
  key_id uuid,
  origin files.origin NOT NULL,
  state files.state DEFAULT 'receiving'::files.state NOT NULL,
  owner_id uuid NOT NULL,
  file_name text NOT NULL,
  content_type text NOT NULL,
  inline boolean NOT NULL,
  bytes bigint,
  sha256 bytea,
  verdict jsonb,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  stored_at timestamp with time zone,
  expires_at timestamp with time zone,
  ended_at timestamp with time zone,
  purpose text,
  CONSTRAINT files_pkey PRIMARY KEY (account_id, file_id),
  CONSTRAINT files_account_id_name_key UNIQUE (account_id, name),
  CONSTRAINT files_bytes_check CHECK ((bytes > 0)),
  CONSTRAINT files_check CHECK (((state = 'receiving'::files.state) = (stored_at IS NULL))),
  CONSTRAINT files_check1 CHECK (((stored_at IS NULL) OR ((bytes IS NOT NULL) AND (sha256 IS NOT NULL) AND (expires_at IS NOT NULL)))),
  CONSTRAINT files_check2 CHECK (((state = ANY (ARRAY['expired'::files.state, 'deleted'::files.state])) = (ended_at IS NOT NULL))),
  CONSTRAINT files_file_name_check CHECK (((length(file_name) >= 1) AND (length(file_name) <= 255))),
  CONSTRAINT files_name_check CHECK ((name ~ '^[0-9a-z]{32}\.[0-9a-z]{1,8}$'::text)),
  CONSTRAINT files_sha256_check CHECK ((length(sha256) = 32)),
  CONSTRAINT purpose_is_known CHECK ((purpose = ANY (ARRAY['batch'::text, 'batch_output'::text, 'batch_part'::text])))
) WITH (fillfactor=80);
CREATE INDEX files_being_received ON files.files USING btree (owner_id, created_at) WHERE (state = 'receiving'::files.state);
CREATE INDEX files_by_end ON files.files USING btree (ended_at) WHERE (state = ANY (ARRAY['expired'::files.state, 'deleted'::files.state]));
CREATE INDEX files_by_expiry ON files.files USING btree (expires_at) WHERE (state = 'stored'::files.state);
CREATE INDEX files_of_account ON files.files USING btree (account_id, file_id) WHERE (state = 'stored'::files.state);
CREATE INDEX private_files ON files.files USING btree (account_id, file_id) WHERE ((state = 'stored'::files.state) AND (purpose IS NOT NULL));

CREATE TABLE files.removals (
  name text NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  again_at timestamp with time zone,
  CONSTRAINT removals_pkey PRIMARY KEY (name)
);
CREATE INDEX removals_by_due ON files.removals USING btree (due_at);

CREATE TABLE files.usage (
  account_id uuid NOT NULL,
  bytes bigint NOT NULL,
  files bigint NOT NULL,
  kept_bytes bigint DEFAULT 0 NOT NULL,
  CONSTRAINT usage_pkey PRIMARY KEY (account_id),
  CONSTRAINT usage_bytes_check CHECK ((bytes >= 0)),
  CONSTRAINT usage_files_check CHECK ((files >= 0)),
  CONSTRAINT usage_kept_bytes_check CHECK ((kept_bytes >= 0))
) WITH (fillfactor=50);

CREATE OR REPLACE FUNCTION files.give_room(p_account uuid, p_bytes bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  UPDATE files.usage SET kept_bytes = kept_bytes - p_bytes WHERE account_id = p_account
$function$;

CREATE OR REPLACE FUNCTION files.take_room(p_account uuid, p_bytes bigint, p_quota bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO files.usage AS u (account_id, bytes, files, kept_bytes) SELECT p_account, 0, 0, p_bytes WHERE p_bytes <= p_quota
  ON CONFLICT (account_id) DO UPDATE SET kept_bytes = u.kept_bytes + excluded.kept_bytes
    WHERE u.bytes + u.kept_bytes + excluded.kept_bytes <= p_quota;
  RETURN FOUND;
END $function$;

CREATE SCHEMA idempotency;

CREATE TYPE idempotency.state AS ENUM ('running', 'answered');

CREATE TABLE idempotency.records (
  account_id uuid NOT NULL,
  key text NOT NULL,
  request_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  digest bytea NOT NULL,
  state idempotency.state DEFAULT 'running'::idempotency.state NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone DEFAULT (clock_timestamp() + '24:00:00'::interval) NOT NULL,
  status smallint,
  content_type text,
  streamed boolean,
  broken boolean,
  body bytea,
  charged_nano bigint,
  CONSTRAINT records_pkey PRIMARY KEY (account_id, key),
  CONSTRAINT records_charged_nano_check CHECK ((charged_nano >= 0)),
  CONSTRAINT records_digest_check CHECK ((length(digest) = 32)),
  CONSTRAINT records_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
) WITH (fillfactor=80, autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX records_by_expiry ON idempotency.records USING btree (expires_at);

CREATE OR REPLACE FUNCTION idempotency.end_many(p_accounts uuid[], p_keys text[], p_requests uuid[], p_answered boolean[], p_settled bigint[], p_earlier bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE idempotency.records r SET state = 'answered', charged_nano = coalesce(u.settled, u.earlier, 0)
  FROM unnest(p_accounts, p_keys, p_requests, p_answered, p_settled, p_earlier) AS u (account_id, key, request_id, answered, settled, earlier)
  WHERE u.answered AND r.account_id = u.account_id AND r.key = u.key AND r.request_id = u.request_id AND r.state = 'running';
  DELETE FROM idempotency.records r
  USING unnest(p_accounts, p_keys, p_requests, p_answered) AS u (account_id, key, request_id, answered)
  WHERE NOT u.answered AND r.account_id = u.account_id AND r.key = u.key AND r.request_id = u.request_id AND r.state = 'running';
END $function$;

CREATE SCHEMA installation;

CREATE TABLE installation.images (
  digest text NOT NULL,
  bytes bytea NOT NULL,
  width integer NOT NULL,
  height integer NOT NULL,
  made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT images_pkey PRIMARY KEY (digest),
  CONSTRAINT images_bytes_check CHECK (((length(bytes) >= 1) AND (length(bytes) <= 262144))),
  CONSTRAINT images_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT images_height_check CHECK ((height > 0)),
  CONSTRAINT images_width_check CHECK ((width > 0))
);

CREATE TABLE installation.settings (
  version integer NOT NULL,
  settings jsonb NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT settings_pkey PRIMARY KEY (version),
  CONSTRAINT settings_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text)),
  CONSTRAINT settings_version_check CHECK ((version > 0))
);
CREATE TRIGGER settings_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON installation.settings FOR EACH STATEMENT EXECUTE FUNCTION installation.refuse_change();
REVOKE DELETE, TRUNCATE, UPDATE ON installation.settings FROM CURRENT_USER;

CREATE TABLE installation.sign_up_codes (
  code_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  hint text NOT NULL,
  note text,
  most_uses integer,
  uses integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone,
  deleted_at timestamp with time zone,
  CONSTRAINT sign_up_codes_pkey PRIMARY KEY (code_id),
  CONSTRAINT sign_up_codes_code_hash_key UNIQUE (code_hash),
  CONSTRAINT never_overused CHECK (((uses >= 0) AND (uses <= COALESCE(most_uses, uses)))),
  CONSTRAINT sign_up_codes_code_hash_check CHECK ((length(code_hash) = 32)),
  CONSTRAINT sign_up_codes_hint_check CHECK (((length(hint) >= 1) AND (length(hint) <= 20))),
  CONSTRAINT sign_up_codes_most_uses_check CHECK ((most_uses > 0)),
  CONSTRAINT sign_up_codes_note_check CHECK (((length(note) >= 1) AND (length(note) <= 200)))
);

CREATE OR REPLACE FUNCTION installation.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$function$;

CREATE SCHEMA keys;

CREATE TABLE keys.groups (
  account_id uuid NOT NULL,
  group_id uuid NOT NULL,
  name text NOT NULL,
  models text[],
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  frozen_at timestamp with time zone,
  deleted_at timestamp with time zone,
  once uuid,
  CONSTRAINT groups_pkey PRIMARY KEY (account_id, group_id),
  CONSTRAINT groups_models_check CHECK (((cardinality(models) >= 1) AND (cardinality(models) <= 100))),
  CONSTRAINT groups_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);
CREATE INDEX groups_by_id ON keys.groups USING btree (group_id);
CREATE UNIQUE INDEX groups_made_once ON keys.groups USING btree (account_id, once) WHERE (once IS NOT NULL);

CREATE TABLE keys.keys (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  hash text NOT NULL,
  mask text NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone,
  deleted_at timestamp with time zone,
  frozen_at timestamp with time zone,
  rolled_to uuid,
  once uuid,
  models text[],
  ips text[],
  requests_per_minute integer,
  tokens_per_minute integer,
  max_concurrent integer,
  max_tasks integer,
  last_used_at timestamp with time zone,
  group_id uuid,
  owner_id uuid,
  CONSTRAINT keys_pkey PRIMARY KEY (account_id, key_id),
  CONSTRAINT keys_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT keys_ips_check CHECK (((cardinality(ips) >= 1) AND (cardinality(ips) <= 100))),
  CONSTRAINT keys_mask_check CHECK ((mask ~ '^tg_live_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$'::text)),
  CONSTRAINT keys_max_concurrent_check CHECK ((max_concurrent > 0)),
  CONSTRAINT keys_max_tasks_check CHECK ((max_tasks > 0)),
  CONSTRAINT keys_models_check CHECK (((cardinality(models) >= 1) AND (cardinality(models) <= 100))),
  CONSTRAINT keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT keys_requests_per_minute_check CHECK ((requests_per_minute > 0)),
  CONSTRAINT keys_tokens_per_minute_check CHECK ((tokens_per_minute > 0))
) WITH (fillfactor=80);
CREATE INDEX keys_by_group ON keys.keys USING btree (account_id, group_id) WHERE (group_id IS NOT NULL);
CREATE INDEX keys_by_id ON keys.keys USING btree (key_id);
CREATE INDEX keys_by_owner ON keys.keys USING btree (account_id, owner_id) WHERE (owner_id IS NOT NULL);
CREATE UNIQUE INDEX keys_made_once ON keys.keys USING btree (account_id, once) WHERE (once IS NOT NULL);

CREATE TABLE keys.member_groups (
  account_id uuid NOT NULL,
  member_id uuid NOT NULL,
  group_id uuid NOT NULL,
  CONSTRAINT member_groups_pkey PRIMARY KEY (account_id, member_id),
  CONSTRAINT member_groups_account_id_group_id_fkey FOREIGN KEY (account_id, group_id) REFERENCES keys.groups(account_id, group_id)
);

CREATE SCHEMA ledger;

CREATE TYPE ledger.credit_class AS ENUM ('paid', 'trial', 'bonus');

CREATE TYPE ledger.entry_kind AS ENUM ('topup', 'adjust', 'charge', 'release', 'loss');

CREATE TYPE ledger.period AS ENUM ('day', 'month', 'total');

CREATE TABLE ledger.accounts (
  account_id uuid NOT NULL,
  blocked boolean DEFAULT false NOT NULL,
  credited_nano bigint DEFAULT 0 NOT NULL,
  charged_nano bigint DEFAULT 0 NOT NULL,
  held_nano bigint DEFAULT 0 NOT NULL,
  entries bigint DEFAULT 0 NOT NULL,
  entered_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  opened_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  trial_until_nano bigint DEFAULT 0 NOT NULL,
  bonus_until_nano bigint DEFAULT 0 NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id),
  CONSTRAINT never_overspent CHECK (((charged_nano >= 0) AND (held_nano >= 0) AND (held_nano <= (credited_nano - charged_nano))))
) WITH (fillfactor=50, autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);

CREATE TABLE ledger.budget_seals (
  account_id uuid NOT NULL,
  budget_id uuid NOT NULL,
  month date NOT NULL,
  charged_nano bigint NOT NULL,
  period_start timestamp with time zone NOT NULL,
  since_nano bigint NOT NULL,
  late_nano bigint NOT NULL,
  CONSTRAINT budget_seals_pkey PRIMARY KEY (account_id, budget_id, month)
);

CREATE TABLE ledger.budgets (
  account_id uuid NOT NULL,
  budget_id uuid NOT NULL,
  closed boolean DEFAULT false NOT NULL,
  limit_nano bigint,
  period ledger.period NOT NULL,
  period_start timestamp with time zone NOT NULL,
  period_charged_nano bigint DEFAULT 0 NOT NULL,
  charged_nano bigint DEFAULT 0 NOT NULL,
  held_nano bigint DEFAULT 0 NOT NULL,
  excess_nano bigint DEFAULT 0 NOT NULL,
  opened_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  follows uuid,
  carried_nano bigint DEFAULT 0 NOT NULL,
  carried_at timestamp with time zone,
  group_id uuid,
  CONSTRAINT budgets_pkey PRIMARY KEY (account_id, budget_id),
  CONSTRAINT budgets_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger.accounts(account_id),
  CONSTRAINT budgets_limit_nano_check CHECK ((limit_nano >= 0)),
  CONSTRAINT limit_kept CHECK (((period_charged_nano >= 0) AND ((charged_nano + carried_nano) >= period_charged_nano) AND (held_nano >= 0) AND (carried_nano >= 0) AND (((period_charged_nano + held_nano) - excess_nano) <= limit_nano)))
) WITH (fillfactor=50, autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX budgets_by_id ON ledger.budgets USING btree (budget_id);

CREATE TABLE ledger.entries (
  account_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  entry_no bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  amount_nano bigint NOT NULL,
  balance_nano bigint NOT NULL,
  held_nano bigint,
  started_at timestamp with time zone,
  input_tokens bigint,
  cached_tokens bigint,
  output_tokens bigint,
  cost_nano bigint,
  kind ledger.entry_kind NOT NULL,
  price_version integer,
  duration_ms integer,
  first_ms integer,
  budget_id uuid,
  budget2_id uuid,
  budget3_id uuid,
  endpoint text,
  model_requested text,
  model text,
  state text,
  upstream text,
  reference text,
  note text,
  detail text,
  class ledger.credit_class,
  CONSTRAINT entries_pkey PRIMARY KEY (account_id, entry_id),
  CONSTRAINT adds_up CHECK ((((amount_nano >= 0) OR (kind = 'adjust'::ledger.entry_kind)) AND (amount_nano <= held_nano)))
) PARTITION BY RANGE (entry_id);
CREATE INDEX entries_by_id ON ledger.entries USING brin (entry_id) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX entries_by_number ON ledger.entries USING btree (account_id, entry_no);
CREATE INDEX entries_of_no_request ON ledger.entries USING btree (account_id, entry_no) WHERE (kind <> ALL (ARRAY['charge'::ledger.entry_kind, 'release'::ledger.entry_kind]));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.entries FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
REVOKE DELETE, TRUNCATE, UPDATE ON ledger.entries FROM CURRENT_USER;

CREATE TABLE ledger.holds (
  account_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  budget_id uuid,
  budget2_id uuid,
  budget3_id uuid,
  journal_id uuid,
  shared boolean DEFAULT false NOT NULL,
  recalled boolean DEFAULT false NOT NULL,
  held_nano bigint NOT NULL,
  token bigint,
  granted_nano bigint,
  price_version integer,
  reference text,
  detail text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT holds_pkey PRIMARY KEY (account_id, hold_id),
  CONSTRAINT not_negative CHECK ((held_nano >= 0))
) WITH (fillfactor=50, autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_threshold=10000, autovacuum_analyze_scale_factor=0);
CREATE INDEX holds_by_journal ON ledger.holds USING btree (journal_id) WHERE (journal_id IS NOT NULL);

CREATE TABLE ledger.journals (
  journal_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  alive_until timestamp with time zone NOT NULL,
  fenced boolean DEFAULT false NOT NULL,
  page_no bigint DEFAULT 0 NOT NULL,
  CONSTRAINT journals_pkey PRIMARY KEY (journal_id)
) WITH (fillfactor=20, autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0);

CREATE TABLE ledger.months (
  month date NOT NULL,
  state text DEFAULT 'sealed'::text NOT NULL,
  entries bigint NOT NULL,
  sealed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  file text,
  edition integer,
  bytes bigint,
  sha256 text,
  archived_at timestamp with time zone,
  dropped_at timestamp with time zone,
  CONSTRAINT months_pkey PRIMARY KEY (month),
  CONSTRAINT months_check CHECK ((((state = 'sealed'::text) = (archived_at IS NULL)) AND ((state = 'dropped'::text) = (dropped_at IS NOT NULL)))),
  CONSTRAINT months_check1 CHECK (((state = 'sealed'::text) OR (num_nonnulls(file, edition, bytes, sha256) = 4))),
  CONSTRAINT months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  CONSTRAINT months_state_check CHECK ((state = ANY (ARRAY['sealed'::text, 'archived'::text, 'dropped'::text])))
);

CREATE TABLE ledger.owners (
  owner_id uuid NOT NULL,
  alive_until timestamp with time zone NOT NULL,
  CONSTRAINT owners_pkey PRIMARY KEY (owner_id)
);

CREATE TABLE ledger.pages (
  journal_id uuid NOT NULL,
  page_no bigint NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  request_ids uuid[],
  account_ids uuid[],
  hold_ids uuid[],
  held bigint[],
  charges bigint[],
  losses bigint[],
  price_versions integer[],
  "references" text[],
  noted boolean[],
  endpoints text[],
  models_requested text[],
  models text[],
  states text[],
  started_at timestamp with time zone[],
  details text[],
  faults text[],
  input_tokens bigint[],
  cached_tokens bigint[],
  output_tokens bigint[],
  upstreams text[],
  costs bigint[],
  durations integer[],
  firsts integer[],
  note_ids uuid[],
  note_accounts uuid[],
  note_holds uuid[],
  note_held bigint[],
  note_recorded bigint[],
  note_versions integer[],
  note_details text[],
  given_accounts uuid[],
  given_holds uuid[],
  given bigint[],
  ended integer,
  ids uuid[],
  words text[],
  numbers bigint[],
  CONSTRAINT pages_pkey PRIMARY KEY (journal_id, page_no)
) WITH (toast_tuple_target=8160, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0);

CREATE TABLE ledger.seals (
  account_id uuid NOT NULL,
  month date NOT NULL,
  entries bigint NOT NULL,
  topped_up_nano bigint NOT NULL,
  adjusted_nano bigint NOT NULL,
  charged_nano bigint NOT NULL,
  lost_nano numeric NOT NULL,
  first_no bigint NOT NULL,
  last_no bigint NOT NULL,
  numbers numeric NOT NULL,
  first_at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  trial_nano bigint DEFAULT 0 NOT NULL,
  bonus_nano bigint DEFAULT 0 NOT NULL,
  gifts_no bigint,
  trial_until_nano bigint,
  bonus_until_nano bigint,
  CONSTRAINT seals_pkey PRIMARY KEY (account_id, month)
);

CREATE TABLE ledger.unfinished (
  account_id uuid NOT NULL,
  request_id uuid NOT NULL,
  journal_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  held_nano bigint NOT NULL,
  recorded_nano bigint NOT NULL,
  price_version integer NOT NULL,
  noted_at timestamp with time zone NOT NULL,
  detail text NOT NULL,
  CONSTRAINT unfinished_pkey PRIMARY KEY (account_id, request_id),
  CONSTRAINT recorded_within_hold CHECK (((recorded_nano >= 0) AND (recorded_nano <= held_nano)))
) WITH (fillfactor=70, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0);
CREATE INDEX unfinished_by_journal ON ledger.unfinished USING btree (journal_id);

CREATE VIEW ledger.gifts AS
 WITH begun AS (
         SELECT DISTINCT ON (s.account_id) s.account_id,
            s.gifts_no,
            s.trial_until_nano,
            s.bonus_until_nano
           FROM (ledger.seals s
             JOIN ledger.months m USING (month))
          WHERE ((m.state = 'dropped'::text) AND (s.gifts_no IS NOT NULL))
          ORDER BY s.account_id, s.gifts_no DESC
        ), moved AS (
         SELECT d.account_id,
            d.entry_id,
            d.entry_no,
            e.class,
            e.amount_nano,
            (((a.credited_nano - e.balance_nano))::numeric - COALESCE(sum(d.amount_nano) OVER (PARTITION BY d.account_id ORDER BY d.entry_no DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), (0)::numeric)) AS charged
           FROM ((directory.transfers d
             JOIN ledger.accounts a USING (account_id))
             LEFT JOIN ledger.entries e USING (account_id, entry_id))
          WHERE ((d.entry_no IS NOT NULL) AND (d.account_id IN ( SELECT t.account_id
                   FROM directory.transfers t
                  WHERE (t.class <> 'paid'::text))))
        ), given AS (
         SELECT m.account_id,
            m.entry_id,
            m.entry_no,
            m.class,
            m.amount_nano,
            m.charged,
            COALESCE(b.trial_until_nano, (0)::bigint) AS trial_before,
            COALESCE(b.bonus_until_nano, (0)::bigint) AS bonus_before,
            sum(m.amount_nano) OVER w AS all_given,
            COALESCE(sum(m.amount_nano) FILTER (WHERE (m.class = 'trial'::ledger.credit_class)) OVER w, (0)::numeric) AS trial_given
           FROM (moved m
             LEFT JOIN begun b USING (account_id))
          WHERE ((m.class = ANY (ARRAY['trial'::ledger.credit_class, 'bonus'::ledger.credit_class])) AND (m.entry_no > COALESCE(b.gifts_no, (0)::bigint)))
          WINDOW w AS (PARTITION BY m.account_id ORDER BY m.entry_no)
        )
 SELECT account_id,
    entry_id,
    entry_no,
    (trial_given + GREATEST((trial_before)::numeric, max(((charged - trial_given) + (amount_nano)::numeric)) FILTER (WHERE (class = 'trial'::ledger.credit_class)) OVER w)) AS trial_until_nano,
    (all_given + GREATEST((bonus_before)::numeric, max(((charged - all_given) + (amount_nano)::numeric)) OVER w)) AS bonus_until_nano
   FROM given
  WINDOW w AS (PARTITION BY account_id ORDER BY entry_no);

CREATE VIEW ledger.page_columns AS
 SELECT journal_id,
    page_no,
    at,
    COALESCE(request_ids, ids[1:ended]) AS request_ids,
    COALESCE(account_ids, ids[(ended + 1):(2 * ended)]) AS account_ids,
    COALESCE(hold_ids, ids[((2 * ended) + 1):(3 * ended)]) AS hold_ids,
    COALESCE(held, numbers[1:ended]) AS held,
    COALESCE(charges, numbers[(ended + 1):(2 * ended)]) AS charges,
    COALESCE(price_versions, (numbers[((2 * ended) + 1):(3 * ended)])::integer[]) AS price_versions,
    losses,
    "references",
    noted,
    COALESCE(endpoints, words[1:ended]) AS endpoints,
    COALESCE(models_requested, words[(ended + 1):(2 * ended)]) AS models_requested,
    COALESCE(models, words[((2 * ended) + 1):(3 * ended)]) AS models,
    COALESCE(states, words[((3 * ended) + 1):(4 * ended)]) AS states,
    COALESCE(upstreams, words[((4 * ended) + 1):(5 * ended)]) AS upstreams,
    COALESCE(started_at, ARRAY( SELECT ('1970-01-01 00:00:00+00'::timestamp with time zone + ((u.ms)::double precision * '00:00:00.001'::interval))
           FROM unnest(g.numbers[((9 * g.ended) + 1):(10 * g.ended)]) WITH ORDINALITY u(ms, nth)
          ORDER BY u.nth)) AS started_at,
    details,
    faults,
    COALESCE(input_tokens, numbers[((3 * ended) + 1):(4 * ended)]) AS input_tokens,
    COALESCE(cached_tokens, numbers[((4 * ended) + 1):(5 * ended)]) AS cached_tokens,
    COALESCE(output_tokens, numbers[((5 * ended) + 1):(6 * ended)]) AS output_tokens,
    COALESCE(costs, numbers[((6 * ended) + 1):(7 * ended)]) AS costs,
    COALESCE(durations, (numbers[((7 * ended) + 1):(8 * ended)])::integer[]) AS durations,
    COALESCE(firsts, (numbers[((8 * ended) + 1):(9 * ended)])::integer[]) AS firsts,
    note_ids,
    note_accounts,
    note_holds,
    note_held,
    note_recorded,
    note_versions,
    note_details,
    given_accounts,
    given_holds,
    given
   FROM ledger.pages g;

CREATE VIEW ledger.transfers AS
 SELECT account_id,
    entry_id,
    entry_no,
    kind,
    at,
    abs(amount_nano) AS amount_nano,
        CASE kind
            WHEN 'topup'::ledger.entry_kind THEN '00000000-0000-0000-0000-000000000001'::uuid
            WHEN 'loss'::ledger.entry_kind THEN '00000000-0000-0000-0000-000000000003'::uuid
            WHEN 'adjust'::ledger.entry_kind THEN
            CASE
                WHEN (amount_nano < 0) THEN account_id
                ELSE '00000000-0000-0000-0000-000000000004'::uuid
            END
            ELSE account_id
        END AS debit_id,
        CASE kind
            WHEN 'topup'::ledger.entry_kind THEN account_id
            WHEN 'adjust'::ledger.entry_kind THEN
            CASE
                WHEN (amount_nano < 0) THEN '00000000-0000-0000-0000-000000000004'::uuid
                ELSE account_id
            END
            ELSE '00000000-0000-0000-0000-000000000002'::uuid
        END AS credit_id
   FROM ledger.entries;

CREATE AGGREGATE ledger.total(bigint) (SFUNC = int8pl, STYPE = bigint, COMBINEFUNC = int8pl, PARALLEL = SAFE);

CREATE OR REPLACE FUNCTION ledger.carve(p_account uuid, p_hold uuid, p_new uuid, p_amount bigint, p_price_version integer, p_reference text, p_detail text, OUT carved bigint, OUT has bigint, OUT known boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold FOR NO KEY UPDATE;
  -- Behind the lock, so that it sees what whoever had it has made.
  known := EXISTS (SELECT FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_new
    UNION ALL SELECT FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_id = p_new);
  IF known THEN RETURN; END IF;
  UPDATE ledger.holds h SET held_nano = h.held_nano - p_amount
  WHERE h.account_id = p_account AND h.hold_id = p_hold AND h.journal_id IS NULL AND h.held_nano >= p_amount
  RETURNING p_amount, h.held_nano INTO carved, has;
  IF carved IS NULL THEN
    SELECT h.held_nano INTO has FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold AND h.journal_id IS NULL;
    RETURN;
  END IF;
  INSERT INTO ledger.holds (account_id, hold_id, budget_id, budget2_id, budget3_id, held_nano, token, granted_nano, price_version, reference, detail, created_at)
  SELECT h.account_id, p_new, h.budget_id, h.budget2_id, h.budget3_id, p_amount, 0, p_amount, p_price_version, p_reference, p_detail, clock_timestamp()
  FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold;
END $function$;

CREATE OR REPLACE FUNCTION ledger.close_journal(p_journal uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  shard integer;
BEGIN
  PERFORM pg_advisory_xact_lock(ledger.poster_place(p_journal));
  PERFORM FROM ledger.journals j WHERE j.journal_id = p_journal FOR UPDATE;
  PERFORM ledger.post_pages(p_journal, 9223372036854775807);
  IF EXISTS (SELECT FROM ledger.unfinished u WHERE u.journal_id = p_journal) THEN RETURN; END IF;
  IF NOT ledger.spread() THEN
    PERFORM ledger.release_shard(p_journal, NULL);
  ELSE
    FOR shard IN SELECT DISTINCT ledger.shard_of(h.account_id) FROM ledger.holds h WHERE h.journal_id = p_journal ORDER BY 1 LOOP
      PERFORM ledger.release_shard(p_journal, shard);
    END LOOP;
  END IF;
  DELETE FROM ledger.journals j WHERE j.journal_id = p_journal;
END $function$;

CREATE OR REPLACE FUNCTION ledger.drop_month(p_month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
BEGIN
  UPDATE ledger.months m SET state = 'dropped', dropped_at = clock_timestamp() WHERE m.month = p_month AND m.state = 'archived';
  IF NOT FOUND THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE IF EXISTS ledger.%I', 'entries_' || to_char(p_month, 'YYYY_MM'));
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION ledger.first_entry_from(p_account uuid, p_moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  low bigint := (SELECT e.entry_no FROM ledger.entries e WHERE e.account_id = p_account ORDER BY e.entry_no LIMIT 1);
  high bigint := (SELECT e.entry_no + 1 FROM ledger.entries e WHERE e.account_id = p_account ORDER BY e.entry_no DESC LIMIT 1);
  middle bigint;
  found bigint;                                        -- an archived number between is passed over
  moment timestamptz;
BEGIN
  IF low IS NULL THEN RETURN 1; END IF;
  WHILE low < high LOOP
    middle := (low + high) / 2;
    SELECT e.at, e.entry_no INTO moment, found FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_no >= middle ORDER BY e.entry_no LIMIT 1;
    IF moment >= p_moment THEN high := middle; ELSE low := found + 1; END IF;
  END LOOP;
  RETURN low;
END $function$;

CREATE OR REPLACE FUNCTION ledger.first_id(moment timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$function$;

CREATE OR REPLACE FUNCTION ledger.grant_many(p_journal uuid, p_accounts uuid[], p_budget_accounts uuid[], p_budgets uuid[], p_account_at integer[], p_budget_at integer[], p_budget2_at integer[], p_budget3_at integer[], p_hold_ids uuid[], p_lease_ids uuid[], p_lease_wants bigint[], p_tokens bigint[], p_full bigint[], p_slice bigint[], p_minimum bigint[], p_grows boolean[], p_price_versions integer[], p_references text[], p_details text[], p_retry boolean, OUT codes integer[], OUT amounts bigint[], OUT others bigint[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  shard integer; rows integer[]; accounts integer[]; budgets integer[]; part record;
BEGIN
  IF NOT ledger.spread() THEN
    SELECT g.codes, g.amounts, g.others INTO codes, amounts, others
    FROM ledger.grant_shard(p_journal, p_accounts, p_budget_accounts, p_budgets, p_account_at, p_budget_at, p_budget2_at, p_budget3_at, p_hold_ids,
      p_lease_ids, p_lease_wants, p_tokens, p_full, p_slice, p_minimum, p_grows, p_price_versions, p_references, p_details, p_retry) g;
    RETURN;
  END IF;
  FOR shard IN SELECT DISTINCT ledger.shard_of(u) FROM unnest(p_accounts) u ORDER BY 1 LOOP
    rows := ARRAY(SELECT i FROM generate_subscripts(p_account_at, 1) i WHERE ledger.shard_of(p_accounts[p_account_at[i]]) = shard);
    accounts := ARRAY(SELECT i FROM generate_subscripts(p_accounts, 1) i WHERE ledger.shard_of(p_accounts[i]) = shard);
    budgets := ARRAY(SELECT i FROM generate_subscripts(p_budgets, 1) i WHERE ledger.shard_of(p_budget_accounts[i]) = shard);
    SELECT g.* INTO part FROM (
      SELECT array_agg(array_position(accounts, p_account_at[i])) AS account_at,
        array_agg(coalesce(array_position(budgets, p_budget_at[i]), 0)) AS budget_at,
        array_agg(coalesce(array_position(budgets, p_budget2_at[i]), 0)) AS budget2_at,
        array_agg(coalesce(array_position(budgets, p_budget3_at[i]), 0)) AS budget3_at,
        array_agg(p_hold_ids[i]) AS hold_ids, array_agg(p_lease_ids[i]) AS lease_ids, array_agg(p_lease_wants[i]) AS lease_wants,
        array_agg(p_tokens[i]) AS tokens, array_agg(p_full[i]) AS fulls, array_agg(p_slice[i]) AS slices, array_agg(p_minimum[i]) AS minimums,
        array_agg(p_grows[i]) AS grows, array_agg(p_price_versions[i]) AS price_versions, array_agg(p_references[i]) AS refs,
        array_agg(p_details[i]) AS details
      FROM unnest(rows) i) r,
    LATERAL ledger.grant_shard(p_journal, ARRAY(SELECT p_accounts[i] FROM unnest(accounts) i), ARRAY(SELECT p_budget_accounts[i] FROM unnest(budgets) i),
      ARRAY(SELECT p_budgets[i] FROM unnest(budgets) i), r.account_at, r.budget_at, r.budget2_at, r.budget3_at, r.hold_ids, r.lease_ids, r.lease_wants,
      r.tokens, r.fulls, r.slices, r.minimums, r.grows, r.price_versions, r.refs, r.details, p_retry) g;
    FOR i IN 1 .. cardinality(rows) LOOP
      codes[rows[i]] := part.codes[i];
      amounts[rows[i]] := part.amounts[i];
      others[rows[i]] := part.others[i];
    END LOOP;
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION ledger.grant_shard(p_journal uuid, p_accounts uuid[], p_budget_accounts uuid[], p_budgets uuid[], p_account_at integer[], p_budget_at integer[], p_budget2_at integer[], p_budget3_at integer[], p_hold_ids uuid[], p_lease_ids uuid[], p_lease_wants bigint[], p_tokens bigint[], p_full bigint[], p_slice bigint[], p_minimum bigint[], p_grows boolean[], p_price_versions integer[], p_references text[], p_details text[], p_retry boolean, OUT codes integer[], OUT amounts bigint[], OUT others bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  a_blocked boolean[]; a_room bigint[]; a_held bigint[];
  b_closed boolean[]; b_room bigint[]; b_held bigint[]; b_group uuid[];
  exists_id uuid[]; made_token bigint[]; made bigint[]; made_lease boolean[];
  fresh boolean[]; ids uuid[]; leases boolean[];
  a integer; b integer; tight integer; shut integer; room bigint; amount bigint; other bigint; code integer;
BEGIN
  IF p_journal IS NOT NULL THEN
    PERFORM FROM ledger.journals j WHERE j.journal_id = p_journal AND NOT j.fenced FOR KEY SHARE;
    IF NOT FOUND THEN
      codes := array_fill(10, ARRAY[cardinality(p_hold_ids)]);
      RETURN;
    END IF;
  END IF;
  IF p_retry OR true = ANY (p_grows) OR num_nonnulls(VARIADIC p_lease_ids) > 0 THEN
    WITH asked AS (
      SELECT u.at, p_accounts[u.a] AS account_id, u.hold_id, u.lease_id
      FROM unnest(p_account_at, p_hold_ids, p_lease_ids) WITH ORDINALITY AS u (a, hold_id, lease_id, at)),
    locked AS MATERIALIZED (
      SELECT h.account_id, h.hold_id, h.token, h.granted_nano
      FROM (SELECT account_id, hold_id FROM asked UNION SELECT account_id, lease_id FROM asked WHERE lease_id IS NOT NULL) k
      JOIN ledger.holds h USING (account_id, hold_id) ORDER BY h.account_id, h.hold_id FOR NO KEY UPDATE OF h)
    SELECT array_agg(o.hold_id ORDER BY q.at), array_agg(coalesce(l.token, o.token) ORDER BY q.at),
      array_agg(CASE WHEN l.token IS NULL THEN o.granted_nano ELSE l.granted_nano END ORDER BY q.at), array_agg(l.token IS NOT NULL ORDER BY q.at)
    INTO exists_id, made_token, made, made_lease
    FROM asked q
    LEFT JOIN locked o ON o.account_id = q.account_id AND o.hold_id = q.hold_id
    LEFT JOIN locked l ON l.account_id = q.account_id AND l.hold_id = q.lease_id AND l.token = p_tokens[q.at];
  END IF;
  SELECT l.blocked, l.room, l.held INTO a_blocked, a_room, a_held FROM ledger.lock_accounts(p_accounts) l;
  SELECT l.closed, l.room, l.held, l.group_id INTO b_closed, b_room, b_held, b_group FROM ledger.lock_budgets(p_budget_accounts, p_budgets) l;
  FOR i IN 1 .. cardinality(p_hold_ids) LOOP
    a := p_account_at[i];
    amount := NULL;
    other := NULL;
    fresh[i] := false;
    leases[i] := false;
    shut := 0;
    room := a_room[a];
    tight := 0;
    FOREACH b IN ARRAY ARRAY[p_budget_at[i], p_budget2_at[i], p_budget3_at[i]] LOOP
      CONTINUE WHEN b = 0;
      IF shut = 0 AND (p_budget_accounts[b] <> p_accounts[a] OR b_closed[b] IS NULL OR b_closed[b] AND NOT p_grows[i]) THEN shut := b; END IF;
      IF b_room[b] < room THEN room := b_room[b]; tight := b; END IF;
    END LOOP;
    IF p_retry AND made_token[i] = p_tokens[i] THEN
      amount := made[i];
      leases[i] := made_lease[i];
      code := CASE WHEN made_lease[i] THEN 9 WHEN amount = p_full[i] THEN 0 WHEN amount = p_slice[i] THEN 1 ELSE 2 END;
    ELSIF p_grows[i] AND exists_id[i] IS NULL THEN code := 8;
    ELSIF a_room[a] IS NULL THEN code := 7;
    ELSIF a_blocked[a] AND NOT p_grows[i] THEN code := 6;
    ELSIF NOT p_grows[i] AND p_budget_at[i] <> 0 AND shut <> p_budget_at[i]
      AND b_group[p_budget_at[i]] IS DISTINCT FROM p_budgets[p_budget3_at[i]] THEN code := 13;
    ELSIF shut <> 0 THEN code := CASE WHEN shut = p_budget3_at[i] THEN 12 ELSE 5 END;
    ELSE
      IF p_lease_ids[i] IS NOT NULL AND least(p_lease_wants[i], room / 20) >= coalesce(p_full[i], p_slice[i]) THEN
        code := 9; amount := least(p_lease_wants[i], room / 20); leases[i] := true; other := room;
      ELSIF p_full[i] <= room / 4 THEN code := 0; amount := p_full[i];
      ELSIF p_slice[i] <= room THEN code := 1; amount := p_slice[i];
      ELSIF p_minimum[i] <= room THEN code := 2; amount := p_minimum[i];
      ELSIF p_minimum[i] > a_room[a] THEN code := 3; amount := a_room[a]; other := a_held[a];
      ELSE code := CASE WHEN tight = p_budget3_at[i] THEN 11 ELSE 4 END; amount := b_room[tight]; other := b_held[tight];
      END IF;
      IF code <= 2 OR code = 9 THEN
        fresh[i] := true;
        a_room[a] := a_room[a] - amount;
        a_held[a] := a_held[a] + amount;
        FOREACH b IN ARRAY ARRAY[p_budget_at[i], p_budget2_at[i], p_budget3_at[i]] LOOP
          CONTINUE WHEN b = 0;
          b_room[b] := b_room[b] - amount;
          b_held[b] := b_held[b] + amount;
        END LOOP;
      END IF;
    END IF;
    codes[i] := code;
    amounts[i] := amount;
    others[i] := other;
    ids[i] := CASE WHEN leases[i] THEN p_lease_ids[i] ELSE p_hold_ids[i] END;
  END LOOP;
  IF true = ANY (fresh) THEN
    PERFORM ledger.write_held(p_accounts, a_held, p_budget_accounts, p_budgets, b_held);
    INSERT INTO ledger.holds AS h (account_id, hold_id, budget_id, budget2_id, budget3_id, journal_id, shared, held_nano, token, granted_nano,
      price_version, reference, detail, created_at)
    SELECT p_accounts[u.a], u.id, p_budgets[u.b], p_budgets[u.b2], p_budgets[u.b3], p_journal, u.lease, u.amount, u.token, u.amount,
      u.version, u.reference, u.detail, now_at
    FROM unnest(p_account_at, ids, p_budget_at, p_budget2_at, p_budget3_at, leases, amounts, p_tokens, p_price_versions, p_references, p_details, fresh)
      AS u (a, id, b, b2, b3, lease, amount, token, version, reference, detail, fresh)
    WHERE u.fresh
    ON CONFLICT (account_id, hold_id) DO UPDATE
      SET held_nano = h.held_nano + excluded.held_nano, token = excluded.token, granted_nano = excluded.granted_nano;
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION ledger.in_use(p_account uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT (SELECT coalesce(sum(h.held_nano), 0) FROM ledger.holds h WHERE h.account_id = p_account AND NOT h.shared)::bigint
    + (SELECT coalesce(sum(u.held_nano), 0) FROM ledger.unfinished u WHERE u.account_id = p_account AND u.hold_id <> u.request_id)::bigint
$function$;

CREATE OR REPLACE FUNCTION ledger.in_use(p_account uuid, p_budget uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(sum(CASE WHEN h.shared THEN (SELECT coalesce(sum(u.held_nano), 0) FROM ledger.unfinished u
      WHERE u.account_id = p_account AND u.hold_id = h.hold_id) ELSE h.held_nano END), 0)::bigint
  FROM ledger.holds h WHERE h.account_id = p_account AND p_budget IN (h.budget_id, h.budget2_id, h.budget3_id)
$function$;

CREATE OR REPLACE FUNCTION ledger.is_alive(alive_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  SELECT alive_until > clock_timestamp() AND alive_until < clock_timestamp() + interval '2 minutes'
$function$;

CREATE OR REPLACE FUNCTION ledger.is_past(id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM ledger.months m WHERE m.state = 'dropped' AND m.month = date_trunc('month', ledger.time_of(id) AT TIME ZONE 'Europe/Moscow')::date)
$function$;

CREATE OR REPLACE FUNCTION ledger.keep_months(p_from date, p_to date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  month timestamp;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ledger.keep_months'));
  FOR month IN SELECT generate_series(date_trunc('month', p_from::timestamp), date_trunc('month', p_to::timestamp), interval '1 month') LOOP
    name := 'entries_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(format('ledger.%I', name)) IS NOT NULL OR EXISTS (SELECT FROM ledger.months m WHERE m.month = to_date(right(name, 7), 'YYYY_MM'));
    EXECUTE format('CREATE TABLE ledger.%I (LIKE ledger.entries INCLUDING ALL) WITH (autovacuum_vacuum_insert_scale_factor = 0.2)', name);
    PERFORM ledger.wall_partition(name);
    EXECUTE format('ALTER TABLE ledger.entries ATTACH PARTITION ledger.%I FOR VALUES FROM (%L) TO (%L)', name,
      ledger.first_id(month AT TIME ZONE 'Europe/Moscow'), ledger.first_id((month + interval '1 month') AT TIME ZONE 'Europe/Moscow'));
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION ledger.lock_accounts(p_accounts uuid[], OUT blocked boolean[], OUT room bigint[], OUT held bigint[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT a.account_id, a.blocked, a.credited_nano - a.charged_nano - a.held_nano AS room, a.held_nano
    FROM ledger.accounts a WHERE a.account_id = ANY (p_accounts) ORDER BY a.account_id FOR NO KEY UPDATE)
  SELECT array_agg(s.blocked), array_agg(s.room), array_agg(s.held_nano) INTO blocked, room, held
  FROM (SELECT l.* FROM unnest(p_accounts) WITH ORDINALITY AS u (account_id, at) LEFT JOIN locked l USING (account_id) ORDER BY u.at) s;
END $function$;

CREATE OR REPLACE FUNCTION ledger.lock_budgets(p_accounts uuid[], p_budgets uuid[], OUT closed boolean[], OUT room bigint[], OUT held bigint[], OUT group_id uuid[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT b.account_id, b.budget_id, b.closed, b.held_nano, b.group_id,
      CASE WHEN b.limit_nano IS NOT NULL THEN greatest(0, b.limit_nano - b.held_nano
        - CASE WHEN b.period_start < ledger.period_start(b.period, now_at) THEN 0 ELSE b.period_charged_nano END) END AS room
    FROM unnest(p_accounts, p_budgets) AS k (account_id, budget_id) JOIN ledger.budgets b USING (account_id, budget_id)
    ORDER BY b.budget_id FOR NO KEY UPDATE OF b)
  SELECT array_agg(s.closed), array_agg(s.room), array_agg(s.held_nano), array_agg(s.group_id) INTO closed, room, held, lock_budgets.group_id
  FROM (SELECT l.* FROM unnest(p_accounts, p_budgets) WITH ORDINALITY AS u (account_id, budget_id, at)
        LEFT JOIN locked l USING (account_id, budget_id) ORDER BY u.at) s;
END $function$;

CREATE OR REPLACE FUNCTION ledger.loss_id(p_request uuid)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT (left(replace(p_request::text, '-', ''), 16) || '8' || left(md5(p_request::text || ' loss'), 15))::uuid
$function$;

CREATE OR REPLACE FUNCTION ledger.period_start(period ledger.period, moment timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE period
    WHEN 'day' THEN date_trunc('day', moment AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow'
    WHEN 'month' THEN date_trunc('month', moment AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow'
    ELSE '-infinity' END
$function$;

CREATE OR REPLACE FUNCTION ledger.post_journal(p_journal uuid, p_most integer, p_wait boolean, OUT more boolean, OUT parked uuid[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  place CONSTANT bigint := ledger.poster_place(p_journal);
  bound bigint;
  newest bigint;
BEGIN
  more := false;
  parked := '{}';
  -- What a crash of the server undoes of this is posted again: the pages are there.
  PERFORM set_config('synchronous_commit', 'off', true);
  IF p_wait THEN
    PERFORM pg_advisory_xact_lock(place);
  ELSIF NOT pg_try_advisory_xact_lock(place) THEN
    more := NULL;
    RETURN;
  END IF;
  SELECT max(s.page_no) FILTER (WHERE s.before < p_most), max(s.page_no) INTO bound, newest
  FROM (SELECT c.page_no, sum(c.elements) OVER (ORDER BY c.page_no) - c.elements AS before
        FROM (SELECT g.page_no, cardinality(g.request_ids) + coalesce(cardinality(g.note_ids), 0) + coalesce(cardinality(g.given_holds), 0) AS elements
              FROM ledger.page_columns g WHERE g.journal_id = p_journal) c) s;
  IF bound IS NULL THEN RETURN; END IF;
  parked := ledger.post_pages(p_journal, bound);
  more := newest > bound;
END $function$;

CREATE OR REPLACE FUNCTION ledger.post_pages(p_journal uuid, p_last bigint)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  shard integer;
  parked uuid[] := '{}';
BEGIN
  IF NOT ledger.spread() THEN
    parked := ledger.post_shard(p_journal, p_last, NULL);
  ELSE
    FOR shard IN
      SELECT DISTINCT ledger.shard_of(u.account_id) FROM ledger.page_columns g, unnest(g.account_ids || g.note_accounts || g.given_accounts) AS u (account_id)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last ORDER BY 1
    LOOP
      parked := parked || ledger.post_shard(p_journal, p_last, shard);
    END LOOP;
  END IF;
  DELETE FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last;
  RETURN parked;
END $function$;

CREATE OR REPLACE FUNCTION ledger.post_shard(p_journal uuid, p_last bigint, p_shard integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  -- No entry is booked with an older time, however late its page is posted.
  oldest CONSTANT timestamptz := clock_timestamp() - interval '4 seconds';
  moment timestamptz; newest_period timestamptz;
  ended bigint; booked bigint; lossy boolean; any_noted boolean; any_notes boolean; faulty boolean;
  h_accounts uuid[]; h_ids uuid[]; h_budgets uuid[]; h_budgets2 uuid[]; h_budgets3 uuid[];
  h_charges bigint[]; h_freed bigint[]; h_ends bigint[]; h_lost bigint[]; h_over boolean[];
  -- Of each hold's account: how many entries it had, how many it gets for ended requests, its balance before and behind them, their time.
  h_numbers bigint[]; h_ended bigint[]; h_before bigint[]; h_after bigint[]; h_at timestamptz[];
  parked uuid[] := '{}';
BEGIN
  SELECT max(g.at), sum(cardinality(g.request_ids)), bool_or(g.losses IS NOT NULL), bool_or(g.noted IS NOT NULL),
    bool_or(g.note_ids IS NOT NULL), bool_or(g.faults IS NOT NULL)
  INTO moment, ended, lossy, any_noted, any_notes, faulty
  FROM ledger.page_columns g WHERE g.journal_id = p_journal AND g.page_no <= p_last;
  IF moment IS NULL THEN RETURN parked; END IF;
  moment := greatest(moment, oldest);
  IF p_shard IS NOT NULL THEN
    SELECT count(*) INTO ended FROM ledger.page_columns g, unnest(g.account_ids) AS u (account_id)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND ledger.shard_of(u.account_id) = p_shard;
  END IF;

  -- The totals have a statement of their own, which sees them as the grants that this one waited for have left them: an UPDATE is checked against
  -- what its snapshot knows. This one's knows each grant that one of its pages spends from. It locks holds in the order of their primary key,
  -- whichever way it joins them, as grants do.
  -- Arrays are unfolded in select lists: several in one FROM would each become a table first.
  WITH moves AS MATERIALIZED (
    SELECT m.account_id, m.hold_id, ledger.total(m.charge) AS charge, ledger.total(m.given) AS given, sum(m.ends) AS ends, sum(m.lost) AS lost,
      bool_or(m.over) AS over, bool_or(m.recalled) AS recalled
    FROM (
      SELECT u.account_id, u.hold_id, u.charge, 0::bigint AS given, 1 AS ends, CASE WHEN u.loss > 0 THEN 1 ELSE 0 END AS lost,
        u.hold_id = u.request_id AS over, false AS recalled
      FROM (SELECT unnest(g.account_ids) AS account_id, unnest(g.hold_ids) AS hold_id, unnest(g.request_ids) AS request_id, unnest(g.charges) AS charge,
              unnest(g.losses) AS loss
            FROM ledger.page_columns g WHERE g.journal_id = p_journal AND g.page_no <= p_last) u
      WHERE p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard
      UNION ALL
      SELECT u.account_id, u.hold_id, 0, coalesce(u.given, 0), 0, 0, u.given IS NULL, true
      FROM ledger.page_columns g, unnest(g.given_accounts, g.given_holds, g.given) AS u (account_id, hold_id, given)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND g.given_holds IS NOT NULL) m
    GROUP BY m.account_id, m.hold_id ORDER BY m.account_id, m.hold_id),
  lowered AS (
    UPDATE ledger.holds h SET held_nano = CASE WHEN m.over THEN h.held_nano ELSE h.held_nano - m.charge - m.given END, recalled = h.recalled OR m.recalled
    FROM moves m WHERE h.account_id = m.account_id AND h.hold_id = m.hold_id
    RETURNING h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, m.charge, m.ends, m.lost, m.over,
      CASE WHEN m.over THEN h.held_nano - m.charge ELSE m.given END AS freed)
  SELECT array_agg(l.account_id), array_agg(l.hold_id), array_agg(l.budget_id), array_agg(l.budget2_id), array_agg(l.budget3_id),
    array_agg(l.charge), array_agg(l.freed), array_agg(l.ends), array_agg(l.lost), array_agg(l.over)
  INTO h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_charges, h_freed, h_ends, h_lost, h_over
  FROM lowered l;
  -- Behind the update of all, so that the locks are taken in order.
  IF true = ANY (h_over) THEN
    DELETE FROM ledger.holds h USING unnest(h_accounts, h_ids, h_over) AS u (account_id, hold_id, over)
    WHERE u.over AND h.account_id = u.account_id AND h.hold_id = u.hold_id;
  END IF;

  IF h_ids IS NOT NULL THEN
    -- Under the account's lock its entries get their numbers, and a time that never goes back.
    WITH of_accounts AS (
      UPDATE ledger.accounts t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge,
        entries = t.entries + s.ends + s.lost, entered_at = CASE WHEN s.ends > 0 THEN greatest(t.entered_at, moment) ELSE t.entered_at END
      FROM (SELECT u.account_id, ledger.total(u.charge) AS charge, ledger.total(u.freed) AS freed, ledger.total(u.ends) AS ends, ledger.total(u.lost) AS lost
            FROM (SELECT unnest(h_accounts) AS account_id, unnest(h_charges) AS charge, unnest(h_freed) AS freed, unnest(h_ends) AS ends,
                    unnest(h_lost) AS lost) u
            GROUP BY u.account_id ORDER BY u.account_id) s
      WHERE t.account_id = s.account_id
      RETURNING t.account_id, t.entries - s.ends - s.lost AS entries, s.ends, t.credited_nano - t.charged_nano AS balance, s.charge, t.entered_at)
    SELECT array_agg(s.entries), array_agg(s.ends), array_agg(s.balance + s.charge), array_agg(s.balance), array_agg(s.entered_at)
    INTO h_numbers, h_ended, h_before, h_after, h_at
    FROM (SELECT a.* FROM unnest(h_accounts) WITH ORDINALITY AS u (account_id, nth) JOIN of_accounts a USING (account_id) ORDER BY u.nth) s;
    WITH of_budgets AS (
      UPDATE ledger.budgets t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge,
        period_charged_nano = s.charge + CASE WHEN t.period_start < ledger.period_start(t.period, s.at) THEN 0 ELSE t.period_charged_nano END,
        period_start = greatest(t.period_start, ledger.period_start(t.period, s.at))
      FROM (SELECT u.account_id, u.budget_id, ledger.total(u.charge) AS charge, ledger.total(u.freed) AS freed, min(u.at) AS at
            FROM (SELECT unnest(h_accounts || h_accounts || h_accounts) AS account_id, unnest(h_budgets || h_budgets2 || h_budgets3) AS budget_id,
                    unnest(h_charges || h_charges || h_charges) AS charge, unnest(h_freed || h_freed || h_freed) AS freed,
                    unnest(h_at || h_at || h_at) AS at) u
            WHERE u.budget_id IS NOT NULL GROUP BY u.account_id, u.budget_id ORDER BY u.budget_id) s
      WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id
      RETURNING t.period_start)
    SELECT max(b.period_start) INTO newest_period FROM of_budgets b;
    IF newest_period > moment THEN
      -- No entry is older than the period that its charge was counted in, which a grant began meanwhile; nor younger: all go by one time.
      UPDATE ledger.accounts t SET entered_at = newest_period WHERE t.account_id = ANY (h_accounts) AND t.entered_at < newest_period;
      h_at := ARRAY(SELECT greatest(u.at, newest_period) FROM unnest(h_at) WITH ORDINALITY AS u (at, nth) ORDER BY u.nth);
      UPDATE ledger.budgets t SET period_charged_nano = s.charge, period_start = ledger.period_start(t.period, s.at)
      FROM (SELECT u.account_id, u.budget_id, ledger.total(u.charge) AS charge, min(u.at) AS at
            FROM unnest(h_accounts || h_accounts || h_accounts, h_budgets || h_budgets2 || h_budgets3, h_charges || h_charges || h_charges,
              h_at || h_at || h_at) AS u (account_id, budget_id, charge, at)
            WHERE u.budget_id IS NOT NULL GROUP BY u.account_id, u.budget_id) s
      WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id AND t.period_start < ledger.period_start(t.period, s.at);
    END IF;
  END IF;

  IF ended > 0 THEN
    WITH batch AS MATERIALIZED (
      SELECT u.*, h.budget_id, h.budget2_id, h.budget3_id, h.at, h.entries + row_number() OVER w AS entry_no,
        h.balance - ledger.total(u.charge) OVER w AS balance,
        CASE WHEN u.reference LIKE 'task:%' THEN 'task' ELSE usage.kind_of(u.endpoint) END AS kind,
        u.cost IS NULL AND (u.charge > 0 OR u.endpoint IS NOT NULL AND u.upstream IS NOT NULL) AS unknown
      FROM (SELECT g.page_no, generate_subscripts(g.account_ids, 1) AS nth, unnest(g.account_ids) AS account_id, unnest(g.request_ids) AS request_id,
              unnest(g.hold_ids) AS hold_id, unnest(g.held) AS held, unnest(g.charges) AS charge, unnest(g.losses) AS loss, unnest(g.price_versions) AS version,
              unnest(g."references") AS reference, unnest(g.endpoints) AS endpoint, unnest(g.models_requested) AS model_requested, unnest(g.models) AS model,
              unnest(g.states) AS state, unnest(g.started_at) AS started_at, unnest(g.details) AS detail, unnest(g.input_tokens) AS input_tokens,
              unnest(g.cached_tokens) AS cached_tokens, unnest(g.output_tokens) AS output_tokens, unnest(g.upstreams) AS upstream, unnest(g.costs) AS cost,
              unnest(g.durations) AS duration, unnest(g.firsts) AS first
            FROM ledger.page_columns g WHERE g.journal_id = p_journal AND g.page_no <= p_last) u
        JOIN (SELECT unnest(h_accounts) AS account_id, unnest(h_ids) AS hold_id, unnest(h_budgets) AS budget_id, unnest(h_budgets2) AS budget2_id,
                unnest(h_budgets3) AS budget3_id, unnest(h_numbers) AS entries, unnest(h_before) AS balance, unnest(h_at) AS at) h USING (account_id, hold_id)
      WHERE p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard
      WINDOW w AS (PARTITION BY account_id ORDER BY u.page_no, u.nth ROWS UNBOUNDED PRECEDING)),
    entered AS (
      INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, held_nano, started_at, input_tokens, cached_tokens,
        output_tokens, cost_nano, kind, price_version, duration_ms, first_ms, budget_id, budget2_id, budget3_id, endpoint, model_requested, model,
        state, upstream, reference, detail)
      SELECT b.account_id, b.request_id, b.entry_no, b.at, b.charge, b.balance, b.held, b.started_at, b.input_tokens, b.cached_tokens,
        b.output_tokens, b.cost, CASE WHEN b.charge > 0 THEN 'charge'::ledger.entry_kind ELSE 'release' END, b.version, b.duration, b.first,
        b.budget_id, b.budget2_id, b.budget3_id, b.endpoint, nullif(b.model_requested, b.model), b.model,
        b.state, b.upstream, b.reference, CASE WHEN b.endpoint IS NOT NULL THEN b.detail END
      FROM batch b),
    summed AS (
      INSERT INTO usage.hourly AS t (account_id, hour, key_id, member_id, group_id, kind, model, state, upstream, ended, charged_nano, loss_nano,
        cost_nano, unknown_requests, unknown_charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id, last_id)
      SELECT b.account_id, date_trunc('hour', b.at, 'UTC'), b.budget_id, b.budget2_id, b.budget3_id, b.kind, coalesce(b.model, ''),
        coalesce(b.state, ''), coalesce(b.upstream, ''), count(*), ledger.total(b.charge),
        -- One absurd loss stops no sum: beyond a million roubles it is not believed.
        ledger.total(least(coalesce(b.loss, 0), 1000000000000000)), ledger.total(b.cost),
        count(*) FILTER (WHERE b.unknown), coalesce(ledger.total(b.charge) FILTER (WHERE b.unknown), 0),
        coalesce(ledger.total(b.input_tokens), 0), coalesce(ledger.total(b.cached_tokens), 0), coalesce(ledger.total(b.output_tokens), 0),
        coalesce(sum(b.duration), 0), coalesce(sum(b.first), 0), count(b.first),
        (min(ARRAY[b.request_id]))[1], (max(ARRAY[b.request_id]))[1]
      FROM batch b GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2
      ON CONFLICT ON CONSTRAINT one_of_each DO UPDATE SET ended = t.ended + excluded.ended, charged_nano = t.charged_nano + excluded.charged_nano,
        loss_nano = t.loss_nano + excluded.loss_nano, cost_nano = coalesce(t.cost_nano + excluded.cost_nano, t.cost_nano, excluded.cost_nano),
        unknown_requests = t.unknown_requests + excluded.unknown_requests, unknown_charged_nano = t.unknown_charged_nano + excluded.unknown_charged_nano,
        input_tokens = t.input_tokens + excluded.input_tokens, cached_tokens = t.cached_tokens + excluded.cached_tokens,
        output_tokens = t.output_tokens + excluded.output_tokens, duration_ms = t.duration_ms + excluded.duration_ms,
        first_ms = t.first_ms + excluded.first_ms, firsts = t.firsts + excluded.firsts, first_id = least(t.first_id, excluded.first_id),
        last_id = greatest(t.last_id, excluded.last_id))
    SELECT count(*) INTO booked FROM batch;
    IF booked <> ended THEN
      RAISE EXCEPTION 'journal % ends % requests, but holds for % of them', p_journal, ended, booked USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF lossy THEN
      INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, price_version, budget_id, budget2_id, budget3_id, reference)
      SELECT account_id, ledger.loss_id(u.request_id), h.entries + h.ended + row_number() OVER (PARTITION BY account_id ORDER BY g.page_no, u.nth),
        h.at, u.loss, h.balance, 'loss', u.version, h.budget_id, h.budget2_id, h.budget3_id,
        coalesce(u.reference, 'request:req_' || replace(u.request_id::text, '-', ''))
      FROM ledger.page_columns g,
        unnest(g.account_ids, g.request_ids, g.hold_ids, g.losses, g.price_versions, g."references") WITH ORDINALITY
          AS u (account_id, request_id, hold_id, loss, version, reference, nth)
        JOIN unnest(h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_numbers, h_ended, h_after, h_at)
          AS h (account_id, hold_id, budget_id, budget2_id, budget3_id, entries, ended, balance, at) USING (account_id, hold_id)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.loss > 0;
    END IF;
    IF faulty THEN
      WITH kept AS (
        INSERT INTO usage.parked (charged_nano, reason, receipt)
        SELECT u.charge, u.fault, u.detail FROM ledger.page_columns g, unnest(g.account_ids, g.charges, g.faults, g.details) AS u (account_id, charge, fault, detail)
        WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.fault IS NOT NULL)
      SELECT array_agg(u.request_id) INTO parked
      FROM ledger.page_columns g, unnest(g.account_ids, g.request_ids, g.faults) AS u (account_id, request_id, fault)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.fault IS NOT NULL;
    END IF;
    IF any_noted THEN
      DELETE FROM ledger.unfinished t
      USING ledger.page_columns g, unnest(g.account_ids, g.request_ids, g.noted) AS u (account_id, request_id, noted)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.noted AND t.account_id = u.account_id AND t.request_id = u.request_id;
    END IF;
  END IF;

  IF any_notes THEN
    INSERT INTO ledger.unfinished AS t (account_id, request_id, journal_id, hold_id, held_nano, recorded_nano, price_version, noted_at, detail)
    SELECT DISTINCT ON (u.account_id, u.request_id) u.account_id, u.request_id, p_journal, u.hold_id, u.held, least(u.recorded, u.held), u.version, g.at, u.detail
    FROM ledger.page_columns g,
      unnest(g.note_accounts, g.note_ids, g.note_holds, g.note_held, g.note_recorded, g.note_versions, g.note_details) WITH ORDINALITY
        AS u (account_id, request_id, hold_id, held, recorded, version, detail, nth)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND g.note_ids IS NOT NULL
      AND NOT EXISTS (SELECT FROM ledger.page_columns e WHERE e.journal_id = p_journal AND e.page_no <= p_last AND e.noted IS NOT NULL AND u.request_id = ANY (e.request_ids))
    ORDER BY u.account_id, u.request_id, g.page_no DESC, u.nth DESC
    ON CONFLICT (account_id, request_id) DO UPDATE
      SET held_nano = excluded.held_nano, recorded_nano = excluded.recorded_nano, noted_at = excluded.noted_at, detail = excluded.detail;
  END IF;

  RETURN parked;
END $function$;

CREATE OR REPLACE FUNCTION ledger.poster_place(p_journal uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT ('x' || left(replace(p_journal::text, '-', ''), 16))::bit(64)::bigint
$function$;

CREATE OR REPLACE FUNCTION ledger.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% on ledger.%: the ledger is append-only; book a new entry that corrects the old one', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION ledger.refuse_late()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'ledger.% is sealed: entry % of account % comes too late', TG_TABLE_NAME, NEW.entry_id, NEW.account_id
    USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION ledger.release_rest(p_account uuid, p_hold uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  rest ledger.holds;
BEGIN
  DELETE FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold AND h.journal_id IS NULL RETURNING * INTO rest;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE ledger.accounts t SET held_nano = t.held_nano - rest.held_nano WHERE t.account_id = p_account;
  UPDATE ledger.budgets t SET held_nano = t.held_nano - rest.held_nano
  FROM (SELECT u.budget_id FROM unnest(ARRAY[rest.budget_id, rest.budget2_id, rest.budget3_id]) AS u (budget_id) WHERE u.budget_id IS NOT NULL ORDER BY 1) s
  WHERE t.account_id = p_account AND t.budget_id = s.budget_id;
  RETURN rest.held_nano;
END $function$;

CREATE OR REPLACE FUNCTION ledger.release_shard(p_journal uuid, p_shard integer)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  accounts uuid[]; budgets uuid[]; amounts bigint[];
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, h.held_nano
    FROM ledger.holds h WHERE h.journal_id = p_journal AND (p_shard IS NULL OR ledger.shard_of(h.account_id) = p_shard)
    ORDER BY h.account_id, h.hold_id FOR UPDATE),
  gone AS (DELETE FROM ledger.holds h USING locked l WHERE h.account_id = l.account_id AND h.hold_id = l.hold_id)
  SELECT array_agg(l.account_id), array_agg(l.held_nano), array_agg(l.budget_id) || array_agg(l.budget2_id) || array_agg(l.budget3_id)
  INTO accounts, amounts, budgets
  FROM locked l;
  IF accounts IS NULL THEN RETURN; END IF;
  UPDATE ledger.accounts t SET held_nano = t.held_nano - s.amount
  FROM (SELECT u.account_id, sum(u.amount)::bigint AS amount FROM unnest(accounts, amounts) AS u (account_id, amount) GROUP BY 1 ORDER BY 1) s
  WHERE t.account_id = s.account_id;
  UPDATE ledger.budgets t SET held_nano = t.held_nano - s.amount
  FROM (SELECT u.account_id, u.budget_id, sum(u.amount)::bigint AS amount
        FROM unnest(accounts || accounts || accounts, budgets, amounts || amounts || amounts) AS u (account_id, budget_id, amount)
        WHERE u.budget_id IS NOT NULL GROUP BY 1, 2 ORDER BY 2) s
  WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id;
END $function$;

CREATE OR REPLACE FUNCTION ledger.seal_month(p_month date, OUT refused text, OUT entries bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  name CONSTANT text := 'entries_' || to_char(p_month, 'YYYY_MM');
  ends CONSTANT timestamptz := (p_month + interval '1 month') AT TIME ZONE 'Europe/Moscow';
  first CONSTANT uuid := ledger.first_id(p_month::timestamp AT TIME ZONE 'Europe/Moscow');
  next CONSTANT uuid := ledger.first_id(ends);
BEGIN
  IF ends > clock_timestamp() - interval '2 days' THEN
    refused := 'running';
    RETURN;
  END IF;
  -- Changes nothing and takes SHARE ROW EXCLUSIVE, for which LOCK TABLE wants, before PostgreSQL 17, rights that are revoked.
  EXECUTE format('ALTER TABLE ledger.%I ENABLE TRIGGER append_only', name);
  -- Pages before what they become.
  IF EXISTS (SELECT FROM ledger.page_columns g, unnest(g.request_ids || coalesce(g.note_ids, '{}')) AS id WHERE id >= first AND id < next)
    OR EXISTS (SELECT FROM ledger.unfinished u WHERE u.request_id >= first AND u.request_id < next)
    OR EXISTS (SELECT FROM ledger.holds h WHERE NOT h.shared AND h.hold_id >= first AND h.hold_id < next) THEN
    refused := 'awaited';
    RETURN;
  END IF;
  INSERT INTO ledger.seals (account_id, month, entries, topped_up_nano, adjusted_nano, charged_nano, lost_nano, first_no, last_no, numbers, first_at, last_at,
    trial_nano, bonus_nano)
  SELECT e.account_id, p_month, count(*), coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'topup'), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'adjust'), 0), coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'charge'), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'loss'), 0), min(e.entry_no), max(e.entry_no), sum(e.entry_no), min(e.at), max(e.at),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.class = 'trial'), 0), coalesce(sum(e.amount_nano) FILTER (WHERE e.class = 'bonus'), 0)
  FROM ledger.entries e WHERE e.entry_id >= first AND e.entry_id < next GROUP BY e.account_id;
  IF EXISTS (SELECT FROM ledger.seals s WHERE s.month = p_month AND s.last_at >= ledger.period_start('day', clock_timestamp())) THEN
    DELETE FROM ledger.seals s WHERE s.month = p_month;
    refused := 'today';
    RETURN;
  END IF;
  UPDATE ledger.seals s SET gifts_no = g.entry_no, trial_until_nano = g.trial_until_nano, bonus_until_nano = g.bonus_until_nano
  FROM (
    SELECT DISTINCT ON (u.account_id) u.account_id, u.entry_no, u.trial_until_nano, u.bonus_until_nano
    FROM ledger.gifts u WHERE u.entry_id >= first AND u.entry_id < next ORDER BY u.account_id, u.entry_no DESC) g
  WHERE s.month = p_month AND s.account_id = g.account_id;
  INSERT INTO ledger.budget_seals (account_id, budget_id, month, charged_nano, period_start, since_nano, late_nano)
  SELECT b.account_id, b.budget_id, p_month, sum(e.amount_nano), b.period_start, coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= b.period_start), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= ledger.period_start('month', clock_timestamp())), 0)
  FROM ledger.entries e, unnest(ARRAY[e.budget_id, e.budget2_id, e.budget3_id]) AS u (budget_id)
    JOIN ledger.budgets b USING (budget_id)
  WHERE e.entry_id >= first AND e.entry_id < next AND e.kind = 'charge' AND b.account_id = e.account_id
  GROUP BY b.account_id, b.budget_id;
  entries := coalesce((SELECT sum(s.entries) FROM ledger.seals s WHERE s.month = p_month), 0);
  INSERT INTO ledger.months (month, entries) VALUES (p_month, seal_month.entries);
  EXECUTE format('CREATE TRIGGER sealed BEFORE INSERT ON ledger.%I FOR EACH ROW EXECUTE FUNCTION ledger.refuse_late()', name);
END $function$;

CREATE OR REPLACE FUNCTION ledger.settle(p_account uuid, p_hold uuid, p_charge bigint, p_loss bigint, p_model text, p_state text, p_started_at timestamp with time zone, p_upstream text, p_cost bigint, OUT settled bigint, OUT released bigint, OUT earlier bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  hold ledger.holds;
  loss bigint;
BEGIN
  SELECT * INTO hold FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    SELECT e.amount_nano INTO earlier FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_id = p_hold;
    RETURN;
  END IF;
  settled := least(p_charge, hold.held_nano);
  released := hold.held_nano - settled;
  loss := least(p_loss, half) + least(greatest(p_charge - hold.held_nano, 0), half); -- absurd usage must not stop the settlement by its size
  INSERT INTO ledger.pages (journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, losses, price_versions, "references",
    models, states, started_at, upstreams, costs, durations)
  VALUES (p_hold, 1, ARRAY[p_hold], ARRAY[p_account], ARRAY[p_hold], ARRAY[hold.held_nano], ARRAY[settled],
    CASE WHEN loss > 0 THEN ARRAY[loss] END, ARRAY[hold.price_version], ARRAY[hold.reference],
    ARRAY[p_model], ARRAY[p_state], ARRAY[p_started_at], ARRAY[p_upstream], ARRAY[p_cost],
    ARRAY[CASE WHEN p_started_at IS NOT NULL THEN least(extract(epoch FROM clock_timestamp() - p_started_at) * 1000, 2147483647)::integer END]);
  PERFORM ledger.post_pages(p_hold, 1);
END $function$;

CREATE OR REPLACE FUNCTION ledger.settle_part(p_account uuid, p_hold uuid, p_part uuid, p_amount bigint, p_charge bigint, p_loss bigint, p_price_version integer, p_endpoint text, p_model_requested text, p_model text, p_state text, p_started_at timestamp with time zone, p_detail text, p_input bigint, p_cached bigint, p_output bigint, p_upstream text, p_cost bigint, p_duration integer, OUT settled bigint, OUT released bigint, OUT earlier bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  made record;
  loss bigint;
BEGIN
  SELECT c.carved, c.known INTO made FROM ledger.carve(p_account, p_hold, p_part, p_amount, p_price_version, NULL, NULL) c;
  IF made.known THEN
    SELECT e.amount_nano INTO earlier FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_id = p_part;
    RETURN;
  END IF;
  IF made.carved IS NULL THEN RETURN; END IF;
  settled := least(p_charge, p_amount);
  released := p_amount - settled;
  loss := least(p_loss, half) + least(p_charge - settled, half);
  INSERT INTO ledger.pages (journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, losses, price_versions, endpoints,
    models_requested, models, states, started_at, details, input_tokens, cached_tokens, output_tokens, upstreams, costs, durations)
  VALUES (p_part, 1, ARRAY[p_part], ARRAY[p_account], ARRAY[p_part], ARRAY[p_amount], ARRAY[settled],
    CASE WHEN loss > 0 THEN ARRAY[loss] END, ARRAY[p_price_version], ARRAY[p_endpoint], ARRAY[p_model_requested], ARRAY[p_model],
    ARRAY[p_state], ARRAY[p_started_at], ARRAY[p_detail], ARRAY[p_input], ARRAY[p_cached],
    ARRAY[p_output], ARRAY[p_upstream], ARRAY[p_cost], ARRAY[p_duration]);
  PERFORM ledger.post_pages(p_part, 1);
END $function$;

CREATE OR REPLACE FUNCTION ledger.shard_of(account uuid)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT 0 $function$;

CREATE OR REPLACE FUNCTION ledger.spread()
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT false $function$;

CREATE OR REPLACE FUNCTION ledger.time_of(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$function$;

CREATE OR REPLACE FUNCTION ledger.wall_partition(p_name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.%I
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', p_name);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON ledger.%I FROM CURRENT_USER', p_name);
END $function$;

CREATE OR REPLACE FUNCTION ledger.write_held(p_accounts uuid[], p_account_held bigint[], p_budget_accounts uuid[], p_budgets uuid[], p_budget_held bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  UPDATE ledger.accounts a SET held_nano = u.held
  FROM unnest(p_accounts, p_account_held) AS u (account_id, held)
  WHERE a.account_id = u.account_id AND a.held_nano <> u.held;
  UPDATE ledger.budgets b SET held_nano = u.held,
    period_charged_nano = CASE WHEN b.period_start < ledger.period_start(b.period, now_at) THEN 0 ELSE b.period_charged_nano END,
    period_start = greatest(b.period_start, ledger.period_start(b.period, now_at))
  FROM unnest(p_budget_accounts, p_budgets, p_budget_held) AS u (account_id, budget_id, held)
  WHERE b.account_id = u.account_id AND b.budget_id = u.budget_id AND b.held_nano <> u.held;
END $function$;

CREATE SCHEMA limits;

CREATE UNLOGGED TABLE limits.owners (
  owner_id uuid NOT NULL,
  alive_until timestamp with time zone NOT NULL,
  steady_since timestamp with time zone NOT NULL,
  CONSTRAINT owners_pkey PRIMARY KEY (owner_id)
);

CREATE UNLOGGED TABLE limits.running (
  subject_id uuid NOT NULL,
  request_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT running_pkey PRIMARY KEY (subject_id, request_id)
) WITH (autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);

CREATE UNLOGGED TABLE limits.subjects (
  subject_id uuid NOT NULL,
  requests_used bigint DEFAULT 0 NOT NULL,
  tokens_used bigint DEFAULT 0 NOT NULL,
  as_of_us bigint DEFAULT 0 NOT NULL,
  CONSTRAINT subjects_pkey PRIMARY KEY (subject_id),
  CONSTRAINT subjects_requests_used_check CHECK ((requests_used >= 0)),
  CONSTRAINT subjects_tokens_used_check CHECK ((tokens_used >= 0))
) WITH (fillfactor=50, autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);

CREATE OR REPLACE FUNCTION limits.after_flow(used bigint, rate integer, elapsed_us bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN rate IS NULL THEN used ELSE greatest(0, used - least(greatest(elapsed_us, 0), used / rate + 1) * rate) END
$function$;

CREATE OR REPLACE FUNCTION limits.beat(p_owner uuid, p_lease interval, p_running uuid[], OUT late boolean)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  steady timestamptz;
BEGIN
  INSERT INTO limits.owners AS o (owner_id, alive_until, steady_since) VALUES (p_owner, now_at + p_lease, now_at)
  ON CONFLICT (owner_id) DO UPDATE SET alive_until = excluded.alive_until,
    steady_since = CASE WHEN limits.is_alive(o.alive_until) THEN o.steady_since ELSE excluded.steady_since END
  RETURNING o.steady_since INTO steady;
  late := steady = now_at;
  DELETE FROM limits.running r
  WHERE r.owner_id = p_owner AND r.noted_at < now_at - p_lease AND NOT r.request_id = ANY (p_running);
  IF steady <= now_at - p_lease THEN
    DELETE FROM limits.owners o WHERE NOT limits.is_alive(o.alive_until);
    DELETE FROM limits.running r WHERE NOT EXISTS (SELECT FROM limits.owners o WHERE o.owner_id = r.owner_id);
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION limits.decide_many(p_owner uuid, p_subjects uuid[], p_requests_limits integer[], p_tokens_limits integer[], p_concurrent_limits integer[], p_corrections bigint[], p_placed_subjects uuid[], p_placed uuid[], p_ended_subjects uuid[], p_ended uuid[], p_asking uuid[], p_first integer[], p_second integer[], p_tokens integer[], OUT at_us bigint, OUT admitted boolean[], OUT first_requests bigint[], OUT first_tokens bigint[], OUT first_running bigint[], OUT second_requests bigint[], OUT second_tokens bigint[], OUT second_running bigint[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  one CONSTANT bigint := 60000000;
  most_owed CONSTANT bigint := 1000000000000000000; -- absurd usage must not break the count by its size
  requests bigint[]; tokens bigint[]; running bigint[];
  new_subjects uuid[] := '{}'; new_requests uuid[] := '{}';
  s integer; let_in boolean;
BEGIN
  -- An existing row is locked, not written; a missing one is made. One pass, in order.
  INSERT INTO limits.subjects (subject_id)
  SELECT u.subject_id FROM unnest(p_subjects) AS u (subject_id) ORDER BY u.subject_id
  ON CONFLICT (subject_id) DO UPDATE SET as_of_us = excluded.as_of_us WHERE false;
  at_us := extract(epoch FROM clock_timestamp()) * 1000000;

  INSERT INTO limits.running (subject_id, request_id, owner_id)
  SELECT u.subject_id, u.request_id, p_owner FROM unnest(p_placed_subjects, p_placed) AS u (subject_id, request_id)
  ON CONFLICT DO NOTHING;
  DELETE FROM limits.running r USING unnest(p_ended_subjects, p_ended) AS u (subject_id, request_id)
  WHERE r.subject_id = u.subject_id AND r.request_id = u.request_id;

  SELECT
    array_agg(limits.after_flow(t.requests_used, u.requests_limit, at_us - t.as_of_us) ORDER BY u.at),
    array_agg(least(most_owed, greatest(0, limits.after_flow(t.tokens_used, u.tokens_limit, at_us - t.as_of_us) + u.correction * one)) ORDER BY u.at),
    array_agg(CASE WHEN u.concurrent_limit IS NULL THEN 0
              ELSE (SELECT count(*) FROM limits.running r WHERE r.subject_id = u.subject_id) END ORDER BY u.at)
  INTO requests, tokens, running
  FROM unnest(p_subjects, p_requests_limits, p_tokens_limits, p_concurrent_limits, p_corrections)
    WITH ORDINALITY AS u (subject_id, requests_limit, tokens_limit, concurrent_limit, correction, at)
  JOIN limits.subjects t USING (subject_id);

  FOR i IN 1 .. cardinality(p_asking) LOOP
    let_in := true;
    FOREACH s IN ARRAY ARRAY[p_first[i], p_second[i]] LOOP
      CONTINUE WHEN s = 0;
      let_in := let_in
        AND (p_requests_limits[s] IS NULL OR requests[s] + one <= p_requests_limits[s] * one)
        AND (p_tokens_limits[s] IS NULL OR tokens[s] + least(p_tokens[i], p_tokens_limits[s]) * one <= p_tokens_limits[s] * one)
        AND (p_concurrent_limits[s] IS NULL OR running[s] < p_concurrent_limits[s]);
    END LOOP;
    IF let_in THEN
      FOREACH s IN ARRAY ARRAY[p_first[i], p_second[i]] LOOP
        CONTINUE WHEN s = 0;
        IF p_requests_limits[s] IS NOT NULL THEN requests[s] := requests[s] + one; END IF;
        IF p_tokens_limits[s] IS NOT NULL THEN tokens[s] := tokens[s] + least(p_tokens[i], p_tokens_limits[s]) * one; END IF;
        IF p_concurrent_limits[s] IS NOT NULL THEN
          running[s] := running[s] + 1;
          new_subjects := new_subjects || p_subjects[s];
          new_requests := new_requests || p_asking[i];
        END IF;
      END LOOP;
    END IF;
    admitted[i] := let_in;
    first_requests[i] := requests[p_first[i]];
    first_tokens[i] := tokens[p_first[i]];
    first_running[i] := running[p_first[i]];
    second_requests[i] := requests[nullif(p_second[i], 0)];
    second_tokens[i] := tokens[nullif(p_second[i], 0)];
    second_running[i] := running[nullif(p_second[i], 0)];
  END LOOP;

  INSERT INTO limits.running (subject_id, request_id, owner_id)
  SELECT u.subject_id, u.request_id, p_owner FROM unnest(new_subjects, new_requests) AS u (subject_id, request_id);
  UPDATE limits.subjects t SET requests_used = u.requests, tokens_used = u.tokens, as_of_us = at_us
  FROM unnest(p_subjects, requests, tokens) AS u (subject_id, requests, tokens)
  WHERE t.subject_id = u.subject_id;
END $function$;

CREATE OR REPLACE FUNCTION limits.is_alive(alive_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  SELECT alive_until > clock_timestamp() AND alive_until < clock_timestamp() + interval '2 minutes'
$function$;

CREATE SCHEMA mail;

CREATE TABLE mail.outbox (
  mail_id uuid NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  sealed bytea,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  last_error text,
  CONSTRAINT outbox_pkey PRIMARY KEY (mail_id),
  CONSTRAINT outbox_check CHECK (((sealed IS NULL) = ((sent_at IS NOT NULL) OR (failed_at IS NOT NULL))))
);
CREATE INDEX outbox_by_age ON mail.outbox USING btree (created_at) WHERE (sealed IS NULL);
CREATE INDEX outbox_by_due ON mail.outbox USING btree (due_at) WHERE (sealed IS NOT NULL);

CREATE SCHEMA migrations;

CREATE TABLE migrations.applied (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  oldest_version text,
  CONSTRAINT applied_pkey PRIMARY KEY (number)
);

CREATE SCHEMA months;

CREATE OR REPLACE FUNCTION months.forget(p_schema text, p_table text, p_before date)
 RETURNS text[]
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
DECLARE
  part record;
  gone text[] := '{}';
BEGIN
  FOR part IN
    SELECT c.relname AS name, right(c.relname, 7) AS month,
      ledger.first_id(to_date(right(c.relname, 7), 'YYYY_MM')::timestamp AT TIME ZONE 'Europe/Moscow') AS first,
      ledger.first_id((to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'Europe/Moscow') AS next
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = format('%I.%I', p_schema, p_table)::regclass AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'
      AND to_date(right(c.relname, 7), 'YYYY_MM') < date_trunc('month', p_before) ORDER BY 1
  LOOP
    -- Changes nothing, and lets no writer in from here on: LOCK TABLE wants, before PostgreSQL 17, rights that are revoked.
    EXECUTE format('ALTER TABLE ONLY %I.%I ENABLE TRIGGER USER', p_schema, p_table);
    CONTINUE WHEN p_schema = 'tasks' AND (EXISTS (SELECT FROM tasks.jobs j WHERE j.task_id >= part.first AND j.task_id < part.next)
      OR EXISTS (SELECT FROM tasks.webhooks w WHERE w.webhook_id >= part.first AND w.webhook_id < part.next AND w.due_at IS NOT NULL));
    IF p_schema = 'tasks' AND p_table = 'webhooks' THEN
      EXECUTE format('DROP TABLE IF EXISTS tasks.%I', 'webhook_tries_' || part.month);
    END IF;
    EXECUTE format('DROP TABLE %I.%I', p_schema, part.name);
    gone := gone || format('%s.%s', p_schema, part.name);
  END LOOP;
  RETURN gone;
END $function$;

CREATE OR REPLACE FUNCTION months.keep(p_from date, p_to date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('months.keep'));
  PERFORM months.make('tasks', 'events', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('tasks', 'webhooks', p_from, p_to, false, 'fillfactor = 70');
  PERFORM months.make('tasks', 'webhook_tries', p_from, p_to, false, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('audit', 'actions', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('audit', 'account_actions', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
END $function$;

CREATE OR REPLACE FUNCTION months.make(p_schema text, p_table text, p_from date, p_to date, p_append_only boolean, p_options text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  month timestamp;
  name text;
BEGIN
  FOR month IN SELECT generate_series(date_trunc('month', p_from::timestamp), date_trunc('month', p_to::timestamp), interval '1 month') LOOP
    name := p_table || to_char(month, '_YYYY_MM');
    CONTINUE WHEN to_regclass(format('%I.%I', p_schema, name)) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I.%I (LIKE %I.%I INCLUDING ALL) WITH (%s)', p_schema, name, p_schema, p_table, p_options);
    IF p_append_only THEN PERFORM months.wall(p_schema, name); END IF;
    EXECUTE format('ALTER TABLE %I.%I ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%L)', p_schema, p_table, p_schema, name,
      ledger.first_id(month AT TIME ZONE 'Europe/Moscow'), ledger.first_id((month + interval '1 month') AT TIME ZONE 'Europe/Moscow'));
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION months.wall(p_schema text, p_name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I.%I FOR EACH STATEMENT EXECUTE FUNCTION %I.refuse_change()',
    p_schema, p_name, p_schema);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I.%I FROM CURRENT_USER', p_schema, p_name);
END $function$;

CREATE SCHEMA operate;

CREATE TABLE operate.account_notes (
  account_id uuid NOT NULL,
  note text NOT NULL,
  tags text[] NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT account_notes_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts(account_id) ON DELETE CASCADE,
  CONSTRAINT account_notes_changed_by_check CHECK (((length(changed_by) >= 1) AND (length(changed_by) <= 254))),
  CONSTRAINT account_notes_note_check CHECK ((length(note) <= 2000)),
  CONSTRAINT account_notes_tags_check CHECK (((cardinality(tags) <= 10) AND (array_position(tags, NULL::text) IS NULL))),
  CONSTRAINT says_something CHECK (((note <> ''::text) OR (cardinality(tags) > 0)))
);

CREATE TABLE operate.margin (
  day date NOT NULL,
  model text NOT NULL,
  upstream text NOT NULL,
  requests bigint NOT NULL,
  charged_nano bigint NOT NULL,
  cost_nano bigint,
  unknown_requests bigint NOT NULL,
  unknown_charged_nano bigint NOT NULL,
  loss_nano bigint NOT NULL,
  CONSTRAINT margin_pkey PRIMARY KEY (day, model, upstream),
  CONSTRAINT margin_day_fkey FOREIGN KEY (day) REFERENCES operate.margin_days(day)
);

CREATE TABLE operate.margin_days (
  day date NOT NULL,
  CONSTRAINT margin_days_pkey PRIMARY KEY (day)
);

CREATE UNLOGGED TABLE operate.processes (
  process_id uuid NOT NULL,
  label text NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  routes json NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (process_id)
);

CREATE TABLE operate.routes_out (
  upstream text NOT NULL,
  upstream_model text NOT NULL,
  until timestamp with time zone NOT NULL,
  reason text,
  taken_by text NOT NULL,
  taken_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT routes_out_pkey PRIMARY KEY (upstream, upstream_model),
  CONSTRAINT not_for_ever CHECK (((until > taken_at) AND (until <= (taken_at + '31 days'::interval)))),
  CONSTRAINT routes_out_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  CONSTRAINT routes_out_taken_by_check CHECK (((length(taken_by) >= 1) AND (length(taken_by) <= 254))),
  CONSTRAINT routes_out_upstream_check CHECK (((length(upstream) >= 1) AND (length(upstream) <= 200))),
  CONSTRAINT routes_out_upstream_model_check CHECK ((length(upstream_model) <= 500))
);

CREATE TABLE operate.upstream_balances (
  upstream text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  failure text,
  failure_status integer,
  reported_at timestamp with time zone,
  amount bigint,
  currency text,
  below bigint,
  samples jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT upstream_balances_pkey PRIMARY KEY (upstream),
  CONSTRAINT upstream_balances_check CHECK ((((reported_at IS NULL) = (amount IS NULL)) AND ((reported_at IS NULL) = (currency IS NULL)))),
  CONSTRAINT upstream_balances_currency_check CHECK ((length(currency) <= 12)),
  CONSTRAINT upstream_balances_failure_check CHECK ((failure = ANY (ARRAY['no_credential'::text, 'no_answer'::text, 'refused'::text, 'not_understood'::text, 'unlimited'::text]))),
  CONSTRAINT upstream_balances_failures_check CHECK ((failures >= 0))
);

CREATE TABLE operate.verifications (
  verification_id uuid NOT NULL,
  asked_by text,
  asked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  owner_id uuid,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  checked json,
  mismatch_count integer,
  mismatches json,
  failure text,
  CONSTRAINT verifications_pkey PRIMARY KEY (verification_id),
  CONSTRAINT verifications_check CHECK (((owner_id IS NULL) = (started_at IS NULL))),
  CONSTRAINT verifications_check1 CHECK (((finished_at IS NULL) = ((mismatch_count IS NULL) AND (failure IS NULL))))
);
CREATE UNIQUE INDEX one_verification ON operate.verifications USING btree ((true)) WHERE (finished_at IS NULL);

CREATE SCHEMA payments;

CREATE TYPE payments.refund_state AS ENUM ('created', 'pending', 'succeeded', 'canceled');

CREATE TYPE payments.state AS ENUM ('created', 'pending', 'succeeded', 'canceled', 'failed');

CREATE TABLE payments.payments (
  account_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  member_id uuid,
  email text,
  provider text NOT NULL,
  method text NOT NULL,
  locale text NOT NULL,
  amount_nano bigint NOT NULL,
  state payments.state DEFAULT 'created'::payments.state NOT NULL,
  provider_payment_id text,
  return_url text NOT NULL,
  redirect_url text,
  reason text,
  refunded_nano bigint DEFAULT 0 NOT NULL,
  entry_id uuid,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  reads integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone,
  receipt jsonb,
  refunds_nano bigint DEFAULT 0 NOT NULL,
  refunded_elsewhere_nano bigint DEFAULT 0 NOT NULL,
  CONSTRAINT payments_pkey PRIMARY KEY (account_id, payment_id),
  CONSTRAINT payments_account_id_entry_id_key UNIQUE (account_id, entry_id),
  CONSTRAINT payments_amount_nano_check CHECK (((amount_nano > 0) AND ((amount_nano % (10000000)::bigint) = 0))),
  CONSTRAINT payments_check CHECK (((receipt IS NULL) OR ((jsonb_typeof(receipt) = 'object'::text) AND (email IS NOT NULL)))),
  CONSTRAINT payments_check1 CHECK (((state = 'succeeded'::payments.state) = (entry_id IS NOT NULL))),
  CONSTRAINT payments_check2 CHECK (((state = ANY (ARRAY['created'::payments.state, 'pending'::payments.state])) = (ended_at IS NULL))),
  CONSTRAINT payments_check3 CHECK (((state <> ALL (ARRAY['pending'::payments.state, 'succeeded'::payments.state])) OR (provider_payment_id IS NOT NULL))),
  CONSTRAINT payments_check4 CHECK (((refunds_nano >= 0) AND (refunds_nano <= amount_nano))),
  CONSTRAINT payments_refunded_elsewhere_nano_check CHECK ((refunded_elsewhere_nano >= 0)),
  CONSTRAINT payments_refunded_nano_check CHECK ((refunded_nano >= 0))
) WITH (fillfactor=80);
CREATE INDEX payments_by_due ON payments.payments USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX payments_by_id ON payments.payments USING btree (payment_id);
CREATE INDEX payments_by_state ON payments.payments USING btree (state, payment_id);
CREATE INDEX payments_open ON payments.payments USING btree (account_id) WHERE (state = ANY (ARRAY['created'::payments.state, 'pending'::payments.state]));
CREATE INDEX payments_unmatched ON payments.payments USING btree (ended_at) WHERE (reason = 'mismatch'::text);

CREATE TABLE payments.refunds (
  account_id uuid NOT NULL,
  refund_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  ref text NOT NULL,
  provider text NOT NULL,
  amount_nano bigint NOT NULL,
  state payments.refund_state DEFAULT 'created'::payments.refund_state NOT NULL,
  provider_refund_id text,
  reason text NOT NULL,
  actor text NOT NULL,
  email text,
  receipt jsonb,
  failure text,
  entry_id uuid NOT NULL,
  returned_entry_id uuid,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  reads integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone,
  CONSTRAINT refunds_pkey PRIMARY KEY (account_id, refund_id),
  CONSTRAINT refunds_account_id_entry_id_key UNIQUE (account_id, entry_id),
  CONSTRAINT refunds_account_id_ref_key UNIQUE (account_id, ref),
  CONSTRAINT refunds_account_id_payment_id_fkey FOREIGN KEY (account_id, payment_id) REFERENCES payments.payments(account_id, payment_id),
  CONSTRAINT refunds_amount_nano_check CHECK (((amount_nano > 0) AND ((amount_nano % (10000000)::bigint) = 0))),
  CONSTRAINT refunds_check CHECK (((receipt IS NULL) OR ((jsonb_typeof(receipt) = 'object'::text) AND (email IS NOT NULL)))),
  CONSTRAINT refunds_check1 CHECK (((state = ANY (ARRAY['created'::payments.refund_state, 'pending'::payments.refund_state])) = (ended_at IS NULL))),
  CONSTRAINT refunds_check2 CHECK (((state = 'canceled'::payments.refund_state) = (returned_entry_id IS NOT NULL))),
  CONSTRAINT refunds_check3 CHECK (((state <> ALL (ARRAY['pending'::payments.refund_state, 'succeeded'::payments.refund_state])) OR (provider_refund_id IS NOT NULL)))
) WITH (fillfactor=80);
CREATE INDEX refunds_by_due ON payments.refunds USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX refunds_by_payment ON payments.refunds USING btree (account_id, payment_id);

CREATE SCHEMA responses;

CREATE TABLE responses.items (
  account_id uuid NOT NULL,
  item_id text NOT NULL,
  response_id text NOT NULL,
  CONSTRAINT items_pkey PRIMARY KEY (account_id, item_id),
  CONSTRAINT items_account_id_response_id_fkey FOREIGN KEY (account_id, response_id) REFERENCES responses.responses(account_id, response_id) ON DELETE CASCADE,
  CONSTRAINT items_item_id_check CHECK (((length(item_id) >= 1) AND (length(item_id) <= 128)))
);
CREATE INDEX items_of_response ON responses.items USING btree (account_id, response_id);

CREATE TABLE responses.responses (
  account_id uuid NOT NULL,
  response_id text NOT NULL,
  request_id uuid NOT NULL,
  model text NOT NULL,
  previous_id text,
  anew boolean NOT NULL,
  turns integer NOT NULL,
  replayed_bytes bigint NOT NULL,
  sealed_input bytea NOT NULL,
  sealed_response bytea NOT NULL,
  bytes bigint NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT responses_pkey PRIMARY KEY (account_id, response_id),
  CONSTRAINT responses_bytes_check CHECK ((bytes > 0)),
  CONSTRAINT responses_replayed_bytes_check CHECK ((replayed_bytes >= 0)),
  CONSTRAINT responses_response_id_check CHECK (((length(response_id) >= 1) AND (length(response_id) <= 128))),
  CONSTRAINT responses_turns_check CHECK ((turns > 0))
);
CREATE INDEX responses_by_expiry ON responses.responses USING btree (expires_at);

CREATE OR REPLACE FUNCTION responses.keep(p_account uuid, p_response text, p_request uuid, p_model text, p_previous text, p_anew boolean, p_turns integer, p_replayed_bytes bigint, p_input bytea, p_answer bytea, p_items text[], p_seconds double precision, p_quota bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  size CONSTANT bigint := length(p_input) + length(p_answer);
  keeper uuid;
BEGIN
  SELECT r.request_id INTO keeper FROM responses.responses r WHERE r.account_id = p_account AND r.response_id = p_response;
  IF FOUND THEN
    RETURN CASE WHEN keeper = p_request THEN 'kept' ELSE 'taken' END;
  END IF;
  IF NOT files.take_room(p_account, size, p_quota) THEN
    RETURN 'full';
  END IF;
  INSERT INTO responses.responses (account_id, response_id, request_id, model, previous_id, anew, turns, replayed_bytes, sealed_input, sealed_response,
    bytes, expires_at)
  VALUES (p_account, p_response, p_request, p_model, p_previous, p_anew, p_turns, p_replayed_bytes, p_input, p_answer,
    size, clock_timestamp() + p_seconds * interval '1 second');
  INSERT INTO responses.items (account_id, item_id, response_id)
  SELECT DISTINCT p_account, i.item_id, p_response FROM unnest(p_items) AS i (item_id)
  ON CONFLICT (account_id, item_id) DO UPDATE SET response_id = excluded.response_id;
  RETURN 'kept';
END $function$;

CREATE SCHEMA tasks;

CREATE TYPE tasks.cost_state AS ENUM ('held', 'charged', 'released');

CREATE TYPE tasks.phase AS ENUM ('held', 'ready', 'submitting', 'submit_unknown', 'running', 'collecting', 'watching');

CREATE TYPE tasks.state AS ENUM ('queued', 'processing', 'completed', 'failed');

CREATE TABLE tasks.events (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  seq bigint NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  kind text NOT NULL,
  detail json,
  CONSTRAINT events_pkey PRIMARY KEY (account_id, task_id, seq)
) PARTITION BY RANGE (task_id);
CREATE TRIGGER events_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON tasks.events FOR EACH STATEMENT EXECUTE FUNCTION tasks.refuse_change();
REVOKE DELETE, TRUNCATE, UPDATE ON tasks.events FROM CURRENT_USER;

CREATE TABLE tasks.jobs (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  phase tasks.phase NOT NULL,
  lane text NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  lease_id uuid,
  woken boolean DEFAULT false NOT NULL,
  polls integer DEFAULT 0 NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  progress real,
  queue_position integer,
  phase_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  cancel_requested_at timestamp with time zone,
  heard_id text,
  CONSTRAINT jobs_pkey PRIMARY KEY (account_id, task_id),
  CONSTRAINT jobs_account_id_task_id_fkey FOREIGN KEY (account_id, task_id) REFERENCES tasks.tasks(account_id, task_id)
) WITH (fillfactor=70, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX jobs_being_submitted ON tasks.jobs USING btree (account_id, task_id) WHERE (phase = ANY (ARRAY['submitting'::tasks.phase, 'submit_unknown'::tasks.phase]));
CREATE INDEX jobs_by_lane ON tasks.jobs USING btree (lane, due_at);

CREATE TABLE tasks.submit_shares (
  account_id uuid NOT NULL,
  upstream text NOT NULL,
  last_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  offered_at timestamp with time zone,
  CONSTRAINT submit_shares_pkey PRIMARY KEY (account_id, upstream)
) WITH (fillfactor=70);

CREATE TABLE tasks.submit_turns (
  upstream text NOT NULL,
  taken timestamp with time zone[] NOT NULL,
  CONSTRAINT submit_turns_pkey PRIMARY KEY (upstream)
) WITH (fillfactor=50);

CREATE TABLE tasks.submit_waits (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  upstream text NOT NULL,
  since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT submit_waits_pkey PRIMARY KEY (account_id, task_id),
  CONSTRAINT submit_waits_account_id_task_id_fkey FOREIGN KEY (account_id, task_id) REFERENCES tasks.jobs(account_id, task_id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);
CREATE INDEX submit_waits_by_account ON tasks.submit_waits USING btree (upstream, account_id, since);

CREATE TABLE tasks.tasks (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  key_id uuid,
  request_id uuid NOT NULL,
  model text NOT NULL,
  parameter_table text NOT NULL,
  parameters json NOT NULL,
  media json,
  callback_url text,
  state tasks.state DEFAULT 'queued'::tasks.state NOT NULL,
  price_version integer NOT NULL,
  price_nano bigint NOT NULL,
  price_by_files bigint[],
  cost_state tasks.cost_state DEFAULT 'held'::tasks.cost_state NOT NULL,
  charged_nano bigint,
  attempts integer DEFAULT 0 NOT NULL,
  attempt_id uuid,
  upstream text,
  upstream_model text,
  credential_name text,
  handle json,
  upstream_cost json,
  upstream_cost_nano bigint,
  result json,
  error_code text,
  error_message text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  deadline_at timestamp with time zone NOT NULL,
  CONSTRAINT tasks_pkey PRIMARY KEY (account_id, task_id),
  CONSTRAINT ended CHECK (((state = ANY (ARRAY['completed'::tasks.state, 'failed'::tasks.state])) = (completed_at IS NOT NULL))),
  CONSTRAINT has_error CHECK ((((state = 'failed'::tasks.state) = (error_code IS NOT NULL)) AND ((error_code IS NULL) = (error_message IS NULL)))),
  CONSTRAINT has_result CHECK (((state = 'completed'::tasks.state) = (result IS NOT NULL))),
  CONSTRAINT paid CHECK ((cost_state = (
CASE state
    WHEN 'completed'::tasks.state THEN 'charged'::text
    WHEN 'failed'::tasks.state THEN 'released'::text
    ELSE 'held'::text
END)::tasks.cost_state)),
  CONSTRAINT tasks_price_nano_check CHECK ((price_nano >= 0)),
  CONSTRAINT within_hold CHECK ((((state = 'completed'::tasks.state) = (charged_nano IS NOT NULL)) AND ((charged_nano >= 0) AND (charged_nano <= price_nano))))
) WITH (fillfactor=80);
CREATE INDEX living_tasks_of_account ON tasks.tasks USING btree (account_id, task_id) WHERE (state = ANY (ARRAY['queued'::tasks.state, 'processing'::tasks.state]));
CREATE INDEX tasks_by_id ON tasks.tasks USING btree (task_id);
CREATE INDEX tasks_by_kind ON tasks.tasks USING btree (account_id, model, state, key_id, task_id);

CREATE TABLE tasks.webhook_tries (
  account_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  try integer NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  status integer,
  error text,
  took_ms integer NOT NULL,
  CONSTRAINT webhook_tries_pkey PRIMARY KEY (account_id, webhook_id, try)
) PARTITION BY RANGE (webhook_id);

CREATE TABLE tasks.webhooks (
  account_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  task_id uuid NOT NULL,
  url text NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp(),
  delivered_at timestamp with time zone,
  host text GENERATED ALWAYS AS (lower(COALESCE("substring"(url, '^[A-Za-z]+://([^/?#]*)'::text), ''::text))) STORED NOT NULL,
  CONSTRAINT webhooks_pkey PRIMARY KEY (account_id, webhook_id),
  CONSTRAINT webhooks_account_id_task_id_fkey1 FOREIGN KEY (account_id, task_id) REFERENCES tasks.tasks(account_id, task_id),
  CONSTRAINT webhooks_check1 CHECK (((delivered_at IS NULL) OR (due_at IS NULL)))
) PARTITION BY RANGE (webhook_id);
CREATE INDEX webhooks_by_host ON tasks.webhooks USING btree (host, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhooks_of_task ON tasks.webhooks USING btree (account_id, task_id);

CREATE OR REPLACE FUNCTION tasks.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$function$;

CREATE OR REPLACE FUNCTION tasks.take_turn(p_upstream text, p_task uuid, p_account uuid, p_count integer, p_window interval, p_running integer, OUT wait_ms double precision, OUT mine bigint, OUT accounts bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  patience CONSTANT interval := '3 seconds';
  full_ms CONSTANT float8 := 1000;      -- nobody knows when a running task ends
  stand_back_ms CONSTANT float8 := 250;
  turns timestamptz[]; now_at timestamptz; free integer;
  my_last timestamptz; my_since timestamptz; ahead uuid[]; next_tasks uuid[];
BEGIN
  -- First without a lock: whoever waits costs a look.
  FOR locked IN 0 .. 1 LOOP
    IF locked = 1 THEN
      INSERT INTO tasks.submit_turns (upstream, taken) VALUES (p_upstream, '{}') ON CONFLICT DO NOTHING;
      PERFORM FROM tasks.submit_turns WHERE upstream = p_upstream FOR UPDATE;
    END IF;
    turns := coalesce((SELECT taken FROM tasks.submit_turns WHERE upstream = p_upstream), '{}');
    now_at := clock_timestamp();
    free := least(
      p_count - (SELECT count(*) FROM unnest(turns) AS at WHERE at > now_at - p_window),
      p_running - CASE WHEN p_running IS NULL THEN 0 ELSE (
        SELECT count(*) FROM (
          SELECT FROM tasks.jobs j WHERE j.lane = 'poll:' || p_upstream AND j.phase = 'running'
          UNION ALL
          SELECT FROM tasks.jobs j JOIN tasks.tasks t USING (account_id, task_id)
          WHERE j.phase IN ('submitting', 'submit_unknown') AND t.upstream = p_upstream AND j.task_id <> p_task) there) END);
    EXIT WHEN free <= 0;
  END LOOP;

  PERFORM FROM tasks.jobs WHERE account_id = p_account AND task_id = p_task FOR NO KEY UPDATE;
  IF free > 0 THEN
    my_last := coalesce((SELECT last_at FROM tasks.submit_shares WHERE account_id = p_account AND upstream = p_upstream), '-infinity');
    my_since := coalesce((SELECT since FROM tasks.submit_waits WHERE account_id = p_account AND task_id = p_task AND upstream = p_upstream), now_at);
    ahead := ARRAY (
      SELECT w.account_id
      FROM (SELECT account_id, min(since) AS since FROM tasks.submit_waits WHERE upstream = p_upstream AND account_id <> p_account GROUP BY 1) w
      JOIN tasks.submit_shares s ON s.upstream = p_upstream AND s.account_id = w.account_id
      WHERE (s.last_at, w.since) < (my_last, my_since) AND (s.offered_at IS NULL OR s.offered_at > now_at - patience)
      ORDER BY s.last_at, w.since LIMIT free);
    IF cardinality(ahead) < free THEN
      IF p_count IS NOT NULL THEN
        UPDATE tasks.submit_turns SET taken = turns[greatest(1, cardinality(turns) - p_count + 2) : ] || now_at WHERE upstream = p_upstream;
      END IF;
      INSERT INTO tasks.submit_shares (account_id, upstream, last_at) VALUES (p_account, p_upstream, now_at)
      ON CONFLICT (account_id, upstream) DO UPDATE SET last_at = excluded.last_at, offered_at = NULL;
      IF random() < 0.01 THEN
        DELETE FROM tasks.submit_shares s WHERE s.upstream = p_upstream AND s.last_at < now_at - interval '1 day'
          AND NOT EXISTS (SELECT FROM tasks.submit_waits w WHERE w.upstream = s.upstream AND w.account_id = s.account_id);
      END IF;
      wait_ms := 0;
      RETURN;
    END IF;
    next_tasks := ARRAY (
      SELECT j.task_id FROM tasks.jobs j WHERE (j.account_id, j.task_id) IN (
        SELECT DISTINCT ON (w.account_id) w.account_id, w.task_id FROM tasks.submit_waits w JOIN tasks.submit_shares s USING (upstream, account_id)
        WHERE w.upstream = p_upstream AND w.account_id = ANY (ahead) AND s.offered_at IS NULL ORDER BY w.account_id, w.since)
      FOR NO KEY UPDATE SKIP LOCKED);
    UPDATE tasks.jobs SET woken = true, due_at = CASE WHEN lease_id IS NULL THEN least(due_at, now_at) ELSE due_at END
    WHERE account_id = ANY (ahead) AND task_id = ANY (next_tasks);
    UPDATE tasks.submit_shares SET offered_at = now_at WHERE upstream = p_upstream AND account_id = ANY (ahead) AND offered_at IS NULL;
    IF cardinality(next_tasks) > 0 THEN PERFORM pg_notify('tollgate_task_work', ''); END IF;
    wait_ms := stand_back_ms;
  ELSE
    wait_ms := greatest(1,
      CASE WHEN p_count <= cardinality(turns)
        THEN extract(epoch FROM turns[cardinality(turns) - p_count + 1] + p_window - now_at) * 1000 ELSE full_ms END);
  END IF;
  INSERT INTO tasks.submit_waits (account_id, task_id, upstream)
  SELECT p_account, p_task, p_upstream WHERE EXISTS (SELECT FROM tasks.jobs WHERE account_id = p_account AND task_id = p_task)
  ON CONFLICT (account_id, task_id) DO UPDATE SET upstream = excluded.upstream WHERE submit_waits.upstream <> excluded.upstream;
  INSERT INTO tasks.submit_shares AS s (account_id, upstream) VALUES (p_account, p_upstream)
  ON CONFLICT (account_id, upstream) DO UPDATE SET offered_at = NULL WHERE s.offered_at IS NOT NULL;
  SELECT count(*) FILTER (WHERE account_id = p_account), count(DISTINCT account_id) INTO mine, accounts
  FROM tasks.submit_waits WHERE upstream = p_upstream;
END $function$;

CREATE SCHEMA telegram;

CREATE TABLE telegram.bots (
  bot_id bigint NOT NULL,
  username text,
  next_update bigint DEFAULT 0 NOT NULL,
  polled_by uuid,
  polled_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  CONSTRAINT bots_pkey PRIMARY KEY (bot_id),
  CONSTRAINT bots_username_check CHECK (((length(username) >= 1) AND (length(username) <= 64)))
);

CREATE TABLE telegram.chats (
  member_id uuid NOT NULL,
  chat_id bigint NOT NULL,
  title text NOT NULL,
  linked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT chats_pkey PRIMARY KEY (member_id),
  CONSTRAINT chats_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)))
);
CREATE INDEX chats_by_id ON telegram.chats USING btree (chat_id);

CREATE TABLE telegram.codes (
  member_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT codes_pkey PRIMARY KEY (member_id),
  CONSTRAINT codes_code_hash_key UNIQUE (code_hash),
  CONSTRAINT codes_code_hash_check CHECK ((length(code_hash) = 32))
);

CREATE TABLE telegram.messages (
  message_id uuid NOT NULL,
  member_id uuid,
  chat_id bigint NOT NULL,
  sealed bytea,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  last_error text,
  CONSTRAINT messages_pkey PRIMARY KEY (message_id),
  CONSTRAINT messages_check CHECK (((sealed IS NULL) = ((sent_at IS NOT NULL) OR (failed_at IS NOT NULL))))
);
CREATE INDEX messages_by_age ON telegram.messages USING btree (created_at) WHERE (sealed IS NULL);
CREATE INDEX messages_by_due ON telegram.messages USING btree (due_at) WHERE (sealed IS NOT NULL);
CREATE INDEX messages_of_chat ON telegram.messages USING btree (chat_id, created_at);

CREATE SCHEMA usage;

CREATE TABLE usage.account_daily (
  account_id uuid NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,
  model text NOT NULL,
  state text NOT NULL,
  ended bigint NOT NULL,
  charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  duration_ms bigint NOT NULL,
  first_ms bigint NOT NULL,
  firsts bigint NOT NULL,
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  CONSTRAINT account_daily_pkey PRIMARY KEY (account_id, day, kind, model, state)
);
CREATE INDEX account_daily_by_day ON usage.account_daily USING btree (day);

CREATE TABLE usage.account_daily_through (
  day date NOT NULL
);

CREATE TABLE usage.count_samples (
  request_id uuid NOT NULL,
  sampled_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  upstream text NOT NULL,
  model text NOT NULL,
  counted_input bigint NOT NULL,
  told_input bigint NOT NULL,
  counted_output bigint NOT NULL,
  told_output bigint NOT NULL,
  CONSTRAINT count_samples_pkey PRIMARY KEY (request_id),
  CONSTRAINT count_samples_counted_input_check CHECK ((counted_input > 0)),
  CONSTRAINT count_samples_counted_output_check CHECK ((counted_output > 0)),
  CONSTRAINT count_samples_told_input_check CHECK ((told_input > 0)),
  CONSTRAINT count_samples_told_output_check CHECK ((told_output > 0))
);
CREATE INDEX count_samples_of_a_route ON usage.count_samples USING btree (upstream, model, sampled_at DESC);

CREATE TABLE usage.daily (
  account_id uuid NOT NULL,
  day date NOT NULL,
  key_id uuid,
  kind text NOT NULL,
  model text NOT NULL,
  ended bigint NOT NULL,
  failed bigint NOT NULL,
  charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  group_id uuid,
  CONSTRAINT one_of_a_day UNIQUE NULLS NOT DISTINCT (account_id, day, key_id, group_id, kind, model)
);

CREATE TABLE usage.daily_through (
  day date NOT NULL
);

CREATE TABLE usage.hourly (
  account_id uuid NOT NULL,
  hour timestamp with time zone NOT NULL,
  key_id uuid,
  member_id uuid,
  group_id uuid,
  kind text NOT NULL,
  model text NOT NULL,
  state text NOT NULL,
  upstream text NOT NULL,
  ended bigint NOT NULL,
  charged_nano bigint NOT NULL,
  loss_nano bigint NOT NULL,
  cost_nano bigint,
  unknown_requests bigint NOT NULL,
  unknown_charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  duration_ms bigint NOT NULL,
  first_ms bigint NOT NULL,
  firsts bigint NOT NULL,
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  CONSTRAINT one_of_each UNIQUE NULLS NOT DISTINCT (account_id, hour, key_id, member_id, group_id, kind, model, state, upstream),
  CONSTRAINT hourly_kind_check CHECK ((kind = ANY (ARRAY['chat'::text, 'task'::text, 'embedding'::text, 'rerank'::text, 'image'::text, 'speech'::text, 'transcription'::text, 'moderation'::text, 'completion'::text])))
) WITH (fillfactor=70);
CREATE INDEX hourly_by_hour ON usage.hourly USING btree (hour);

CREATE TABLE usage.parked (
  parked_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  parked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  charged_nano bigint,
  reason text NOT NULL,
  receipt text NOT NULL,
  reported boolean DEFAULT false NOT NULL,
  CONSTRAINT parked_pkey PRIMARY KEY (parked_id)
);
CREATE INDEX parked_unreported ON usage.parked USING btree (parked_id) WHERE (NOT reported);

CREATE VIEW usage.account_days AS
 SELECT account_daily.account_id,
    account_daily.day,
    account_daily.kind,
    account_daily.model,
    account_daily.state,
    account_daily.ended,
    account_daily.charged_nano,
    account_daily.input_tokens,
    account_daily.cached_tokens,
    account_daily.output_tokens,
    account_daily.duration_ms,
    account_daily.first_ms,
    account_daily.firsts,
    account_daily.first_id,
    account_daily.last_id
   FROM usage.account_daily
UNION ALL
 SELECT hourly.account_id,
    ((hourly.hour AT TIME ZONE 'Europe/Moscow'::text))::date AS day,
    hourly.kind,
    hourly.model,
    hourly.state,
    hourly.ended,
    hourly.charged_nano,
    hourly.input_tokens,
    hourly.cached_tokens,
    hourly.output_tokens,
    hourly.duration_ms,
    hourly.first_ms,
    hourly.firsts,
    hourly.first_id,
    hourly.last_id
   FROM usage.hourly
  WHERE (hourly.hour >= ( SELECT (((t.day + 1))::timestamp without time zone AT TIME ZONE 'Europe/Moscow'::text) AS timezone
           FROM usage.account_daily_through t));

CREATE VIEW usage.days AS
 SELECT daily.account_id,
    daily.day,
    daily.key_id,
    daily.kind,
    daily.model,
    daily.ended,
    daily.failed,
    daily.charged_nano,
    daily.input_tokens,
    daily.cached_tokens,
    daily.output_tokens,
    daily.group_id
   FROM usage.daily
UNION ALL
 SELECT hourly.account_id,
    ((hourly.hour AT TIME ZONE 'Europe/Moscow'::text))::date AS day,
    hourly.key_id,
    hourly.kind,
    hourly.model,
    hourly.ended,
        CASE hourly.state
            WHEN 'failed'::text THEN hourly.ended
            ELSE (0)::bigint
        END AS failed,
    hourly.charged_nano,
    hourly.input_tokens,
    hourly.cached_tokens,
    hourly.output_tokens,
    hourly.group_id
   FROM usage.hourly
  WHERE (hourly.hour >= ( SELECT (((t.day + 1))::timestamp without time zone AT TIME ZONE 'Europe/Moscow'::text) AS timezone
           FROM usage.daily_through t));

CREATE VIEW usage.requests AS
 SELECT entry_id AS request_id,
    account_id,
    budget_id AS key_id,
    endpoint,
    COALESCE(model_requested, model) AS model_requested,
    model,
    state,
    started_at,
    at AS recorded_at,
    amount_nano AS charged_nano,
    held_nano,
    price_version,
    input_tokens,
    cached_tokens,
    output_tokens,
    upstream,
    cost_nano,
    duration_ms,
    first_ms,
    (detail)::json AS detail,
    detail AS detail_text
   FROM ledger.entries
  WHERE (endpoint IS NOT NULL);

CREATE OR REPLACE FUNCTION usage.kind_of(endpoint text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE endpoint
    WHEN 'embeddings' THEN 'embedding'
    WHEN 'rerank' THEN 'rerank'
    WHEN 'images.generations' THEN 'image'
    WHEN 'images.edits' THEN 'image'
    WHEN 'audio.speech' THEN 'speech'
    WHEN 'audio.transcriptions' THEN 'transcription'
    WHEN 'audio.translations' THEN 'transcription'
    WHEN 'moderations' THEN 'moderation'
    WHEN 'completions' THEN 'completion'
    ELSE 'chat' END
$function$;

CREATE SCHEMA webhooks;

CREATE TABLE webhooks.secrets (
  account_id uuid NOT NULL,
  purpose text NOT NULL,
  sealed bytea NOT NULL,
  made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  previous bytea,
  previous_until timestamp with time zone,
  CONSTRAINT secrets_pkey PRIMARY KEY (account_id, purpose),
  CONSTRAINT secrets_check CHECK (((previous IS NULL) = (previous_until IS NULL))),
  CONSTRAINT secrets_purpose_check CHECK ((purpose = ANY (ARRAY['tasks'::text, 'alerts'::text])))
);
