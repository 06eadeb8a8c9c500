/**
 * Guarantee: a process killed with -9 amid its load loses nothing it acknowledged: what it settled
 * is charged so, what it noted ends exactly once, and what else it set aside is free again (hazards
 * §15, §18, §301, §302).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createHoldRecovery } from "../../src/serving/money/recover-holds.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../src/kernel/limits.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { fundedAccount } from "./ledger-world.ts";
import { startWorker, type Worker } from "./start-worker.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

const acknowledged = (worker: Worker): Map<string, bigint> =>
  new Map(
    worker.reports.flatMap((report) =>
      report.kind === "settled" ? [[report.holdId, BigInt(report.charged)] as const] : [],
    ),
  );
const held = (worker: Worker): string[] =>
  worker.reports.flatMap((report) => (report.kind === "held" ? [report.holdId] : []));
const notes = (worker: Worker) =>
  new Map(
    worker.reports.flatMap((report) =>
      report.kind === "noted" ? [[report.holdId, report] as const] : [],
    ),
  );
const errors = (worker: Worker) => worker.reports.filter((report) => report.kind === "error");

test(
  "killed three times at different points, beside a process that lives on",
  { timeout: 60_000 },
  async () => {
    const accountIds = await Promise.all(
      Array.from({ length: 3 }, () => fundedAccount(database.db, 5_000_000n)),
    );
    const survivor = await startWorker(database.url);
    survivor.order({ kind: "load", accountIds, clients: 8 });
    const killed: Worker[] = [];
    for (const acknowledgements of [1, 40, 150]) {
      const worker = await startWorker(database.url);
      worker.order({ kind: "load", accountIds, clients: 16 });
      await worker.seen("settled", acknowledgements);
      worker.process.kill("SIGKILL");
      await worker.gone();
      killed.push(worker);
    }
    // Their servers' processes may still be at the last batch; a lease is far longer than that.
    await database.db.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY ($1)",
      [
        killed.flatMap((worker) =>
          ["grant", "journal", "post"].map((use) => `hold worker ${worker.process.pid} ${use}`),
        ),
      ],
    );
    for (const table of ["owners", "journals"])
      await database.db.query(
        `UPDATE ledger.${table} SET alive_until = clock_timestamp() WHERE owner_id = ANY ($1::uuid[])`,
        [killed.map(({ ownerId }) => ownerId)],
      );

    let nowMs = 0;
    const logged: string[] = [];
    const recovery = createHoldRecovery({
      db: database.db,
      ownerId: newUuid(),
      clock: { monotonicMs: () => nowMs },
      onRecovered: () => {},
      log: (line) => logged.push(line),
    });
    await recovery.round();
    await recovery.round();
    nowMs = OWNER_LEASE_MS;
    await recovery.round();
    assert.deepEqual(logged, []);

    survivor.order({ kind: "stop" });
    await survivor.gone();
    assert.deepEqual(errors(survivor), []);
    for (const table of ["holds", "unfinished", "pages", "journals"])
      assert.deepEqual(await database.db.query(`SELECT * FROM ledger.${table}`), [], table);
    const ids = [...killed, survivor].flatMap(held);
    const entries = await database.db.query<{ entry_id: string; amount_nano: bigint }>(
      "SELECT entry_id, amount_nano FROM ledger.entries WHERE entry_id = ANY ($1::uuid[]) AND kind IN ('charge', 'release')",
      [ids],
    );
    const ended = new Map(entries.map((entry) => [entry.entry_id, entry.amount_nano]));
    const finished = [
      ...held(survivor),
      ...[...killed, survivor].flatMap((one) => [...notes(one).keys()]),
    ];
    assert.deepEqual(
      finished.filter((id) => !ended.has(id)),
      [],
      "every request that was durably noted, or whose process lived on, has ended",
    );
    let recovered = 0;
    for (const worker of killed) {
      const settled = acknowledged(worker);
      for (const [id, { heldNano, recorded, charge }] of notes(worker)) {
        if (settled.has(id)) continue;
        recovered += 1;
        // Its end may have been durable, and only the acknowledgement not have come.
        const most = BigInt(heldNano);
        const may = [BigInt(recorded), BigInt(charge)].map((nano) => (nano < most ? nano : most));
        assert.ok(
          may.includes(ended.get(id) ?? -1n),
          `${ended.get(id)} is none of ${may.join(", ")}`,
        );
      }
    }
    assert.ok(recovered > 0, "some request was noted and not settled when its process died");
    for (const worker of [...killed, survivor]) {
      for (const [holdId, charged] of acknowledged(worker))
        assert.equal(ended.get(holdId), charged, "what was acknowledged is what was charged");
    }
    assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
  },
);
