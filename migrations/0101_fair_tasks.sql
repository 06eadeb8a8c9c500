-- Tasks: whose turn it is where an upstream takes only so many, shared out by account; and how many unfinished tasks a key and an account may have.
ALTER TABLE keys.keys ADD COLUMN max_tasks integer CHECK (max_tasks > 0);
ALTER TABLE accounts.accounts ADD COLUMN max_tasks integer CHECK (max_tasks > 0);

-- Tasks that asked for a turn at an upstream and got none. Gone with the job, and when the task is submitted anywhere.
CREATE TABLE tasks.submit_waits (
  task_id uuid PRIMARY KEY REFERENCES tasks.jobs ON DELETE CASCADE,
  upstream text NOT NULL,
  account_id uuid NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX submit_waits_by_account ON tasks.submit_waits (upstream, account_id, since);

-- When each account last had a turn: the next one is of the account that waits for it the longest.
CREATE TABLE tasks.submit_shares (
  upstream text NOT NULL,
  account_id uuid NOT NULL,
  last_at timestamptz NOT NULL DEFAULT '-infinity',
  offered_at timestamptz,                              -- a turn was kept for it, and none of its tasks has asked since
  PRIMARY KEY (upstream, account_id)
) WITH (fillfactor = 70);

-- Those that an upstream has, or may have, are counted from the jobs themselves: whoever dies, the count is right.
CREATE INDEX jobs_being_submitted ON tasks.jobs (task_id) WHERE phase IN ('submitting', 'submit_unknown');

-- Takes a turn for a task: wait_ms is 0, and the turn is gone when the transaction commits. Else the milliseconds until it should ask again,
-- how many tasks of its account wait there, and of how many accounts.
-- p_count turns in any p_window (null: no such limit), p_running tasks under way at once (null: no such limit), all processes together.
-- A free turn is kept for an account that waits and had its last turn earlier: its oldest waiting task is woken, and for three seconds the others
-- stand back. Locks are taken in this order: the upstream's row, jobs, waits, shares.
CREATE FUNCTION tasks.take_turn(
  p_upstream text, p_task uuid, p_account uuid, p_count integer, p_window interval, p_running integer,
  OUT wait_ms float8, OUT mine bigint, OUT accounts bigint) LANGUAGE plpgsql AS $$
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
          SELECT FROM tasks.jobs j JOIN tasks.tasks t USING (task_id)
          WHERE j.phase IN ('submitting', 'submit_unknown') AND t.upstream = p_upstream AND j.task_id <> p_task) there) END);
    EXIT WHEN free <= 0;
  END LOOP;

  PERFORM FROM tasks.jobs WHERE task_id = p_task FOR NO KEY UPDATE;
  IF free > 0 THEN
    my_last := coalesce((SELECT last_at FROM tasks.submit_shares WHERE upstream = p_upstream AND account_id = p_account), '-infinity');
    my_since := coalesce((SELECT since FROM tasks.submit_waits WHERE task_id = p_task AND upstream = p_upstream), now_at);
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
      INSERT INTO tasks.submit_shares (upstream, account_id, last_at) VALUES (p_upstream, p_account, now_at)
      ON CONFLICT (upstream, account_id) DO UPDATE SET last_at = excluded.last_at, offered_at = NULL;
      IF random() < 0.01 THEN
        DELETE FROM tasks.submit_shares s WHERE s.upstream = p_upstream AND s.last_at < now_at - interval '1 day'
          AND NOT EXISTS (SELECT FROM tasks.submit_waits w WHERE w.upstream = s.upstream AND w.account_id = s.account_id);
      END IF;
      wait_ms := 0;
      RETURN;
    END IF;
    next_tasks := ARRAY (
      SELECT j.task_id FROM tasks.jobs j WHERE j.task_id = ANY (ARRAY (
        SELECT DISTINCT ON (w.account_id) w.task_id FROM tasks.submit_waits w JOIN tasks.submit_shares s USING (upstream, account_id)
        WHERE w.upstream = p_upstream AND w.account_id = ANY (ahead) AND s.offered_at IS NULL ORDER BY w.account_id, w.since))
      FOR NO KEY UPDATE SKIP LOCKED);
    UPDATE tasks.jobs SET woken = true, due_at = CASE WHEN lease_id IS NULL THEN least(due_at, now_at) ELSE due_at END
    WHERE task_id = ANY (next_tasks);
    UPDATE tasks.submit_shares SET offered_at = now_at WHERE upstream = p_upstream AND account_id = ANY (ahead) AND offered_at IS NULL;
    IF cardinality(next_tasks) > 0 THEN PERFORM pg_notify('tollgate_task_work', ''); END IF;
    wait_ms := stand_back_ms;
  ELSE
    wait_ms := greatest(1,
      CASE WHEN p_count <= cardinality(turns)
        THEN extract(epoch FROM turns[cardinality(turns) - p_count + 1] + p_window - now_at) * 1000 ELSE full_ms END);
  END IF;
  INSERT INTO tasks.submit_waits (task_id, upstream, account_id)
  SELECT p_task, p_upstream, p_account WHERE EXISTS (SELECT FROM tasks.jobs WHERE task_id = p_task)
  ON CONFLICT (task_id) DO UPDATE SET upstream = excluded.upstream WHERE submit_waits.upstream <> excluded.upstream;
  INSERT INTO tasks.submit_shares AS s (upstream, account_id) VALUES (p_upstream, p_account)
  ON CONFLICT (upstream, account_id) DO UPDATE SET offered_at = NULL WHERE s.offered_at IS NOT NULL;
  SELECT count(*) FILTER (WHERE account_id = p_account), count(DISTINCT account_id) INTO mine, accounts
  FROM tasks.submit_waits WHERE upstream = p_upstream;
END $$;
