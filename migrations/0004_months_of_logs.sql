-- What is written down of tasks, webhooks and operators grows for ever. It lies in months from now on, so that one that is over goes as a whole,
-- not row by row: by the ids, which begin with the time (UUIDv7), as the ledger's entries do, so that each table keeps its one key. How many
-- months are kept are settings (src/config/config.ts); what something still waits for is kept longer.

CREATE SCHEMA months;

-- Makes a table's months from the one date's to the other's, of Moscow, where there are none. Attached, so that rows go on being written meanwhile.
CREATE FUNCTION months.make(p_schema text, p_table text, p_from date, p_to date, p_append_only boolean, p_options text) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;

-- Each part refuses for itself, as the whole does.
CREATE FUNCTION months.wall(p_schema text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I.%I FOR EACH STATEMENT EXECUTE FUNCTION %I.refuse_change()',
    p_schema, p_name, p_schema);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I.%I FROM CURRENT_USER', p_schema, p_name);
END $$;

-- Those of all tables that lie in months.
CREATE FUNCTION months.keep(p_from date, p_to date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('months.keep'));
  PERFORM months.make('tasks', 'events', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('tasks', 'webhooks', p_from, p_to, false, 'fillfactor = 70');
  PERFORM months.make('tasks', 'webhook_tries', p_from, p_to, false, 'autovacuum_vacuum_insert_scale_factor = 0.2');
  PERFORM months.make('audit', 'actions', p_from, p_to, true, 'autovacuum_vacuum_insert_scale_factor = 0.2');
END $$;

-- Drops months of a table that are over before that one, as long as nothing waits for them, and says which. Webhooks go with their tries.
-- The lock for it makes all others wait, so it is asked for briefly: the caller comes again.
CREATE FUNCTION months.forget(p_schema text, p_table text, p_before date) RETURNS text[] LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
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
END $$;

-- ---- what was there lies in months from its first one on ---------------------------------------------

ALTER TABLE tasks.events RENAME TO events_before;
ALTER TABLE tasks.webhook_tries RENAME TO webhook_tries_before;
ALTER TABLE tasks.webhooks RENAME TO webhooks_before;
ALTER TABLE audit.actions RENAME TO actions_before;
ALTER TABLE tasks.events_before RENAME CONSTRAINT events_pkey TO events_before_pkey;
ALTER TABLE tasks.webhook_tries_before RENAME CONSTRAINT webhook_tries_pkey TO webhook_tries_before_pkey;
ALTER TABLE tasks.webhooks_before RENAME CONSTRAINT webhooks_pkey TO webhooks_before_pkey;
ALTER TABLE audit.actions_before RENAME CONSTRAINT actions_pkey TO actions_before_pkey;
ALTER INDEX tasks.webhooks_by_host RENAME TO webhooks_before_by_host;
ALTER INDEX tasks.webhooks_of_task RENAME TO webhooks_before_of_task;
ALTER INDEX audit.actions_of_account RENAME TO actions_before_of_account;

-- As they were; a task's events lie in the month in which it was ordered, tries in that of their webhook.
CREATE TABLE tasks.events (
  account_id uuid NOT NULL,
  task_id uuid NOT NULL,
  seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL,
  detail json,
  PRIMARY KEY (account_id, task_id, seq)
) PARTITION BY RANGE (task_id);
CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tasks.events
  FOR EACH STATEMENT EXECUTE FUNCTION tasks.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON tasks.events FROM CURRENT_USER;

CREATE TABLE tasks.webhooks (
  account_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  task_id uuid NOT NULL,
  url text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz DEFAULT clock_timestamp(),        -- moved on by whoever delivers it now; null: over
  delivered_at timestamptz,
  -- Whose server it goes to, so that one that is down holds up none but its own.
  host text NOT NULL GENERATED ALWAYS AS (lower(coalesce(substring(url FROM '^[A-Za-z]+://([^/?#]*)'), ''))) STORED,
  CHECK (delivered_at IS NULL OR due_at IS NULL),
  PRIMARY KEY (account_id, webhook_id),
  FOREIGN KEY (account_id, task_id) REFERENCES tasks.tasks
) PARTITION BY RANGE (webhook_id);
CREATE INDEX webhooks_by_host ON tasks.webhooks (host, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_of_task ON tasks.webhooks (account_id, task_id);

-- Without a reference to the webhook: it is written with it, and goes with it, month by month.
CREATE TABLE tasks.webhook_tries (
  account_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  try integer NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  status integer,                                      -- what was answered; null: nothing
  error text,
  took_ms integer NOT NULL,
  PRIMARY KEY (account_id, webhook_id, try)
) PARTITION BY RANGE (webhook_id);

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
) PARTITION BY RANGE (audit_id);
CREATE INDEX actions_of_account ON audit.actions (account_id, audit_id) WHERE account_id IS NOT NULL;
CREATE TRIGGER actions_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit.actions
  FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON audit.actions FROM CURRENT_USER;

-- Of ids that are of no month; nothing of it is dropped.
CREATE TABLE tasks.events_other PARTITION OF tasks.events DEFAULT WITH (autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE TABLE tasks.webhooks_other PARTITION OF tasks.webhooks DEFAULT WITH (fillfactor = 70);
CREATE TABLE tasks.webhook_tries_other PARTITION OF tasks.webhook_tries DEFAULT WITH (autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE TABLE audit.actions_other PARTITION OF audit.actions DEFAULT WITH (autovacuum_vacuum_insert_scale_factor = 0.2);
SELECT months.wall('tasks', 'events_other');
SELECT months.wall('audit', 'actions_other');

-- From the month of the oldest row that has one, but from no time before there was such software.
SELECT months.keep(
  (SELECT least(min(ledger.time_of(id)) FILTER (WHERE ledger.time_of(id) >= '2025-01-01'), clock_timestamp() - interval '1 month')::date
   FROM (SELECT min(task_id::text)::uuid AS id FROM tasks.events_before WHERE task_id >= ledger.first_id('2025-01-01')
         UNION ALL SELECT min(webhook_id::text)::uuid FROM tasks.webhooks_before WHERE webhook_id >= ledger.first_id('2025-01-01')
         UNION ALL SELECT min(audit_id::text)::uuid FROM audit.actions_before WHERE audit_id >= ledger.first_id('2025-01-01')) first),
  (clock_timestamp() + interval '3 months')::date);

INSERT INTO tasks.events SELECT * FROM tasks.events_before ORDER BY task_id, seq;
INSERT INTO tasks.webhooks (account_id, webhook_id, task_id, url, tries, created_at, due_at, delivered_at)
SELECT account_id, webhook_id, task_id, url, tries, created_at, due_at, delivered_at FROM tasks.webhooks_before ORDER BY webhook_id;
INSERT INTO tasks.webhook_tries SELECT * FROM tasks.webhook_tries_before ORDER BY webhook_id, try;
INSERT INTO audit.actions SELECT * FROM audit.actions_before ORDER BY audit_id;
DROP TABLE tasks.webhook_tries_before, tasks.webhooks_before, tasks.events_before, audit.actions_before;
