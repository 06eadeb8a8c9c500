-- A budget may take another's place: what was used of the limit before is used of it still.
ALTER TABLE ledger.budgets
  ADD COLUMN follows uuid,                             -- the budget whose place it took
  ADD COLUMN carried_nano bigint NOT NULL DEFAULT 0,   -- counted in period_charged_nano, but charged to those before it,
  ADD COLUMN carried_at timestamptz,                   -- for as long as the period of this moment runs
  DROP CONSTRAINT limit_kept,
  ADD CONSTRAINT limit_kept CHECK (period_charged_nano >= 0 AND charged_nano + carried_nano >= period_charged_nano AND held_nano >= 0
                                   AND carried_nano >= 0 AND period_charged_nano + held_nano - excess_nano <= limit_nano);
