-- Answers of POST /v1/responses that are kept for their accounts, so that a conversation can go on from one: sealed, for a time, within the
-- room that an account has for its files.

-- ==== files: room for what is kept beside files ===================================================

ALTER TABLE files.usage ADD COLUMN kept_bytes bigint NOT NULL DEFAULT 0 CHECK (kept_bytes >= 0);   -- of what is no file and counts all the same

-- Takes room for something that is no file. False: the account has not so much.
CREATE FUNCTION files.take_room(p_account uuid, p_bytes bigint, p_quota bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO files.usage AS u (account_id, bytes, files, kept_bytes) SELECT p_account, 0, 0, p_bytes WHERE p_bytes <= p_quota
  ON CONFLICT (account_id) DO UPDATE SET kept_bytes = u.kept_bytes + excluded.kept_bytes
    WHERE u.bytes + u.kept_bytes + excluded.kept_bytes <= p_quota;
  RETURN FOUND;
END $$;

-- Gives it back.
CREATE FUNCTION files.give_room(p_account uuid, p_bytes bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE files.usage SET kept_bytes = kept_bytes - p_bytes WHERE account_id = p_account
$$;

-- ==== responses ===================================================================================

CREATE SCHEMA responses;

CREATE TABLE responses.responses (
  account_id uuid NOT NULL,
  response_id text NOT NULL CHECK (length(response_id) BETWEEN 1 AND 128),   -- as its caller was told it
  request_id uuid NOT NULL,                            -- its receipt
  model text NOT NULL,
  previous_id text,                                    -- the one that it went on from, which may be gone; null: it began a conversation
  anew boolean NOT NULL,                               -- what went on before it is summed up in it, and not put before what follows
  turns integer NOT NULL CHECK (turns > 0),            -- of the conversation up to this one, as far as it would be replayed
  replayed_bytes bigint NOT NULL CHECK (replayed_bytes >= 0),   -- what they come to
  sealed_input bytea NOT NULL,                         -- the items that were sent with it
  sealed_response bytea NOT NULL,                      -- as its caller got it
  bytes bigint NOT NULL CHECK (bytes > 0),             -- of both, which count in files.usage
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, response_id)
);
-- Sealed bytes cannot be packed.
ALTER TABLE responses.responses ALTER COLUMN sealed_input SET STORAGE EXTERNAL, ALTER COLUMN sealed_response SET STORAGE EXTERNAL;
CREATE INDEX responses_by_expiry ON responses.responses (expires_at);

-- Where the items of kept answers are, by the ids that their callers were told.
CREATE TABLE responses.items (
  account_id uuid NOT NULL,
  item_id text NOT NULL CHECK (length(item_id) BETWEEN 1 AND 128),
  response_id text NOT NULL,
  PRIMARY KEY (account_id, item_id),
  FOREIGN KEY (account_id, response_id) REFERENCES responses.responses ON DELETE CASCADE
);
CREATE INDEX items_of_response ON responses.items (account_id, response_id);

-- Keeps one: `kept`; `full`: the account has no room for it; `taken`: another answer of the account has this id. The same request again is kept
-- already.
CREATE FUNCTION responses.keep(
  p_account uuid, p_response text, p_request uuid, p_model text, p_previous text, p_anew boolean, p_turns integer, p_replayed_bytes bigint,
  p_input bytea, p_answer bytea, p_items text[], p_seconds double precision, p_quota bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  size CONSTANT bigint := length(p_input) + length(p_answer);
  keeper uuid;
BEGIN
  SELECT r.request_id INTO keeper FROM responses.responses r WHERE r.account_id = p_account AND r.response_id = p_response;
  IF FOUND THEN
    RETURN CASE WHEN keeper = p_request THEN 'kept' ELSE 'taken' END;
  END IF;
  IF NOT files.take_room(p_account, size, p_quota) THEN
    RETURN 'full';
  END IF;
  INSERT INTO responses.responses (account_id, response_id, request_id, model, previous_id, anew, turns, replayed_bytes, sealed_input, sealed_response,
    bytes, expires_at)
  VALUES (p_account, p_response, p_request, p_model, p_previous, p_anew, p_turns, p_replayed_bytes, p_input, p_answer,
    size, clock_timestamp() + p_seconds * interval '1 second');
  INSERT INTO responses.items (account_id, item_id, response_id)
  SELECT DISTINCT p_account, i.item_id, p_response FROM unnest(p_items) AS i (item_id)
  ON CONFLICT (account_id, item_id) DO UPDATE SET response_id = excluded.response_id;
  RETURN 'kept';
END $$;
