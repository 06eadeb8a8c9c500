-- A page takes few arrays: what one costs when it is written is its parameters, not its columns. Functions read pages through a view that
-- gives each kind of value its column again. What is booked is the same.
-- Oldest version that may run beside it: 0.1.0

ALTER TABLE ledger.pages
  -- Of so many requests that ended, column behind column: see ledger.page_columns. Older versions, and the functions that end a single request,
  -- write the columns themselves. No CHECK and no generated column: the server reads their expressions anew for each page, a fifth of its time.
  ADD ended integer, ADD ids uuid[], ADD words text[], ADD numbers bigint[],
  ALTER request_ids DROP NOT NULL, ALTER account_ids DROP NOT NULL, ALTER hold_ids DROP NOT NULL,
  ALTER held DROP NOT NULL, ALTER charges DROP NOT NULL, ALTER price_versions DROP NOT NULL,
  ALTER ids SET STORAGE EXTERNAL, ALTER words SET STORAGE EXTERNAL, ALTER numbers SET STORAGE EXTERNAL;

-- Every page, whichever way it was written; arrays of one group are aligned.
CREATE VIEW ledger.page_columns AS
SELECT g.journal_id, g.page_no, g.at,
  coalesce(g.request_ids, g.ids[1 : g.ended]) AS request_ids,
  coalesce(g.account_ids, g.ids[g.ended + 1 : 2 * g.ended]) AS account_ids,
  coalesce(g.hold_ids, g.ids[2 * g.ended + 1 : 3 * g.ended]) AS hold_ids,
  coalesce(g.held, g.numbers[1 : g.ended]) AS held,
  coalesce(g.charges, g.numbers[g.ended + 1 : 2 * g.ended]) AS charges,
  coalesce(g.price_versions, g.numbers[2 * g.ended + 1 : 3 * g.ended]::integer[]) AS price_versions,
  g.losses, g."references", g.noted,
  coalesce(g.endpoints, g.words[1 : g.ended]) AS endpoints,
  coalesce(g.models_requested, g.words[g.ended + 1 : 2 * g.ended]) AS models_requested,
  coalesce(g.models, g.words[2 * g.ended + 1 : 3 * g.ended]) AS models,
  coalesce(g.states, g.words[3 * g.ended + 1 : 4 * g.ended]) AS states,
  coalesce(g.upstreams, g.words[4 * g.ended + 1 : 5 * g.ended]) AS upstreams,
  -- Milliseconds since 1970.
  coalesce(g.started_at, ARRAY(
    SELECT timestamptz 'epoch' + u.ms * interval '1 millisecond'
    FROM unnest(g.numbers[9 * g.ended + 1 : 10 * g.ended]) WITH ORDINALITY AS u (ms, nth) ORDER BY u.nth)) AS started_at,
  g.details, g.faults,
  coalesce(g.input_tokens, g.numbers[3 * g.ended + 1 : 4 * g.ended]) AS input_tokens,
  coalesce(g.cached_tokens, g.numbers[4 * g.ended + 1 : 5 * g.ended]) AS cached_tokens,
  coalesce(g.output_tokens, g.numbers[5 * g.ended + 1 : 6 * g.ended]) AS output_tokens,
  coalesce(g.costs, g.numbers[6 * g.ended + 1 : 7 * g.ended]) AS costs,
  coalesce(g.durations, g.numbers[7 * g.ended + 1 : 8 * g.ended]::integer[]) AS durations,
  coalesce(g.firsts, g.numbers[8 * g.ended + 1 : 9 * g.ended]::integer[]) AS firsts,
  g.note_ids, g.note_accounts, g.note_holds, g.note_held, g.note_recorded, g.note_versions, g.note_details,
  g.given_accounts, g.given_holds, g.given
FROM ledger.pages g;

DO $$
DECLARE
  definition text;
  reader record;
BEGIN
  -- How often each reads pages; post_pages deletes them, too.
  FOR reader IN
    SELECT * FROM (VALUES ('post_shard', 11), ('post_pages', 1), ('post_journal', 1), ('seal_month', 1)) AS r (name, places)
  LOOP
    SELECT pg_get_functiondef(p.oid) INTO STRICT definition
    FROM pg_proc p WHERE p.pronamespace = 'ledger'::regnamespace AND p.proname = reader.name;
    definition := replace(definition, 'DELETE FROM ledger.pages ', 'DELETE FROM ledger.PAGES ');
    IF (length(definition) - length(replace(definition, 'ledger.pages ', ''))) / length('ledger.pages ') <> reader.places THEN
      RAISE EXCEPTION 'pages are not read as they were: %', definition;
    END IF;
    definition := replace(definition, 'ledger.pages ', 'ledger.page_columns ');
    EXECUTE replace(definition, 'DELETE FROM ledger.PAGES ', 'DELETE FROM ledger.pages ');
  END LOOP;
END $$;
