/**
 * Guarantee: accounts can be spread over servers: whatever belongs to one is found by its account,
 * and refers to nothing of another.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { readTables, type TableKeys } from "./read-tables.ts";

/** Tables that belong to no account, each with what keeps it in one place. */
const IN_ONE_PLACE: Readonly<Record<string, string>> = {
  "migrations.applied": "of the database itself",
  "directory.attempts": "finds the account of what an upstream reports on",
  "directory.files": "finds the account of a name that is fetched",
  "directory.payments": "finds the account of what a provider of payments reports on",
  "directory.keys": "finds the account of a key that is shown",
  "directory.transfers": "money from outside, known by its reference over all accounts",
  "catalogue.versions": "one catalogue for all",
  "accounts.members": "people: found by e-mail, before any account is known",
  "accounts.totp": "of a person",
  "accounts.recovery_codes": "of a person",
  "accounts.sessions": "of a person: found by the cookie",
  "accounts.devices": "of a person",
  "accounts.tokens": "of a person: found by the link in a mail",
  "accounts.invitations": "of people to be: found by the link in a mail",
  "accounts.attempts": "of strangers",
  "accounts.consents": "of a person",
  "installation.settings": "of the operator",
  "installation.images": "of the operator",
  "installation.sign_up_codes": "of the operator: found by strangers",
  "ledger.owners": "processes",
  "ledger.journals": "processes",
  "ledger.pages": "what processes said, of many accounts, until it is posted",
  "ledger.months": "which months of all accounts are closed: a row each",
  "limits.owners": "processes",
  "limits.subjects": "counts of the last minute, unlogged, of keys and accounts alike",
  "limits.running": "as limits.subjects",
  "files.removals": "objects of the storage that are nobody's any more",
  "tasks.submit_turns": "an upstream's turns, taken by all accounts",
  "mail.outbox": "mails, to whoever it is",
  "audit.actions":
    "what operators did, in one order, about accounts and about what is no account's",
  "operate.processes": "processes",
  "operate.verifications": "of the operator",
  "operate.routes_out": "of the operator: upstreams, read by every process",
  "operate.margin_days": "of the operator: sums over all accounts",
  "operate.margin": "of the operator: sums over all accounts",
  "usage.daily_through": "one day for all",
  "usage.parked": "receipts that could not be read: not even their account",
  "usage.count_samples": "of upstreams: the newest of each, whoever asked",
};

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

const isOfAccount = ({ name }: TableKeys): boolean => !Object.hasOwn(IN_ONE_PLACE, name);

/** What stands in the way of spreading this table. */
function faultsOf(table: TableKeys): string[] {
  const { name, columns, keys, references } = table;
  if (!columns.includes("account_id")) return [`${name} has no account_id`];
  return [
    ...(keys.length > 0 ? [] : [`${name} has no key`]),
    ...keys
      .filter(
        (key) => (key.primary ? key.columns[0] : key.columns.find(isAccountId)) !== "account_id",
      )
      .map(
        (key) =>
          `${key.name} of ${name} does not ${key.primary ? "begin with" : "hold"} account_id`,
      ),
    ...references
      .filter(({ pairs }) => !pairs.some(([from, to]) => isAccountId(from) && isAccountId(to)))
      .map((reference) => `${reference.name} of ${name} may lead to another account`),
  ];
}

const isAccountId = (column: string): boolean => column === "account_id";

async function faults(): Promise<string[]> {
  const tables = await readTables(database.db);
  return tables.filter(isOfAccount).flatMap(faultsOf);
}

test("each table of accounts has its account in front of its key, in each unique key and in each reference", async () => {
  assert.deepEqual(await faults(), []);
});

test("what is kept in one place is there", async () => {
  const names = new Set((await readTables(database.db)).map(({ name }) => name));
  assert.deepEqual(
    Object.keys(IN_ONE_PLACE).filter((name) => !names.has(name)),
    [],
  );
});

test("a table without its account, with a key or a reference that leaves it, is found", async () => {
  await database.db.query("CREATE SCHEMA planted");
  await database.db.query("CREATE TABLE planted.bare (id uuid PRIMARY KEY)");
  await database.db.query(
    "CREATE TABLE planted.keyed (id uuid PRIMARY KEY, account_id uuid NOT NULL, name text UNIQUE, bare uuid REFERENCES planted.bare)",
  );
  await database.db.query(
    "CREATE TABLE planted.good (account_id uuid, id uuid, account text, PRIMARY KEY (account_id, id))",
  );
  try {
    assert.deepEqual(
      (await faults()).filter((fault) => fault.includes("planted")),
      [
        "planted.bare has no account_id",
        "keyed_pkey of planted.keyed does not begin with account_id",
        "keyed_name_key of planted.keyed does not hold account_id",
        "keyed_bare_fkey of planted.keyed may lead to another account",
      ],
    );
  } finally {
    await database.db.query("DROP SCHEMA planted CASCADE");
  }
});
