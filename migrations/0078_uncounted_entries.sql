-- An account's entries that its daily sums do not have yet, as the asking statement sees them. A function, because nobody can tell beforehand
-- how few they are: planned together with the rest of a statement they pass for a third of the ledger, and that is what it is prepared for.
CREATE FUNCTION usage.uncounted_entries(p_account uuid) RETURNS SETOF ledger.entries LANGUAGE plpgsql STABLE ROWS 500
  SET enable_seqscan = off SET jit = off AS $$
DECLARE
  counted CONSTANT bigint := coalesce((SELECT f.through_seq FROM usage.folds f WHERE f.account_id = p_account), 0);
BEGIN
  RETURN QUERY SELECT * FROM ledger.entries e WHERE e.account_id = p_account AND e.seq > counted ORDER BY e.seq;
END $$;
