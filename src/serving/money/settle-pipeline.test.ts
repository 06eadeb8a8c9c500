/**
 * The hot money path end to end on real PostgreSQL: leases and holds, ends in pages, receipts, and
 * one bad row alone (hazards §18, §19).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { exactHold, fundedAccount, newBudget } from "../../../test/ledger/ledger-world.ts";
import { databaseProxy } from "../../../test/support/database-proxy.ts";
import { receiptRow } from "../../../test/support/receipt-row.ts";
import { standStill } from "../../../test/support/stand-still.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import type { NewRecord } from "../../idempotency/record.ts";
import { beginRecord, keepAnswer } from "../../idempotency/records.store.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { closeBudget } from "../../ledger/budgets.store.ts";
import { fenceJournal, postAll } from "../../ledger/journals.store.ts";
import { recallForCommand } from "../../ledger/recall.ts";
import { verify } from "../../ledger/verify.store.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { findAnyRequest, findRequest } from "../../usage/receipts.store.ts";
import { createSettlePipeline, type SettlePipeline } from "./settle-pipeline.ts";

let database: TestDatabase;
let pipeline: SettlePipeline;
const errors: unknown[] = [];

before(async () => {
  database = await testDatabase();
  pipeline = createSettlePipeline({
    url: database.url,
    db: database.db,
    ownerId: newUuid(),
    applicationName: "settle pipeline test",
    onError: (error) => errors.push(error),
  });
});
after(async () => {
  await pipeline.close();
  await postAll(database.db);
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const nanos = (value: bigint): Nano => value as Nano;

/** As it is read: after what is committed was posted. */
async function postedReceipt(requestId: Uuid): Promise<StoredReceipt | null> {
  await postAll(database.db);
  return findAnyRequest(database.db, requestId);
}

/** What is set aside by whatever means, leases too. */
async function setAside(accountId: Uuid): Promise<bigint> {
  const [row] = await database.db.query<{ held: bigint }>(
    "SELECT held_nano AS held FROM ledger.accounts WHERE account_id = $1",
    [accountId],
  );
  return row?.held ?? 0n;
}

/** As the gateway does it when it is told; nothing is left of the leases in no use. */
async function recalled(accountId: Uuid): Promise<void> {
  pipeline.recall(accountId);
  await recallForCommand(database.db, accountId);
}

test("a hundred requests at once are held, extended and settled, each with its receipt, which carries the ledger's figure", async () => {
  const accountId = await fundedAccount(database.db, 100_000n);
  const budgetId = await newBudget(database.db, accountId, 50_000n);
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const request = exactHold(accountId, 100n, { budgetId });
      assert.equal((await pipeline.hold(request)).kind, "held");
      const extension = {
        holdId: request.holdId,
        addNano: nanos(50n),
        recordedNano: nanos(1n),
        detail: "{}",
      };
      assert.deepEqual(await pipeline.extend(extension), { kind: "extended", heldNano: 150n });
      const charge = nanos(BigInt(100 + index)); // some are above the hold of 150
      const receipt = receiptRow();
      const verdict = await pipeline.settle({
        accountId,
        holdId: request.holdId,
        chargeNano: charge,
        lossNano: nanos(0n),
        receipt,
      });
      const charged = charge < 150n ? charge : 150n;
      assert.deepEqual(verdict, {
        kind: "settled",
        chargedNano: charged,
        releasedNano: 150n - charged,
      });
      assert.equal((await postedReceipt(request.holdId))?.chargedNano, charged);
    }),
  );
  assert.equal((await balance(database.db, accountId))?.heldNano, 0n);
  await recalled(accountId);
  assert.equal(await setAside(accountId), 0n);
  assert.deepEqual(errors, []);
});

test("a receipt that cannot be written does not stop its own money nor anybody else's; it is parked", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const requests = Array.from({ length: 20 }, () => exactHold(accountId, 10n));
  await Promise.all(requests.map(async (request) => pipeline.hold(request)));
  const poisoned = requests[7]?.holdId ?? "";
  const verdicts = await Promise.all(
    requests.map(({ holdId }) => {
      const poison = holdId === poisoned ? { model: null as unknown as string } : {};
      return pipeline.settle({
        accountId,
        holdId,
        chargeNano: nanos(4n),
        lossNano: nanos(0n),
        receipt: receiptRow(poison),
      });
    }),
  );
  assert.ok(verdicts.every((verdict) => verdict.kind === "settled"));
  await postAll(database.db);
  const written = await Promise.all(
    requests.map(({ holdId }) => findRequest(database.db, accountId, holdId)),
  );
  assert.equal(written.filter((receipt) => receipt !== null).length, 19);
  assert.deepEqual(await database.db.query("SELECT charged_nano FROM usage.parked"), [
    { charged_nano: 4n },
  ]);
  assert.deepEqual(errors, []);
});

test("a batch with and without idempotency records: an answer counts when its charge is committed, and what came to nothing frees its key", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const requests = Array.from({ length: 12 }, () => exactHold(accountId, 10n));
  await Promise.all(requests.map(async (request) => pipeline.hold(request)));
  const digest = digestRequest("chat.completions", Buffer.from("{}"));
  const recordOf = (requestId: Uuid): NewRecord => ({
    accountId,
    key: `key "${requestId}"`,
    requestId,
    ownerId: newUuid(),
    digest,
  });
  const answer = {
    status: 200,
    contentType: "text/plain",
    streamed: false,
    broken: false,
    body: Buffer.from("said"),
  };
  await Promise.all(
    requests.map(async ({ holdId }, index) => {
      const named = index % 3 !== 0;
      const answered = index % 3 === 1;
      const record = { ...recordOf(holdId), answered };
      if (named) assert.equal((await beginRecord(database.db, record)).kind, "fresh");
      if (answered) assert.equal(await keepAnswer(database.db, record, answer), "kept");
      const charge = nanos(answered || !named ? 4n : 0n);
      const receipt = receiptRow();
      const settlement = {
        accountId,
        holdId,
        chargeNano: charge,
        lossNano: nanos(0n),
        receipt,
        ...(named ? { record } : {}),
      };
      assert.equal((await pipeline.settle(settlement)).kind, "settled");
      // A second settlement after a lost answer changes nothing.
      assert.equal(
        (await pipeline.settle({ ...settlement, chargeNano: nanos(9n) })).kind,
        "already-settled",
      );
      if (!named) return;
      const again = await beginRecord(database.db, { ...record, requestId: newUuid() });
      assert.deepEqual(
        again,
        answered
          ? { kind: "answered", requestId: holdId, chargedNano: 4n, answer }
          : { kind: "fresh" },
      );
    }),
  );
  assert.deepEqual(errors, []);
});

test("a row that the database refuses fails alone; the others of its batch get what is theirs", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const bad = exactHold("no account's id", 1n);
  const requests = [...Array.from({ length: 9 }, () => exactHold(accountId, 60n)), bad];
  const results = await Promise.allSettled(requests.map(async (request) => pipeline.hold(request)));
  assert.deepEqual(
    results.map((result) => result.status),
    [...Array<string>(9).fill("fulfilled"), "rejected"],
  );
  assert.equal((await balance(database.db, accountId))?.heldNano, 540n);
  const verdicts = await Promise.all(
    requests.slice(0, 9).map(({ holdId }) =>
      pipeline.settle({
        accountId,
        holdId,
        chargeNano: nanos(2n),
        lossNano: nanos(0n),
        receipt: null,
      }),
    ),
  );
  assert.ok(verdicts.every(({ kind }) => kind === "settled"));
  await postAll(database.db);
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [18n, 0n]);
  errors.length = 0;
});

test(
  "connections that are lost amid batches neither lose nor double anything that was answered",
  { timeout: 60_000 },
  async () => {
    const accountId = await fundedAccount(database.db, 1_000_000n);
    let running = 12;
    let chargedNano = 0n;
    let heldNano = 0n;
    const client = async (): Promise<void> => {
      for (let step = 0; step < 25; step++) {
        const request = exactHold(accountId, 10n);
        assert.equal((await pipeline.hold(request)).kind, "held");
        const extension = {
          holdId: request.holdId,
          addNano: nanos(5n),
          recordedNano: nanos(1n),
          detail: "{}",
        };
        assert.deepEqual(await pipeline.extend(extension), { kind: "extended", heldNano: 15n });
        if (step % 5 === 4) {
          heldNano += 15n; // stays
          continue;
        }
        const verdict = await pipeline.settle({
          accountId,
          holdId: request.holdId,
          chargeNano: nanos(7n),
          lossNano: nanos(0n),
          receipt: receiptRow(),
        });
        // The answer of the first run may have been lost; then the second one finds its work done.
        assert.ok(verdict.kind === "settled" || verdict.kind === "already-settled");
        chargedNano += verdict.chargedNano;
        assert.equal((await postedReceipt(request.holdId))?.chargedNano, 7n);
      }
      running--;
    };
    const breaker = async (): Promise<void> => {
      while (running > 0) {
        await database.db.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'settle pipeline test %' AND random() < 0.4",
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all([breaker(), ...Array.from({ length: 12 }, client)]);
    // Connections come back; what goes on was noted, so all of it shows as held.
    await recalled(accountId);
    const money = await balance(database.db, accountId);
    assert.deepEqual([money?.chargedNano, money?.heldNano], [chargedNano, heldNano]);
    assert.equal(await setAside(accountId), heldNano);
    assert.equal(chargedNano, 12n * 20n * 7n);
    errors.length = 0;
  },
);

test("one that comes alone, committed but unanswered, is not done twice: neither its lease or hold nor its end", async () => {
  const proxy = await databaseProxy(database.url);
  const alone = createSettlePipeline({
    url: proxy.url,
    db: database.db,
    ownerId: newUuid(),
    applicationName: "alone",
    onError: () => {},
  });
  const accountId = await fundedAccount(database.db, 1_000n);
  const other = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, null);
  const count = async (sql: string, id: Uuid): Promise<bigint> => {
    const [row] = await database.db.query<{ count: bigint }>(
      `SELECT count(*) AS count FROM ${sql} = $1`,
      [id],
    );
    return row?.count ?? 0n;
  };
  const seen = (what: string, sql: string, id: Uuid) =>
    until(what, async () => (await count(sql, id)) > 0n);
  const end = (ofAccount: Uuid, holdId: Uuid, charge: bigint, loss: bigint) =>
    alone.settle({
      accountId: ofAccount,
      holdId,
      chargeNano: nanos(charge),
      lossNano: nanos(loss),
      receipt: receiptRow(),
    });
  /** All connections, so that what comes next is sent at once. */
  const connected = async (): Promise<void> => {
    assert.deepEqual(await alone.hold(exactHold(newUuid(), 1n)), { kind: "unknown-account" });
    const request = exactHold(other, 1n);
    await alone.hold(request);
    assert.equal((await end(other, request.holdId, 0n, 0n)).kind, "settled");
  };
  try {
    // The first is admitted by a lease, the second has a hold of its own.
    for (const [round, amount, aside] of [
      [1n, 10n, 40n],
      [2n, 500n, 536n],
    ] as const) {
      const request = exactHold(accountId, amount, { budgetId });
      const { holdId } = request;
      await connected();
      const before = await setAside(accountId);
      proxy.swallowAnswers();
      const held = alone.hold(request);
      await until("it is held", async () => (await setAside(accountId)) > before);
      proxy.cut();
      assert.deepEqual(await held, { kind: "held", heldNano: amount, tier: "slice" });
      assert.equal(await setAside(accountId), aside);

      await connected();
      proxy.swallowAnswers();
      const settled = end(accountId, holdId, 4n, 2n);
      await seen("its page", "ledger.page_columns WHERE request_ids[1]", holdId);
      proxy.cut();
      assert.deepEqual(await settled, {
        kind: "settled",
        chargedNano: 4n,
        releasedNano: amount - 4n,
      });
      assert.equal((await postedReceipt(holdId))?.chargedNano, 4n);
      assert.equal(await count("ledger.entries WHERE entry_id", holdId), 1n);
      const money = await balance(database.db, accountId);
      assert.deepEqual([money?.heldNano, money?.chargedNano], [0n, round * 4n]);
    }
    assert.equal(await count("ledger.entries WHERE kind = 'loss' AND account_id", accountId), 2n);
  } finally {
    await alone.close();
    await proxy.close();
  }
  assert.equal(await setAside(accountId), 0n);
});

for (const when of ["before it is asked", "while the database decides"] as const)
  test(`a process that stood still ${when} admits a request only where no other can judge it dead by then`, async (t) => {
    const accountId = await fundedAccount(database.db, 1_000n);
    const ownerId = newUuid();
    const still = createSettlePipeline({
      url: database.url,
      db: database.db,
      ownerId,
      applicationName: "stood still",
      onError: (error) => errors.push(error),
    });
    const request = exactHold(accountId, 10n);
    const { holdId } = request;
    const leaseRanOut =
      "UPDATE ledger.journals SET alive_until = clock_timestamp() WHERE owner_id = $1";
    try {
      assert.deepEqual(await still.hold(exactHold(newUuid(), 1n)), { kind: "unknown-account" });
      let held: ReturnType<SettlePipeline["hold"]> | undefined;
      await database.db.transaction(async (tx) => {
        if (when === "while the database decides") {
          await tx.query("SELECT FROM ledger.accounts WHERE account_id = $1 FOR UPDATE", [
            accountId,
          ]);
          held = still.hold(request);
          await until("it is being decided", async () => {
            const waiting = await database.db.query(
              "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'stood still grant'",
            );
            return waiting.length > 0;
          });
        }
        await tx.query(leaseRanOut, [ownerId]);
        standStill(t);
      });
      assert.equal((await (held ?? still.hold(request))).kind, "held");
      const [journal] = await database.db.query<{ id: Uuid }>(
        "SELECT journal_id AS id FROM ledger.journals WHERE owner_id = $1",
        [ownerId],
      );
      const judged = await database.db.transaction((tx) => fenceJournal(tx, journal?.id ?? ""));
      assert.equal(judged, "alive");
      const settled = await still.settle({
        accountId,
        holdId,
        chargeNano: nanos(4n),
        lossNano: nanos(0n),
        receipt: receiptRow(),
      });
      assert.equal(settled.kind, "settled");
      assert.equal((await postedReceipt(holdId))?.chargedNano, 4n);
    } finally {
      await still.close();
    }
  });

test("a bad receipt that comes alone is parked, its money settled", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  for (const poison of [
    { model: null as unknown as string },
    { startedAt: new Date(Number.NaN) },
  ]) {
    const request = exactHold(accountId, 10n);
    const { holdId } = request;
    await pipeline.hold(request);
    const verdict = await pipeline.settle({
      accountId,
      holdId,
      chargeNano: nanos(4n),
      lossNano: nanos(0n),
      receipt: receiptRow(poison),
    });
    assert.deepEqual(verdict, { kind: "settled", chargedNano: 4n, releasedNano: 6n });
  }
  await postAll(database.db);
  const rows = await database.db.query<{ charged_nano: bigint; reason: string }>(
    "SELECT charged_nano, reason FROM usage.parked ORDER BY parked_id DESC LIMIT 2",
  );
  assert.deepEqual(
    rows.map((row) => row.charged_nano),
    [4n, 4n],
  );
  assert.match(rows[1]?.reason ?? "", /model/);
  assert.match(rows[0]?.reason ?? "", /time/);
});

test("settling again answers already-settled and keeps the first receipt; an unknown hold gets none", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const { holdId, ...rest } = exactHold(accountId, 10n);
  await pipeline.hold({ holdId, ...rest });
  const settle = (charge: bigint, state: string) =>
    pipeline.settle({
      accountId,
      holdId,
      chargeNano: nanos(charge),
      lossNano: nanos(0n),
      receipt: receiptRow({ state }),
    });
  await settle(3n, "completed");
  assert.deepEqual(await settle(9n, "failed"), { kind: "already-settled", chargedNano: 3n });
  assert.equal((await postedReceipt(holdId))?.state, "completed");
  const nobody = newUuid();
  const unknown = await pipeline.settle({
    accountId,
    holdId: nobody,
    chargeNano: nanos(3n),
    lossNano: nanos(0n),
    receipt: receiptRow(),
  });
  assert.deepEqual(unknown, { kind: "unknown-hold" });
  assert.equal(await findRequest(database.db, accountId, nobody), null);
});

test("a closed budget is closed for the next hold of every process once all have given back what they leased (contract §3)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const budgetId = await newBudget(database.db, accountId, null);
  const first = exactHold(accountId, 1n, { budgetId });
  assert.equal((await pipeline.hold(first)).kind, "held");
  await closeBudget(database.db, budgetId);
  let confirmed = false;
  const command = recallForCommand(database.db, accountId).then(() => (confirmed = true));
  await sleep(100);
  assert.equal(confirmed, false, "this process still admits by its lease");
  pipeline.recall(accountId);
  await command;
  assert.deepEqual(await pipeline.hold(exactHold(accountId, 1n, { budgetId })), {
    kind: "budget-closed",
  });
  // What was admitted before goes on and ends as if nothing had been.
  const verdict = await pipeline.settle({
    accountId,
    holdId: first.holdId,
    chargeNano: nanos(1n),
    lossNano: nanos(0n),
    receipt: null,
  });
  assert.deepEqual(verdict, { kind: "settled", chargedNano: 1n, releasedNano: 0n });
});
