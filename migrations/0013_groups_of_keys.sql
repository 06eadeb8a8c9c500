-- Groups of keys: a budget around those of its keys, in which whatever is held and charged by one of them is held and charged, too
-- (docs/decisions/0034-groups-of-keys.md).

CREATE TABLE keys.groups (
  account_id uuid NOT NULL,
  group_id uuid NOT NULL,                              -- also of its budget in the ledger
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  models text[] CHECK (cardinality(models) BETWEEN 1 AND 100),   -- the only ones that its keys may call; null: all
  created_at timestamptz NOT NULL DEFAULT now(),
  frozen_at timestamptz,                               -- switched off for a while; its budget is closed as long
  deleted_at timestamptz,                              -- set once, when no key is in it any more; the row stays for its name
  once uuid,                                           -- of the form that made it: sent twice, it makes one group
  PRIMARY KEY (account_id, group_id)
);
CREATE UNIQUE INDEX groups_made_once ON keys.groups (account_id, once) WHERE once IS NOT NULL;
-- What groups are called, in lists of several accounts.
CREATE INDEX groups_by_id ON keys.groups (group_id);

ALTER TABLE keys.keys ADD COLUMN group_id uuid;        -- null: in none
CREATE INDEX keys_by_group ON keys.keys (account_id, group_id) WHERE group_id IS NOT NULL;

-- What a grant goes by: it is refused where a process remembers another group than this. Of what was granted, the hold's own row says where it stands.
ALTER TABLE ledger.budgets ADD COLUMN group_id uuid;   -- the budget around this one; null: none

-- What was spent, by group, too: hours have said so all along.
ALTER TABLE usage.daily ADD COLUMN group_id uuid, DROP CONSTRAINT one_of_a_day,
  ADD CONSTRAINT one_of_a_day UNIQUE NULLS NOT DISTINCT (account_id, day, key_id, group_id, kind, model);
CREATE OR REPLACE VIEW usage.days AS
  SELECT account_id, day, key_id, kind, model, ended, failed, charged_nano, input_tokens, cached_tokens, output_tokens, group_id FROM usage.daily
  UNION ALL
  SELECT account_id, (hour AT TIME ZONE 'Europe/Moscow')::date, key_id, kind, model, ended, CASE state WHEN 'failed' THEN ended ELSE 0 END,
    charged_nano, input_tokens, cached_tokens, output_tokens, group_id
  FROM usage.hourly WHERE hour >= (SELECT (t.day + 1)::timestamp AT TIME ZONE 'Europe/Moscow' FROM usage.daily_through t);

-- As it was, with the group of each.
DROP FUNCTION ledger.lock_budgets(uuid[], uuid[]);
CREATE FUNCTION ledger.lock_budgets(
  p_accounts uuid[], p_budgets uuid[], OUT closed boolean[], OUT room bigint[], OUT held bigint[], OUT group_id uuid[]) LANGUAGE plpgsql AS $$
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
END $$;

-- Sets money aside for a batch, each row decided exactly and in order: later ones see what earlier ones took.
-- p_accounts and p_budgets are ascending and distinct; the positions point from the rows into them (budget 0: none). p_budget_accounts says
-- whose each budget is: one of another account is as good as closed.
-- A row with a lease id gets that lease, new or grown by what is wanted, at most 5 % of the room, where this covers the most it asks for.
-- Else it gets a hold of its own: the full amount if four of it fit, else the slice if it fits, else the minimum, else nothing.
-- A row that grows raises the hold that it names by its minimum, also in a closed budget and a blocked account.
-- codes: 0 full, 1 slice, 2 minimum, 9 lease (amounts: set aside) · 3 insufficient balance, 4 limit exceeded (amounts: available; others: held)
--        5 budget closed, 6 account blocked, 7 unknown account · 8 there is no such hold to grow · 10 the journal is fenced
--        11 limit of the group exceeded (as 4), 12 the group is closed · 13 the budget lies in another group than the row says, or in none.
-- The group is the third budget. A row that grows names the group that its hold stands in, wherever the budget lies by now.
-- p_retry: an earlier run of these rows may have been committed; what it granted is reported instead of granted twice.
CREATE OR REPLACE FUNCTION ledger.grant_shard(
  p_journal uuid, p_accounts uuid[], p_budget_accounts uuid[], p_budgets uuid[],
  p_account_at integer[], p_budget_at integer[], p_budget2_at integer[], p_budget3_at integer[],
  p_hold_ids uuid[], p_lease_ids uuid[], p_lease_wants bigint[], p_tokens bigint[], p_full bigint[], p_slice bigint[], p_minimum bigint[], p_grows boolean[],
  p_price_versions integer[], p_references text[], p_details text[], p_retry boolean,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
      JOIN ledger.holds h USING (account_id, hold_id) ORDER BY h.hold_id FOR NO KEY UPDATE OF h)
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
END $$;
