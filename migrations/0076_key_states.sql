-- Keys that are stopped for a while, and keys that took another's place.
ALTER TABLE keys.keys
  ADD COLUMN frozen_at timestamptz,                    -- its budget is closed as long
  ADD COLUMN rolled_to uuid,                           -- the key that took its place
  ADD COLUMN once uuid;                                -- of the form that made it: sent twice, it makes one key
CREATE UNIQUE INDEX keys_made_once ON keys.keys (account_id, once) WHERE once IS NOT NULL;
