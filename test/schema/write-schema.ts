/** Writes `migrations/schema.sql` anew, from a database that the migrations have made. */
import { writeFileSync } from "node:fs";
import { testDatabase } from "../support/database.ts";
import { SCHEMA_FILE, schemaText } from "./schema-file.ts";

const database = await testDatabase();
try {
  writeFileSync(SCHEMA_FILE, await schemaText(database.db));
} finally {
  await database.drop();
}
