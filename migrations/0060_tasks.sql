-- Tasks: what was ordered, what became of it, and what is to be done for it next. Amounts are nano-roubles.
CREATE SCHEMA tasks;

CREATE TYPE tasks.state AS ENUM ('queued', 'processing', 'completed', 'failed');
CREATE TYPE tasks.cost_state AS ENUM ('held', 'charged', 'released');

-- The task as its owner sees it, and what support wants to know of it. Its hold in the ledger has the same id.
CREATE TABLE tasks.tasks (
  task_id uuid PRIMARY KEY,                            -- time-ordered: lists go by it
  account_id uuid NOT NULL,
  key_id uuid,                                         -- the key that ordered it
  request_id uuid NOT NULL,
  model text NOT NULL,
  parameter_table text NOT NULL,                       -- T1 … T19
  parameters json NOT NULL,                            -- as accepted, defaults filled in
  media json,                                          -- the files of ours that stand in for the URLs among them; null: not taken yet
  callback_url text,                                   -- where its owner wants to hear of its end
  state tasks.state NOT NULL DEFAULT 'queued',
  price_version integer NOT NULL,
  price_nano bigint NOT NULL CHECK (price_nano >= 0),  -- what is held for it, and the most that is charged
  price_by_files bigint[],                             -- what 1, 2, … files cost, where the number counts; null: price_nano
  cost_state tasks.cost_state NOT NULL DEFAULT 'held',
  charged_nano bigint,
  attempts integer NOT NULL DEFAULT 0,                 -- submissions begun
  attempt_id uuid,                                     -- of the last one; nobody can guess it
  upstream text,                                       -- where that went, as the catalogue names it
  upstream_model text,
  credential_name text,
  handle json,                                         -- what the upstream's adapter needs to ask for it
  upstream_cost json,                                  -- what the upstream said it cost
  upstream_cost_nano bigint,                           -- what the catalogue says that it costs us
  result json,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,                              -- when an upstream had taken it
  completed_at timestamptz,
  deadline_at timestamptz NOT NULL,
  CONSTRAINT ended CHECK ((state IN ('completed', 'failed')) = (completed_at IS NOT NULL)),
  CONSTRAINT has_result CHECK ((state = 'completed') = (result IS NOT NULL)),
  CONSTRAINT has_error CHECK ((state = 'failed') = (error_code IS NOT NULL) AND (error_code IS NULL) = (error_message IS NULL)),
  CONSTRAINT paid CHECK (cost_state = CASE state WHEN 'completed' THEN 'charged' WHEN 'failed' THEN 'released' ELSE 'held' END::tasks.cost_state),
  CONSTRAINT within_hold CHECK ((state = 'completed') = (charged_nano IS NOT NULL) AND charged_nano BETWEEN 0 AND price_nano)
) WITH (fillfactor = 80);
CREATE INDEX tasks_of_account ON tasks.tasks (account_id, task_id);
CREATE INDEX living_tasks_of_account ON tasks.tasks (account_id, task_id) WHERE state IN ('queued', 'processing');
CREATE UNIQUE INDEX tasks_by_attempt ON tasks.tasks (attempt_id) WHERE attempt_id IS NOT NULL;

CREATE TYPE tasks.phase AS ENUM (
  'held',             -- accepted and paid for; its media are still to be taken
  'ready',            -- to be submitted
  'submitting',       -- written before the call: whoever finds it so does not know whether the upstream has it
  'submit_unknown',   -- sent, and nobody knows whether it was taken
  'running',          -- taken by the upstream, whose handle is known
  'collecting',       -- done there; its files are being copied
  'watching'          -- failed here by its deadline; the upstream is still asked now and then
);

-- The next step of each task that has one. Narrow, because rows change at the rate of polls; gone when nothing is left to do.
CREATE TABLE tasks.jobs (
  task_id uuid PRIMARY KEY REFERENCES tasks.tasks,
  phase tasks.phase NOT NULL,
  lane text NOT NULL,                                  -- steps that share a bound: a slow one holds up its own lane only
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- of a leased one: until when its lease lasts
  lease_id uuid,                                       -- who works at it; a new lease takes it over
  woken boolean NOT NULL DEFAULT false,                -- something happened during the lease: due again as soon as that ends
  polls integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,                    -- of this step, that came to nothing
  progress real,                                       -- 0 to 1, as the upstream says
  queue_position integer,
  phase_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- since when it is in this phase
  cancel_requested_at timestamptz,
  heard_id text                                        -- the upstream's id for it, told by a callback to its attempt
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX jobs_by_lane ON tasks.jobs (lane, due_at);

-- What happened to each task, in order: rows of one task are written under its lock. For its owner's event stream, audit and support.
CREATE TABLE tasks.events (
  task_id uuid NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL,
  detail json,
  PRIMARY KEY (task_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE FUNCTION tasks.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tasks.events
  FOR EACH STATEMENT EXECUTE FUNCTION tasks.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON tasks.events FROM CURRENT_USER;

-- Ends that are to be told to the owner's own server: written in the transaction that ends the task.
CREATE TABLE tasks.webhooks (
  webhook_id uuid PRIMARY KEY,
  task_id uuid NOT NULL REFERENCES tasks.tasks,
  account_id uuid NOT NULL,
  url text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz DEFAULT clock_timestamp(),        -- moved on by whoever delivers it now; null: over
  delivered_at timestamptz,
  CHECK (delivered_at IS NULL OR due_at IS NULL)
) WITH (fillfactor = 70);
CREATE INDEX webhooks_by_due ON tasks.webhooks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_of_task ON tasks.webhooks (task_id);

-- The delivery log.
CREATE TABLE tasks.webhook_tries (
  webhook_id uuid NOT NULL REFERENCES tasks.webhooks,
  try integer NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  status integer,                                      -- what was answered; null: nothing
  error text,
  took_ms integer NOT NULL,
  PRIMARY KEY (webhook_id, try)
);
