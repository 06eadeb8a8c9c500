/** The committed schema: where it lies and what it says. */
import { join } from "node:path";
import type { Db } from "../../src/db/database.ts";
import { dumpSchema } from "./dump-schema.ts";

export const SCHEMA_FILE = join(import.meta.dirname, "../../migrations/schema.sql");

const HEAD = `-- What all migrations together come to, as PostgreSQL tells it: to be read, and to see in a change what it does to the schema.
-- It is never run. Written by \`npm run schema\`; test/schema/committed-schema.test.ts keeps it true. Why things are so stands in the migrations.
`;

/** The whole text of the file, of this database. */
export async function schemaText(db: Db): Promise<string> {
  return `${HEAD}\n${await dumpSchema(db)}`;
}
