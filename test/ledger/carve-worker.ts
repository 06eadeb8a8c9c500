/**
 * A process that carves one hold into many, line by line, each in a transaction of its own, until
 * nothing is left; driven by a test that needs two of them, or needs to kill one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../src/db/database.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { carveIn } from "./carve-in.ts";
import { settleIn } from "../../src/ledger/holds.store.ts";

const [, , url = "", accountId = "", holdId = "", amount = "1", pause = "none"] = process.argv;

/** What this process was told is durable. */
export interface CarveReport {
  readonly kind: "carved" | "settled" | "refused" | "between";
  readonly holdId: string;
}

const report = (kind: CarveReport["kind"], id: string): void => {
  process.send?.({ kind, holdId: id });
};
const db = openDatabase({
  url,
  poolSize: 2,
  applicationName: "carve worker",
  onError: (error) => console.error(error),
});

/** One line: carved in one transaction, and ended in the next; or both in one that never ends. */
async function line(newHoldId: string): Promise<boolean> {
  const part = { accountId, holdId, newHoldId, amountNano: BigInt(amount) as Nano };
  const words = { reference: "task:line", priceVersion: 1, detail: "{}" };
  const end = { accountId, holdId: newHoldId, chargeNano: 1n as Nano, lossNano: 0n as Nano };
  const verdict = await db.transaction(async (tx) => {
    const made = await carveIn(tx, { ...part, ...words });
    if (pause === "open") {
      report("between", newHoldId);
      await sleep(600_000);
    }
    return made;
  });
  report(verdict.kind === "carved" ? "carved" : "refused", newHoldId);
  if (verdict.kind !== "carved") return false;
  if (pause === "carved") await sleep(600_000);
  await settleIn(db, end);
  report("settled", newHoldId);
  return true;
}

// A test that ended, however it ended, leaves no worker behind.
process.on("disconnect", () => process.exit());
while (await line(newUuid()));
await db.close();
process.disconnect?.();
