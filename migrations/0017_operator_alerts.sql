-- Alerts of the installation for its operators (docs/decisions/0043-telegram.md).
-- Oldest version that may run beside it: 0.1.0

-- What operators are told of the installation, each kind by one rule. What it told of and is not over is kept with when it was seen last, so
-- that each trouble is told once, whichever process looks.
CREATE TABLE alerts.operator_rules (
  kind text PRIMARY KEY CHECK (kind IN ('circuit_open', 'receipts_parked', 'payments_late', 'margin_below')),
  enabled boolean NOT NULL,
  percent integer CHECK (percent BETWEEN -100 AND 100),      -- of the margin
  mail boolean NOT NULL DEFAULT true,
  telegram boolean NOT NULL DEFAULT true,
  notified jsonb NOT NULL DEFAULT '{}',
  fired_at timestamptz,
  CHECK ((kind = 'margin_below') = (percent IS NOT NULL))
);
INSERT INTO alerts.operator_rules (kind, enabled, percent) VALUES
  ('circuit_open', true, NULL), ('receipts_parked', true, NULL), ('payments_late', true, NULL), ('margin_below', false, 10);
