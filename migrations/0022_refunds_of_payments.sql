-- How much of a payment was refunded here, and how much at the provider's own site (docs/decisions/0050-refunds.md).
-- Oldest version that may run beside it: 0.1.0

ALTER TABLE payments.payments
  ADD refunds_nano bigint NOT NULL DEFAULT 0,            -- by payments.refunds that were not refused; the ledger has taken it
  ADD refunded_elsewhere_nano bigint NOT NULL DEFAULT 0, -- of refunded_nano: what is in no row of payments.refunds; operators were told of it
  ADD CHECK (refunds_nano BETWEEN 0 AND amount_nano),
  ADD CHECK (refunded_elsewhere_nano >= 0);

-- Until now all of it was.
UPDATE payments.payments SET refunded_elsewhere_nano = refunded_nano WHERE refunded_nano > 0;
