-- What is left with the providers of upstreams (docs/decisions/0049-balances-and-lists-of-upstreams.md).
-- Oldest version that may run beside it: 0.1.0

-- What a provider told of the money that was paid to it, for upstreams whose catalogue entry says how it is asked. Amounts are billionths of
-- the provider's own currency, and no money of the ledger.
CREATE TABLE operate.upstream_balances (
  upstream text PRIMARY KEY,
  due_at timestamptz NOT NULL,                    -- not asked before; moved by the process that asks, before it does
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  failure text CHECK (failure IN ('no_credential', 'no_answer', 'refused', 'not_understood', 'unlimited')),
  failure_status integer,                         -- HTTP
  reported_at timestamptz,                        -- when it told the amount
  amount bigint,
  currency text CHECK (length(currency) <= 12),
  below bigint,                                   -- operators are told of less
  samples jsonb NOT NULL DEFAULT '[]',            -- an hour apart, for how long it lasts
  CHECK ((reported_at IS NULL) = (amount IS NULL) AND (reported_at IS NULL) = (currency IS NULL))
);

ALTER TABLE alerts.operator_rules DROP CONSTRAINT operator_rules_kind_check;
ALTER TABLE alerts.operator_rules ADD CONSTRAINT operator_rules_kind_check
  CHECK (kind IN ('circuit_open', 'receipts_parked', 'payments_late', 'margin_below', 'balance_below'));
INSERT INTO alerts.operator_rules (kind, enabled, percent) VALUES ('balance_below', true, NULL);
