/**
 * A distributor in a process of its own that kills itself, without a word, at the nth thing that it
 * does to the database. Says how it ended otherwise.
 */
import { join } from "node:path";
import { runDistribution } from "../../src/business/operate/run-distribution.ts";
import { openDatabase, type Db, type Tx } from "../../src/db/database.ts";

const [url = "", nth = ""] = process.argv.slice(2);
let left = Number(nth);

/** Before and after: a commit may have been done, or not. */
async function mortal<T>(work: () => Promise<T>): Promise<T> {
  die();
  const done = await work();
  die();
  return done;
}

function die(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

const mortalTx = (tx: Tx): Tx => ({
  run: (statement, parameters) => mortal(() => tx.run(statement, parameters)),
  query: (text, parameters) => tx.query(text, parameters),
});

function mortalDb(db: Db): Db {
  return {
    ...db,
    ...mortalTx(db),
    transaction: (work) => mortal(() => db.transaction((tx) => work(mortalTx(tx)))),
  };
}

const db = openDatabase({
  url,
  poolSize: 1,
  applicationName: "mortal distributor",
  onError: () => undefined,
});
const outcome = await runDistribution(
  {
    db: mortalDb(db),
    actor: { memberId: null, actor: "cli:test" },
    migrations: { directory: join(import.meta.dirname, "../../migrations"), version: "0.1.0" },
    onProgress: () => undefined,
    sleep: () => Promise.resolve(),
  },
  16,
);
console.log(JSON.stringify(outcome));
await db.close();
