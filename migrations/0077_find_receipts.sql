-- Finds the receipts of a key, a model, a state, or of all three, in order, however rare they are among an account's millions: a search goes
-- through the few combinations that there are. The one index besides that of the account's own list, because every request pays for it.
CREATE INDEX requests_by_kind ON usage.requests (account_id, key_id, model, state, request_id);
