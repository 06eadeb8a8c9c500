/**
 * A process that rolls a key without an overlap and kills itself behind the given statement of it;
 * behind the last one there is only the commit.
 */
import { openDatabase, type Db } from "../../src/db/database.ts";
import { rollAccountKey } from "../../src/business/panel/account/roll-account-key.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { queryableThrough } from "../support/queryable-through.ts";

export interface RollOrder {
  readonly url: string;
  readonly accountId: Uuid;
  readonly hash: string;
  readonly lastStatement: number;
}

const { url, accountId, hash, lastStatement } = JSON.parse(process.argv[2] ?? "") as RollOrder;
const db = openDatabase({
  url,
  poolSize: 1,
  applicationName: "roll worker",
  onError: () => undefined,
});
let statements = 0;

const dying: Db = {
  ...db,
  transaction: (work) =>
    db.transaction((tx) =>
      work(
        queryableThrough(async (text, parameters) => {
          const rows = await tx.query(text, parameters);
          statements++;
          if (statements === lastStatement) process.kill(process.pid, "SIGKILL");
          return rows;
        }),
      ),
    ),
};

await rollAccountKey(dying, systemClock, accountId, { hash, overlapHours: 0 });
await db.close();
