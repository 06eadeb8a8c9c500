/** Guarantee: `migrations/schema.sql` is the schema that the migrations make, to the letter. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { SCHEMA_FILE, schemaText } from "./schema-file.ts";

/** The one that comes with it; others word the same in other ways. */
const WRITTEN_BY_MAJOR = 18;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

test("the committed schema is that of the migrations", async (t) => {
  const [server] = await database.db.query<{ major: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS major",
  );
  if (server?.major !== WRITTEN_BY_MAJOR)
    return t.skip(`PostgreSQL ${server?.major} words it otherwise`);
  assert.equal(
    await schemaText(database.db),
    readFileSync(SCHEMA_FILE, "utf8"),
    "migrations/schema.sql is not what the migrations make: `npm run schema` writes it anew",
  );
});
