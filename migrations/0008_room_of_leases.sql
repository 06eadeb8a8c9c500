-- A process that gets a lease is told what was free, so that it can keep one that is a trifle of that.

-- One branch of ledger.grant_shard; the rest of it is as it stands.
DO $$
DECLARE
  before CONSTANT text := 'amount := least(p_lease_wants[i], room / 20); leases[i] := true;';
  definition CONSTANT text := pg_get_functiondef((SELECT oid FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace AND proname = 'grant_shard'));
BEGIN
  IF strpos(definition, before) = 0 THEN
    RAISE EXCEPTION 'ledger.grant_shard does not grant leases as it did';
  END IF;
  EXECUTE replace(definition, before, before || ' other := room;');
END $$;
