/**
 * Protects: a server that the gateway cannot live on is refused with what to do, before anything is
 * written there.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { testDatabase } from "../../test/support/database.ts";
import { insistOnServer, keepsSessions, serverMistake } from "./insist-on-server.ts";

const database = await testDatabase();
after(() => database.drop());

const GOOD = {
  version: 150_004,
  encoding: "UTF8",
  mayCreate: true,
  database: "tollgate",
  role: "gate",
};

test("a server that is new enough, in UTF-8 and open to the role is taken, and each of its clients keeps a session", async () => {
  assert.equal(serverMistake(GOOD), null);
  assert.equal(
    serverMistake({ ...GOOD, encoding: "SQL_ASCII" }),
    null,
    "what initdb makes where no language is set",
  );
  await insistOnServer(database.url);
});

test("an old server, another encoding and a role that may not make schemas are each told with the way out", () => {
  assert.match(
    serverMistake({ ...GOOD, version: 140_012 }) ?? "",
    /^this is PostgreSQL 14; 15 or newer is needed\. Upgrade it/,
  );
  assert.match(
    serverMistake({ ...GOOD, encoding: "LATIN1" }) ?? "",
    /encoding LATIN1; .*CREATE DATABASE … OWNER gate ENCODING 'UTF8'/,
  );
  assert.match(
    serverMistake({ ...GOOD, mayCreate: false }) ?? "",
    /GRANT CREATE ON DATABASE tollgate TO gate\.$/,
  );
});

/** The server processes that answer one after the other, the last for ever. */
const answering = (pids: number[]) => async (): Promise<number> =>
  (pids.length > 1 ? pids.shift() : pids[0]) ?? 0;

test("a pooler that lends sessions out is found: one process for two clients, or another one after a while", async () => {
  assert.equal(await keepsSessions(answering([1]), answering([2])), true);
  assert.equal(await keepsSessions(answering([1]), answering([1])), false);
  assert.equal(await keepsSessions(answering([1, 1, 3]), answering([2])), false);
  assert.equal(await keepsSessions(answering([1]), answering([2, 2, 3, 2])), false);
});

test("a database in another encoding is refused and stays empty; roles, databases and hosts that are not there are told with the way out", async (t) => {
  const name = `latin_${randomBytes(6).toString("hex")}`;
  await database.db.query(
    `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
  );
  t.after(() => database.db.query(`DROP DATABASE ${name} WITH (FORCE)`));
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };
  const reported: readonly [url: string, line: RegExp][] = [
    [changed((url) => (url.pathname = `/${name}`)), /has the encoding LATIN1/],
    [
      changed((url) => (url.pathname = "/not_there")),
      /^the database cannot be reached: .*"not_there" does not exist\. Make it: CREATE DATABASE/,
    ],
    [
      "postgresql://a:b@127.0.0.1:1/c",
      /^the database cannot be reached: .*ECONNREFUSED.*\. Start PostgreSQL there/,
    ],
    [
      "postgresql://a:b@127.0.0.1:1/c?sslmode=verify-full&sslrootcert=/not/there.pem",
      /^the database cannot be reached: .*there\.pem'\. Name a file/,
    ],
  ];
  for (const [url, line] of reported) {
    await assert.rejects(insistOnServer(url), (error: Error) => {
      assert.match(error.message, line);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  }
});
