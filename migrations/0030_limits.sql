-- Rate limits: how much each subject (an opaque id; the gateway's are API keys and accounts) has used of what it may use each minute, and
-- how many of its requests run. The limits themselves come with each question. All tables are unlogged: a count of the last minute need not
-- survive a crash of the database server, and so a decision writes no log and waits for no disk.
CREATE SCHEMA limits;

-- Two buckets a subject. A limit of N a minute is a bucket that holds N and gets N back each minute, evenly. What was taken and has not
-- flowed back is counted in sixty-millionths, because then N of them flow back each microsecond and every figure is whole.
CREATE UNLOGGED TABLE limits.subjects (
  subject_id uuid PRIMARY KEY,
  requests_used bigint NOT NULL DEFAULT 0 CHECK (requests_used >= 0),
  tokens_used bigint NOT NULL DEFAULT 0 CHECK (tokens_used >= 0),   -- may be above the limit: a debt
  as_of_us bigint NOT NULL DEFAULT 0                                -- microseconds since 1970, by the database's clock
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The requests that run now, of subjects with a limit on them.
CREATE UNLOGGED TABLE limits.running (
  subject_id uuid NOT NULL,
  request_id uuid NOT NULL,
  owner_id uuid NOT NULL,                                           -- the process that will say when it has ended
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (subject_id, request_id)
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Processes whose requests count, and until when they are believed alive.
CREATE UNLOGGED TABLE limits.owners (
  owner_id uuid PRIMARY KEY,
  alive_until timestamptz NOT NULL,
  steady_since timestamptz NOT NULL                                 -- it has kept its lease without a gap since then
);

-- A lease far in the future was written before the clock was set back: it is not believed either.
CREATE FUNCTION limits.is_alive(alive_until timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT alive_until > clock_timestamp() AND alive_until < clock_timestamp() + interval '2 minutes'
$$;

-- What is left of `used` after so many microseconds at this rate a minute. A clock that was set back gives nothing back and takes nothing.
-- Without a rate it stays as it is: whoever asks without a limit, because it is new and not known everywhere yet, must not empty the count.
CREATE FUNCTION limits.after_flow(used bigint, rate integer, elapsed_us bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN rate IS NULL THEN used ELSE greatest(0, used - least(greatest(elapsed_us, 0), used / rate + 1) * rate) END
$$;

-- Decides a batch: notes requests that run (placed) and requests that have ended, gives tokens back or takes more (corrections), and then
-- lets each asking request in, in order of arrival, if every limit of both its subjects has room for it, or takes nothing of it.
-- p_subjects is ascending and distinct; its limits are null where there are none. p_first and p_second point from the asking requests into
-- it (second 0: none). A request asks for one request, p_tokens tokens (of each bucket at most what that can hold), and one place.
-- Returns, for each asking request, whether it is in, and per subject what is used after that: sixty-millionths, and places.
-- The rows of all subjects are locked first, in ascending order, so that no two batches of any processes wait for each other in a circle.
CREATE FUNCTION limits.decide_many(
  p_owner uuid,
  p_subjects uuid[], p_requests_limits integer[], p_tokens_limits integer[], p_concurrent_limits integer[], p_corrections bigint[],
  p_placed_subjects uuid[], p_placed uuid[], p_ended_subjects uuid[], p_ended uuid[],
  p_asking uuid[], p_first integer[], p_second integer[], p_tokens integer[],
  OUT at_us bigint, OUT admitted boolean[],
  OUT first_requests bigint[], OUT first_tokens bigint[], OUT first_running bigint[],
  OUT second_requests bigint[], OUT second_tokens bigint[], OUT second_running bigint[]) LANGUAGE plpgsql AS $$
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
END $$;

-- Renews a process's lease, and clears away what nobody will end any more. `late`: there was no lease, or it had run out, so others may
-- have cleared away what this process has running, or a crash of the server did: it has to be noted again.
-- Of its own, what has been here for a lease's time and is not in p_running: its end was not heard, or nobody heard that it was let in.
-- Of others, everything of a process without a lease. After a standstill of the database all leases have run out, so a process judges
-- others only after it kept its own for as long as a lease lasts; by then whoever is alive has renewed. A dead process's lease is removed
-- under its row's lock, and only then its requests: it cannot renew in between without hearing that it is late.
CREATE FUNCTION limits.beat(p_owner uuid, p_lease interval, p_running uuid[], OUT late boolean) LANGUAGE plpgsql AS $$
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
END $$;
