-- What the fiscal receipt of a payment says (54-FZ), as of its beginning: asked for again under the same idempotence key, the provider has to get
-- the same, whatever the catalogue says by then. Null: the shop issues none through us.
ALTER TABLE payments.payments ADD COLUMN receipt jsonb CHECK (receipt IS NULL OR (jsonb_typeof(receipt) = 'object' AND email IS NOT NULL));
