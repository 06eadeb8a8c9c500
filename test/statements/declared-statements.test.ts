/**
 * Every statement that the program declares is described by the migrated database, and its
 * parameters, columns, types and nulls are those that it is declared with.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { sql } from "../../src/db/sql-type.ts";
import { declaredStatements, type AnyStatement } from "../../src/db/statement.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { describeStatement } from "../support/describe-statement.ts";
import { readCatalog } from "./read-catalog.ts";
import { statementFaults } from "./statement-faults.ts";

const SOURCES = join(import.meta.dirname, "../../src");

let database: TestDatabase;
let client: Client;
before(async () => {
  database = await testDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
after(async () => {
  await client.end();
  await database.drop();
});

/** Each fault behind the words that its statement begins with. */
async function faultsOf(statements: readonly AnyStatement[]): Promise<string[]> {
  const catalog = await readCatalog(client, statements);
  const faults: string[] = [];
  for (const statement of statements) {
    const found = await describeStatement(client, statement.text).then(
      (described) => statementFaults(statement, described, catalog),
      (error: unknown) => [String(error)],
    );
    const start = statement.text.trim().replaceAll(/\s+/g, " ").slice(0, 100);
    faults.push(...found.map((fault) => `${start} …: ${fault}`));
  }
  return faults;
}

test("every statement is what it is declared as", async () => {
  const modules = globSync("**/*.ts", { cwd: SOURCES })
    .filter((path) => !path.endsWith(".test.ts"))
    .filter((path) => /\bstatement\(/.test(readFileSync(join(SOURCES, path), "utf8")));
  for (const path of modules) await import(join(SOURCES, path));
  const statements = declaredStatements();
  assert.ok(statements.length >= modules.length - 1, "each module but the declaring one has some");
  assert.deepEqual(await faultsOf(statements), []);
});

/** Against `CREATE TABLE boxes (id uuid NOT NULL, owner text, state mood NOT NULL)`. */
const TRUE: AnyStatement = {
  text: "SELECT id, owner, state, 1 AS made FROM boxes WHERE id = $1",
  parameters: [sql.uuid],
  row: {
    id: sql.uuid,
    owner: sql.nullable(sql.text),
    state: sql.enumOf("mood", ["sad", "glad"]),
    made: sql.int4,
  },
};

const PLANTED: readonly (readonly [breach: string, statement: AnyStatement, fault: RegExp])[] = [
  [
    "a column that the table does not have",
    { ...TRUE, text: TRUE.text.replace("owner", "holder") },
    /column "holder" does not exist/,
  ],
  [
    "a renamed column",
    { ...TRUE, text: TRUE.text.replace("owner", "owner AS holder") },
    /returns holder, which is not declared\n.*does not return owner, which is declared/,
  ],
  [
    "an undeclared column",
    { ...TRUE, row: without(TRUE.row, "made") },
    /returns made, which is not/,
  ],
  ["a wrong parameter", { ...TRUE, parameters: [sql.text] }, /\$1 is uuid, declared as text/],
  ["a missing parameter", { ...TRUE, parameters: [] }, /has 1 parameters, 0 are declared/],
  [
    "a wrong column type",
    { ...TRUE, row: { ...TRUE.row, made: sql.int8 } },
    /made is integer, declared as int8/,
  ],
  [
    "a null that is not declared",
    { ...TRUE, row: { ...TRUE.row, owner: sql.text } },
    /owner may be null/,
  ],
  [
    "a declared null that never is",
    { ...TRUE, row: { ...TRUE.row, id: sql.nullable(sql.uuid) } },
    /id is never null/,
  ],
  [
    "a label that the enum does not have",
    { ...TRUE, row: { ...TRUE.row, state: sql.enumOf("mood", ["sad", "glad", "odd"]) } },
    /state has the labels sad,glad, declared are sad,glad,odd/,
  ],
  [
    "a null of an outer join",
    {
      text: "SELECT b.id FROM pg_class c LEFT JOIN boxes b ON b.owner = c.relname",
      parameters: [],
      row: { id: sql.uuid },
    },
    /id may be null/,
  ],
  [
    "a column twice",
    { ...TRUE, text: TRUE.text.replace("SELECT id", "SELECT id, id") },
    /returns id twice/,
  ],
];

test("a declaration that is not true is found, and a true one is not", async (t) => {
  await client.query(
    "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TABLE boxes (id uuid NOT NULL, owner text, state mood NOT NULL)",
  );
  assert.deepEqual(await faultsOf([TRUE]), []);
  for (const [breach, statement, fault] of PLANTED)
    await t.test(breach, async () => {
      assert.match((await faultsOf([statement])).join("\n"), fault);
    });
});

function without(row: AnyStatement["row"], name: string): AnyStatement["row"] {
  return Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));
}
