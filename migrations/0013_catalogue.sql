-- Every catalogue that was ever in force. The newest version is the one in force; a hold names the version it was priced by.
CREATE TABLE catalogue.versions (
  version integer PRIMARY KEY CHECK (version > 0),
  -- The file as it was written, ${NAME} references unreplaced, so that no value of the environment is stored.
  source text NOT NULL,
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  -- file: taken from the CATALOGUE file at a start; apply: put in force by a command or the panel.
  origin text NOT NULL CHECK (origin IN ('file', 'apply')),
  applied_by text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION catalogue.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER versions_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON catalogue.versions
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON catalogue.versions FROM CURRENT_USER;
