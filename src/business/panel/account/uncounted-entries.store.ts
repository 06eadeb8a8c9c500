/** Entries of all accounts that are not counted yet, as the asking statement sees them. */

/**
 * What an account's last entry is, one step along its index tells: only where it is not counted,
 * the others are looked for.
 */
export const UNCOUNTED_OF_ALL = `
  SELECT e.* FROM ledger.accounts a LEFT JOIN usage.folds f ON f.account_id = a.account_id
  CROSS JOIN LATERAL usage.uncounted_entries(a.account_id) e
  WHERE (SELECT n.seq FROM ledger.entries n WHERE n.account_id = a.account_id ORDER BY n.seq DESC LIMIT 1) > coalesce(f.through_seq, 0)`;
