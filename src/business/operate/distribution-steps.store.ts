/**
 * The statements of a distribution, as texts for who reads or runs them: each does nothing where its
 * work is done.
 */
import { assert } from "../../kernel/assert.ts";
import type { TableTrigger } from "./tables.store.ts";

export interface PlannedStep {
  /** For who reads the statement before running it. */
  readonly why: string;
  /** One statement, without a semicolon. */
  readonly sql: string;
}

/** All others lie as its rows do. */
export const ANCHOR = "ledger.accounts";

const QUOTED = /^(?:\w+|"(?:[^"]|"")+")(?:\.(?:\w+|"(?:[^"]|"")+"))?$/;

/** The database's catalogue has quoted it where it has to be. */
function quoteIdentifier(name: string): string {
  assert(QUOTED.test(name), "a name in a statement is as the database's catalogue writes it");
  return name;
}

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export const CHECK_STEP: PlannedStep = {
  why: "Only on a coordinator that knows itself and its workers.",
  sql: `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) THEN RAISE EXCEPTION 'run citus_set_coordinator_host first'; END IF;
  IF NOT citus_is_coordinator() THEN RAISE EXCEPTION 'this is not the coordinator'; END IF;
  IF NOT EXISTS (SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive) THEN RAISE EXCEPTION 'run citus_add_node for each worker first'; END IF;
END $$`,
};

/** Of a trigger that refuses changes. */
export function triggerSteps({ name, on }: TableTrigger): PlannedStep[] {
  return [
    {
      why: "Rows are still only added: the right goes before the trigger.",
      sql: `REVOKE UPDATE, DELETE, TRUNCATE ON ${quoteIdentifier(on)} FROM CURRENT_USER`,
    },
    {
      why: "Citus takes no table with triggers.",
      sql: `DROP TRIGGER IF EXISTS ${quoteIdentifier(name)} ON ${quoteIdentifier(on)}`,
    },
  ];
}

/** Of a reference that clears columns. */
export function referenceStep(table: string, name: string, to: string): PlannedStep {
  return {
    why: `Citus keeps no reference that clears columns when a row of ${to} is deleted.`,
    sql: `ALTER TABLE ${quoteIdentifier(table)} DROP CONSTRAINT IF EXISTS ${quoteIdentifier(name)}`,
  };
}

export function everywhereStep(table: string, why: string): PlannedStep {
  return {
    why,
    sql: `SELECT create_reference_table(${quoteLiteral(table)})
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = ${quoteLiteral(table)}::regclass AND repmodel = 't')`,
  };
}

// Citus makes what refers to a reference table known to itself, and so lists tables that are not
// spread yet: those that are have a hash.
export function anchorStep(shards: number): PlannedStep {
  return {
    why: "Where each account lies.",
    sql: `SELECT create_distributed_table('${ANCHOR}', 'account_id', colocate_with => 'none', shard_count => ${quoteLiteral(String(shards))})
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = '${ANCHOR}'::regclass AND partmethod = 'h')`,
  };
}

export function colocatedStep(table: string): PlannedStep {
  return {
    why: "Where its account lies.",
    sql: `SELECT create_distributed_table(${quoteLiteral(table)}, 'account_id', colocate_with => '${ANCHOR}')
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = ${quoteLiteral(table)}::regclass AND partmethod = 'h')`,
  };
}

/**
 * As migrations made them, but for what is distributed. First of all: a month that is made while the
 * rest is under way gets no trigger, which Citus would refuse.
 */
export const WALL_STEPS: readonly PlannedStep[] = [
  {
    why: "New months are walled by the right alone.",
    sql: `CREATE OR REPLACE FUNCTION ledger.wall_partition(p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON ledger.%I FROM CURRENT_USER', p_name);
END $$`,
  },
  {
    why: "The same of months of logs.",
    sql: `CREATE OR REPLACE FUNCTION months.wall(p_schema text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I.%I FROM CURRENT_USER', p_schema, p_name);
END $$`,
  },
];

/** Last of all: a ledger that writes part by part asks where each account lies. */
export const SPREAD_STEPS: readonly PlannedStep[] = [
  {
    why: "Batches of money ask where an account lies …",
    sql: `CREATE OR REPLACE FUNCTION ledger.shard_of(account uuid) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT get_shard_id_for_distribution_column('${ANCHOR}', account)::integer
$$`,
  },
  {
    why: "… and write one part a statement.",
    sql: "CREATE OR REPLACE FUNCTION ledger.spread() RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'",
  },
];
