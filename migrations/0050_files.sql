-- Which files exist, whose they are and until when they are served. Their bytes lie in the object storage under the same name.
CREATE SCHEMA files;

-- A row is made before the first byte is stored, so that whatever lies in the storage is named here or in files.removals.
CREATE TYPE files.state AS ENUM (
  'receiving',   -- a process reads it; nobody else sees it
  'stored',      -- served, until expires_at
  'expired',     -- its time was over
  'deleted'      -- its owner did not want it any longer
);
CREATE TYPE files.origin AS ENUM ('upload', 'fetched');

CREATE TABLE files.files (
  file_id uuid PRIMARY KEY,                            -- time-ordered: lists go by it
  name text NOT NULL UNIQUE CHECK (name ~ '^[0-9a-z]{32}\.[0-9a-z]{1,8}$'),
  account_id uuid NOT NULL,
  key_id uuid,                                         -- the key that it came with
  origin files.origin NOT NULL,
  state files.state NOT NULL DEFAULT 'receiving',
  owner_id uuid NOT NULL,                              -- the process that received it
  file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),   -- as its sender called it; only ever shown
  content_type text NOT NULL,                          -- read from its bytes
  inline boolean NOT NULL,                             -- a browser may show it
  bytes bigint CHECK (bytes > 0),
  sha256 bytea CHECK (length(sha256) = 32),
  verdict jsonb,                                       -- what measuring it said; null: it was not measured
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  stored_at timestamptz,
  expires_at timestamptz,
  ended_at timestamptz,                                -- when it was found expired, or deleted
  CHECK ((state = 'receiving') = (stored_at IS NULL)),
  CHECK (stored_at IS NULL OR (bytes IS NOT NULL AND sha256 IS NOT NULL AND expires_at IS NOT NULL)),
  CHECK ((state IN ('expired', 'deleted')) = (ended_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX files_of_account ON files.files (account_id, file_id) WHERE state = 'stored';
CREATE INDEX files_by_expiry ON files.files (expires_at) WHERE state = 'stored';
CREATE INDEX files_by_end ON files.files (ended_at) WHERE state IN ('expired', 'deleted');
CREATE INDEX files_being_received ON files.files (owner_id, created_at) WHERE state = 'receiving';

-- The sum of each account's stored files, changed in the transaction that changes their state: this row decides about the quota.
CREATE TABLE files.usage (
  account_id uuid PRIMARY KEY,
  bytes bigint NOT NULL CHECK (bytes >= 0),
  files bigint NOT NULL CHECK (files >= 0)
) WITH (fillfactor = 50);

-- Objects that are nobody's any more and still to be removed from the storage: written in the transaction that gives the file up.
CREATE TABLE files.removals (
  name text PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),   -- moved on by whoever removes it now
  again_at timestamptz                                     -- a process taken for dead may still finish writing it: then it is removed once more
);
CREATE INDEX removals_by_due ON files.removals (due_at);
