/**
 * A worker of batches in a process of its own, for tests that kill it: at the point that it is told
 * of, it tells its parent and stands still.
 */
import { openDatabase, type Db, type Tx } from "../../src/db/database.ts";
import {
  BEFORE,
  STATEMENTS,
  TRANSACTIONS,
  type BatchChildOptions,
  type Point,
  type Transaction,
} from "./batch-points.ts";
import { openBatchProcess, TEST_PACE } from "./batch-world.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as BatchChildOptions;
process.on("disconnect", () => process.exit(1));

async function reach(point: Point): Promise<void> {
  if (point !== options.stopAt) return;
  process.send?.({ at: point });
  await new Promise(() => undefined);
}

const real = openDatabase({
  url: options.databaseUrl,
  poolSize: 6,
  applicationName: "a worker to be killed",
  onError: () => undefined,
});

const db: Db = {
  ...real,
  run: async (statement, parameters) => {
    for (const [point, words] of Object.entries(BEFORE))
      if (statement.text.includes(words)) await reach(point as keyof typeof BEFORE);
    const rows = await real.run(statement, parameters);
    for (const [point, words] of Object.entries(STATEMENTS))
      if (statement.text.includes(words) && rows.length > 0)
        await reach(point as keyof typeof STATEMENTS);
    return rows;
  },
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const seen = new Set<Transaction>();
    const result = await real.transaction(async (tx) => {
      seen.clear();
      const watched: Tx = {
        ...tx,
        run: (statement, parameters) => {
          for (const [name, words] of Object.entries(TRANSACTIONS))
            if (statement.text.includes(words)) seen.add(name as Transaction);
          return tx.run(statement, parameters);
        },
      };
      const done = await work(watched);
      for (const name of seen) await reach(`in ${name}`);
      return done;
    });
    for (const name of seen) await reach(`after ${name}`);
    return result;
  },
};

const { storageUrl, upstream, leaseMs, catalogue = "plain" } = options;
const worker = await openBatchProcess({
  db,
  storageUrl,
  upstream,
  catalogue,
  pace: { ...TEST_PACE, leaseMs, mostTries: 1_000 },
});
worker.batches.start(() => false);
process.send?.({ at: "started" });
