/**
 * Protects: an operator whose server may lose what it acknowledged hears which of its settings is
 * to blame.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../test/support/database.ts";
import { weakDurability } from "./weak-durability.ts";

test("a server without fsync is named to the operator, a durable one is not", async (t) => {
  const database = await testDatabase();
  t.after(() => database.drop());
  const [server] = await database.db.query<{ fsync: string }>("SHOW fsync");
  const line = await weakDurability(database.db);
  if (server?.fsync === "off")
    assert.match(line ?? "", /^DATABASE_URL: .* fsync=off .*Set them on in its postgresql\.conf/);
  else assert.doesNotMatch(line ?? "", /fsync=off/);
});
