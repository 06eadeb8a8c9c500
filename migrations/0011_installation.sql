-- What operators decide about the installation: its name and looks, and who may sign up (docs/decisions/0031-own-brand.md).

CREATE SCHEMA installation;

-- Every version that was ever in force, as one document; the newest is in force. A part that it lacks is as it is by default.
CREATE TABLE installation.settings (
  version integer PRIMARY KEY CHECK (version > 0),
  settings jsonb NOT NULL CHECK (jsonb_typeof(settings) = 'object'),
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION installation.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER settings_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON installation.settings
  FOR EACH STATEMENT EXECUTE FUNCTION installation.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON installation.settings FROM CURRENT_USER;

-- The pictures that they name: PNG that we wrote ourselves. What no version names goes after a day.
CREATE TABLE installation.images (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),   -- SHA-256 of the bytes
  bytes bytea NOT NULL CHECK (length(bytes) BETWEEN 1 AND 262144),
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Codes with which strangers may sign up, where the settings ask for one. A use counts when the e-mail is confirmed.
CREATE TABLE installation.sign_up_codes (
  code_id uuid PRIMARY KEY,
  code_hash bytea NOT NULL UNIQUE CHECK (length(code_hash) = 32),   -- HMAC; the code itself was shown once
  hint text NOT NULL CHECK (length(hint) BETWEEN 1 AND 20),         -- its beginning, to know it by
  note text CHECK (length(note) BETWEEN 1 AND 200),
  most_uses integer CHECK (most_uses > 0),                          -- null: any number
  uses integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz,                                           -- null: never
  deleted_at timestamptz,
  CONSTRAINT never_overused CHECK (uses >= 0 AND uses <= coalesce(most_uses, uses))
);

-- Of one who signed up with it and has not confirmed the e-mail yet, or has.
ALTER TABLE accounts.members ADD sign_up_code_id uuid REFERENCES installation.sign_up_codes;
CREATE INDEX members_by_sign_up_code ON accounts.members (sign_up_code_id) WHERE sign_up_code_id IS NOT NULL;

-- What members agreed to, and when: the wording of a version is in installation.settings.
CREATE TABLE accounts.consents (
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  consent_id uuid NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  agreed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (member_id, consent_id, version)
);
