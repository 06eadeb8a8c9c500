/**
 * Guarantee: however many processes carve one hold at once, their parts and what is left are never
 * more than it was; one that is killed between a carving and the end of its part leaves either no
 * part at all or one that another process ends, and the books agree.
 */
import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import type { CarveReport } from "./carve-worker.ts";
import { exactHold, fundedAccount } from "./ledger-world.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

interface Carver {
  readonly process: ChildProcess;
  readonly reports: readonly CarveReport[];
  readonly gone: Promise<unknown>;
}

function startCarver(
  batch: { readonly accountId: Uuid; readonly holdId: Uuid },
  amount: bigint,
  pause: "none" | "open" | "carved",
): Carver {
  const { accountId, holdId } = batch;
  const child = fork(
    join(import.meta.dirname, "carve-worker.ts"),
    [database.url, accountId, holdId, amount.toString(), pause],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  const reports: CarveReport[] = [];
  child.on("message", (message: CarveReport) => reports.push(message));
  return { process: child, reports, gone: once(child, "exit") };
}

async function batchOf(amount: bigint) {
  const accountId = await fundedAccount(database.db, 10_000n);
  const batch = exactHold(accountId, amount);
  assert.equal((await holdIn(database.db, batch)).kind, "held");
  return batch;
}

const ended = (of: Pick<CarveReport, "holdId"> & { readonly accountId: Uuid }, charge: bigint) =>
  settleIn(database.db, { ...of, chargeNano: charge as Nano, lossNano: 0n as Nano });

const idsOf = (carvers: readonly Carver[], kind: CarveReport["kind"]): string[] =>
  carvers.flatMap(({ reports }) =>
    reports.filter((report) => report.kind === kind).map(({ holdId }) => holdId),
  );

test("two processes carve one hold at once: as many parts as it has room for, not one more", async () => {
  const batch = await batchOf(1_003n);
  const carvers = [startCarver(batch, 10n, "none"), startCarver(batch, 10n, "none")];
  await Promise.all(carvers.map(({ gone }) => gone));
  for (const { reports } of carvers)
    assert.ok(
      reports.some(({ kind }) => kind === "settled"),
      "both carved some",
    );
  assert.equal(idsOf(carvers, "carved").length, 100);
  assert.equal(new Set(idsOf(carvers, "settled")).size, 100);
  assert.equal(idsOf(carvers, "refused").length, 2);
  assert.deepEqual(await ended(batch, 1_003n), {
    kind: "settled",
    chargedNano: 3n,
    releasedNano: 0n,
  });
  const money = await balance(database.db, batch.accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [103n, 0n]);
});

async function killAt(carver: Carver, kind: CarveReport["kind"]): Promise<string> {
  while (idsOf([carver], kind).length === 0) await sleep(5);
  carver.process.kill("SIGKILL");
  await carver.gone;
  return idsOf([carver], kind)[0] ?? "";
}

test("killed in the transaction of a carving, there was none: the hold is whole", async () => {
  const batch = await batchOf(100n);
  const partId = await killAt(startCarver(batch, 40n, "open"), "between");
  const { accountId } = batch;
  assert.deepEqual(await ended({ accountId, holdId: partId }, 1n), { kind: "unknown-hold" });
  assert.deepEqual(await ended(batch, 100n), {
    kind: "settled",
    chargedNano: 100n,
    releasedNano: 0n,
  });
});

test("killed between a carving and the end of its part, both are there, and whoever comes ends them", async () => {
  const batch = await batchOf(100n);
  const partId = await killAt(startCarver(batch, 40n, "carved"), "carved");
  const { accountId } = batch;
  assert.equal((await balance(database.db, accountId))?.heldNano, 100n);
  assert.deepEqual(await ended({ accountId, holdId: partId }, 35n), {
    kind: "settled",
    chargedNano: 35n,
    releasedNano: 5n,
  });
  assert.deepEqual(await ended(batch, 100n), {
    kind: "settled",
    chargedNano: 60n,
    releasedNano: 0n,
  });
});
