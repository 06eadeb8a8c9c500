-- What a key and an account may ask for: requests and tokens each minute, and requests at once; null for no limit. What is used of it is
-- counted in the schema limits, under the ids of the key and the account.
ALTER TABLE keys.keys
  ADD COLUMN tokens_per_minute integer CHECK (tokens_per_minute > 0),
  ADD COLUMN max_concurrent integer CHECK (max_concurrent > 0);

ALTER TABLE accounts.accounts
  ADD COLUMN requests_per_minute integer CHECK (requests_per_minute > 0),
  ADD COLUMN tokens_per_minute integer CHECK (tokens_per_minute > 0),
  ADD COLUMN max_concurrent integer CHECK (max_concurrent > 0);
