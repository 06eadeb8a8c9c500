/**
 * An archiver in a process of its own that kills itself, without a word, at the nth thing that it does
 * to the database or the storage. Says how it ended otherwise.
 */
import { archiveMonths } from "../../src/business/operate/archive-months.ts";
import { openDatabase, type Db, type Tx } from "../../src/db/database.ts";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { openArchiveStorage } from "../../src/storage/open-storage.ts";

const [url = "", storageUrl = "", before = "", nth = ""] = process.argv.slice(2);
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

function mortalStorage(storage: ObjectStorage): ObjectStorage {
  return {
    ...storage,
    put: (key, source, options) => mortal(() => storage.put(key, source, options)),
    read: (key, range) => mortal(() => storage.read(key, range)),
    remove: (keys) => mortal(() => storage.remove(keys)),
  };
}

const db = openDatabase({
  url,
  poolSize: 1,
  applicationName: "mortal archiver",
  onError: () => undefined,
});
const outcome = await archiveMonths(
  {
    db: mortalDb(db),
    storage: mortalStorage(await openArchiveStorage(storageUrl)),
    actor: { memberId: null, actor: "cli:test" },
    onProgress: () => undefined,
    sleep: () => Promise.resolve(),
  },
  { before, keep: false, dryRun: false },
);
console.log(outcome.kind);
await db.close();
