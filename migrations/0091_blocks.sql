-- Accounts that an operator blocked: their keys are refused. That nothing new is held for them is ledger.accounts.blocked, set in the same transaction.
ALTER TABLE accounts.accounts
  ADD COLUMN blocked_at timestamptz,
  ADD COLUMN block_reason text CHECK (length(block_reason) BETWEEN 1 AND 500),   -- its members are shown it
  ADD CONSTRAINT blocked_for_a_reason CHECK ((blocked_at IS NULL) = (block_reason IS NULL));
