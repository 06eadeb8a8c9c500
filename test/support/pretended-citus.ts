/**
 * A database that believes to be on a coordinator of Citus: its catalogues, and the functions that a
 * distribution calls, by the names and signatures of Citus' public source (13.2), over one server. They
 * refuse what Citus refuses, keep what they were called for, and fail where a test wants it.
 */
import { Client } from "pg";

const CATALOGUES = `
  CREATE SCHEMA citus;
  CREATE TYPE citus.distribution_type AS ENUM ('hash', 'range', 'append');
  CREATE TYPE pg_catalog.noderole AS ENUM ('primary', 'secondary', 'unavailable');
  CREATE TABLE pg_catalog.pg_dist_node (nodeid integer PRIMARY KEY, groupid integer NOT NULL, nodename text NOT NULL DEFAULT 'localhost', nodeport integer NOT NULL DEFAULT 5432,
    noderack text NOT NULL DEFAULT 'default', hasmetadata boolean NOT NULL DEFAULT true, isactive boolean NOT NULL DEFAULT true, noderole pg_catalog.noderole NOT NULL DEFAULT 'primary',
    nodecluster name NOT NULL DEFAULT 'default', metadatasynced boolean NOT NULL DEFAULT true, shouldhaveshards boolean NOT NULL DEFAULT true);
  CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text, colocationid integer NOT NULL DEFAULT 0,
    repmodel "char" NOT NULL DEFAULT 's', autoconverted boolean NOT NULL DEFAULT false);
  INSERT INTO pg_catalog.pg_dist_node (nodeid, groupid) VALUES (1, 0), (2, 1), (3, 2);
  -- Of the tests: what was called, what is to fail, who is the coordinator.
  CREATE TABLE citus.calls (nth bigint GENERATED ALWAYS AS IDENTITY, call text NOT NULL, relation text NOT NULL);
  CREATE TABLE citus.faults (relation text PRIMARY KEY, words text NOT NULL);
  CREATE TABLE citus.local_group (groupid integer NOT NULL);
  INSERT INTO citus.local_group VALUES (0);
  GRANT USAGE ON SCHEMA citus TO PUBLIC;
  GRANT SELECT ON pg_catalog.pg_dist_node, pg_catalog.pg_dist_partition TO PUBLIC;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA citus TO PUBLIC`;

// A partkey is the column's name here, which Citus keeps as the text of a node tree.
const FUNCTIONS = `
  CREATE FUNCTION pg_catalog.citus_is_coordinator() RETURNS boolean LANGUAGE sql STRICT SECURITY DEFINER AS
    'SELECT (SELECT groupid FROM citus.local_group) = 0 AND EXISTS (SELECT FROM pg_dist_node WHERE isactive)';
  CREATE FUNCTION pg_catalog.column_to_column_name(table_name regclass, column_var_text text) RETURNS text LANGUAGE sql STRICT AS 'SELECT column_var_text';
  CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(table_name regclass, distribution_value uuid DEFAULT NULL) RETURNS bigint LANGUAGE sql AS
    'SELECT 102008 + get_byte(uuid_send(distribution_value), 15) % 16';
  CREATE FUNCTION citus.begin_call(call text, relation regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE words_of_fault text;
  BEGIN
    IF NOT citus_is_coordinator() THEN RAISE 'operation is not allowed on this node'; END IF;
    IF NOT EXISTS (SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive) THEN RAISE 'no worker nodes are available for placing shards'; END IF;
    IF NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = relation), 'USAGE') THEN RAISE 'must be owner of table %', relation USING ERRCODE = '42501'; END IF;
    EXECUTE format('LOCK TABLE %s IN EXCLUSIVE MODE', relation);
    SELECT words INTO words_of_fault FROM citus.faults f WHERE f.relation = begin_call.relation::text;
    IF FOUND THEN RAISE '%', words_of_fault; END IF;
    IF EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = relation AND NOT (p.partmethod = 'n' AND p.repmodel = 's' AND p.colocationid = 0)) THEN
      RAISE 'table "%" is already distributed', relation;
    END IF;
    IF EXISTS (SELECT FROM pg_trigger t WHERE NOT t.tgisinternal AND (t.tgrelid = relation OR t.tgrelid IN (SELECT relid FROM pg_partition_tree(relation)))) THEN
      RAISE 'cannot distribute relation "%" because it has triggers', relation;
    END IF;
    INSERT INTO citus.calls (call, relation) VALUES (call, begin_call.relation::text);
  END $$;
  CREATE FUNCTION pg_catalog.create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql STRICT SECURITY DEFINER AS $$
  BEGIN
    PERFORM citus.begin_call('create_reference_table', table_name);
    DELETE FROM pg_dist_partition WHERE logicalrelid = table_name;
    INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, 1, 't');
    -- What is tied to it by references becomes known, and stays where it is.
    INSERT INTO pg_dist_partition
      WITH RECURSIVE tied (relation) AS (SELECT table_name::oid UNION SELECT CASE WHEN k.conrelid = t.relation THEN k.confrelid ELSE k.conrelid END
        FROM tied t JOIN pg_constraint k ON k.contype = 'f' AND t.relation IN (k.conrelid, k.confrelid))
      SELECT relation, 'n', NULL, 0, 's', true FROM tied WHERE relation <> table_name::oid ON CONFLICT DO NOTHING;
  END $$;
  CREATE FUNCTION pg_catalog.create_distributed_table(table_name regclass, distribution_column text, distribution_type citus.distribution_type DEFAULT 'hash',
    colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE stray regclass; kin integer;
  BEGIN
    PERFORM citus.begin_call('create_distributed_table', table_name);
    IF colocate_with NOT IN ('default', 'none') AND shard_count IS NOT NULL THEN RAISE 'Cannot use colocate_with with a table and shard_count at the same time'; END IF;
    SELECT k.confrelid INTO stray FROM pg_constraint k WHERE k.conrelid = table_name AND k.contype = 'f' AND k.confrelid <> table_name
      AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = k.confrelid AND (p.partmethod = 'h' OR p.repmodel = 't')) LIMIT 1;
    IF FOUND THEN RAISE 'cannot create foreign key constraint: % is neither distributed nor a reference table', stray; END IF;
    IF EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = table_name AND k.contype = 'f' AND k.confdeltype IN ('n', 'd')) THEN
      RAISE 'SET NULL or SET DEFAULT is not supported in ON DELETE operation when distribution key is included in the foreign key constraint';
    END IF;
    IF colocate_with = 'none' THEN SELECT coalesce(max(colocationid), 1) + 1 INTO kin FROM pg_dist_partition;
    ELSE SELECT p.colocationid INTO STRICT kin FROM pg_dist_partition p WHERE p.logicalrelid = colocate_with::regclass AND p.partmethod = 'h'; END IF;
    DELETE FROM pg_dist_partition WHERE logicalrelid IN (SELECT relid FROM pg_partition_tree(table_name) UNION SELECT table_name);
    INSERT INTO pg_dist_partition SELECT relation, 'h', distribution_column, kin, 's', false
      FROM (SELECT relid FROM pg_partition_tree(table_name) UNION SELECT table_name) AS parts (relation);
  END $$;
  CREATE FUNCTION pg_catalog.undistribute_table(table_name regclass, cascade_via_foreign_keys boolean DEFAULT false) RETURNS void LANGUAGE sql STRICT SECURITY DEFINER AS
    'DELETE FROM pg_dist_partition WHERE logicalrelid IN (SELECT relid FROM pg_partition_tree(table_name) UNION SELECT table_name)';
  CREATE VIEW pg_catalog.citus_tables AS SELECT p.logicalrelid AS table_name,
      CASE WHEN p.partkey IS NOT NULL THEN 'distributed' WHEN p.repmodel = 't' THEN 'reference' WHEN p.colocationid = 0 THEN 'local' ELSE 'distributed' END AS citus_table_type,
      coalesce(column_to_column_name(p.logicalrelid, p.partkey), '<none>') AS distribution_column, p.colocationid AS colocation_id
    FROM pg_dist_partition p;
  GRANT SELECT ON pg_catalog.citus_tables TO PUBLIC`;

const EXTENSION = `INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  VALUES (pg_nextoid('pg_extension', 'oid', 'pg_extension_oid_index'), 'citus', 10, 'pg_catalog'::regnamespace, false, $1)`;

/** Why a test cannot have it: it is no server of ours; false: it can. */
export async function withoutCitus(): Promise<string | false> {
  const named = process.env["TEST_DATABASE_URL"];
  if (named === undefined) return false;
  return asSuperuser(named, (client) => client.query("SELECT")).then(
    () => false,
    () => "needs a server whose superuser we are",
  );
}

/** As the superuser of the test's server, which is ours alone. */
export async function asSuperuser<T>(
  databaseUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const url = new URL(databaseUrl);
  url.searchParams.set("user", "postgres");
  const client = new Client({ connectionString: url.href });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function pretendCitus(databaseUrl: string, version = "13.2-1"): Promise<void> {
  await asSuperuser(databaseUrl, async (client) => {
    await client.query("SET allow_system_table_mods = on");
    await client.query(CATALOGUES);
    await client.query(FUNCTIONS);
    await client.query(EXTENSION, [version]);
    // What an extension made is no table of ours.
    for (const table of ["calls", "faults", "local_group"])
      await client.query(`ALTER EXTENSION citus ADD TABLE citus.${table}`);
  });
}
