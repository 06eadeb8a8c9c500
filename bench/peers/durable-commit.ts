/** What one durable commit takes, asked for from Node: no gateway that bills durably answers sooner. */
import { setTimeout as sleep } from "node:timers/promises";
import { createHotConnection } from "../../src/db/hot-connection.ts";
import { sql } from "../../src/db/sql-type.ts";
import { statement } from "../../src/db/statement.ts";

/** As often as requests come where latency is measured. */
const EVERY_MS = 3;
const COMMITS = 300;
const CONNECTION_WAIT_MS = 1_000;

// As large as a page with one request, and nothing else: no table, no index.
const COMMIT = statement({
  text: "SELECT pg_logical_emit_message(true, 'bench', repeat('x', 800))::text AS lsn",
  row: { lsn: sql.text },
});

/** Milliseconds from the call to the answer, the median of many. */
export async function measureDurableCommit(url: string): Promise<number> {
  const connection = createHotConnection({ url, applicationName: "bench commit", onError() {} });
  try {
    const times: number[] = [];
    while (times.length < COMMITS) {
      await sleep(EVERY_MS);
      const startMs = performance.now();
      const outcome = await connection.transact((tx) => tx.run(COMMIT, []), CONNECTION_WAIT_MS);
      if (outcome.kind !== "committed") throw new Error(`the commit was ${outcome.kind}`);
      times.push(performance.now() - startMs);
    }
    return times.toSorted((one, other) => one - other)[COMMITS / 2] ?? 0;
  } finally {
    await connection.close();
  }
}
