/**
 * Protects: whatever a dead process left behind is ended once, at what it had said, by the one that
 * comes; and who was judged dead while it lived charges nothing more (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  createPageWriter,
  ended,
  grantOne,
  leased,
  noted,
  openJournal,
  ownGrant,
  rowTotals,
  type Leased,
  type PagedRequest,
} from "../../../test/ledger/journal-world.ts";
import { exactHold, fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { streamedDetail } from "../../../test/support/streamed-detail.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../kernel/limits.ts";
import type { Nano } from "../../kernel/money.ts";
import { fenceJournal, postAll, postWhole, unfinishedOf } from "../../ledger/journals.store.ts";
import { verify } from "../../ledger/verify.store.ts";
import { findRequest } from "../../usage/receipts.store.ts";
import { postEnds } from "./journal.store.ts";
import { createHoldRecovery, type HoldRecovery, type RecoveredHold } from "./recover-holds.ts";
import { createSettlePipeline } from "./settle-pipeline.ts";

let database: TestDatabase;
let accountId: Uuid;
let recovered: RecoveredHold[];
let logged: string[];

before(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  [recovered, logged] = [[], []];
  accountId = await fundedAccount(database.db, 100_000n);
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

/** One that has kept its own lease for as long as a lease lasts. */
async function judge(): Promise<HoldRecovery> {
  let nowMs = 0;
  const recovery = createHoldRecovery({
    db: database.db,
    ownerId: newUuid(),
    clock: { monotonicMs: () => nowMs },
    onRecovered: (hold) => recovered.push(hold),
    log: (message) => logged.push(message),
  });
  await recovery.round();
  await recovery.round();
  nowMs += OWNER_LEASE_MS;
  return recovery;
}

const letAllDie = () =>
  database.db.query("UPDATE ledger.journals SET alive_until = clock_timestamp()");

const delivered = (outputTokens: number): string => streamedDetail(accountId, outputTokens);

interface Left {
  readonly process: Leased;
  readonly streamed: PagedRequest;
  readonly silent: PagedRequest;
  readonly over: PagedRequest;
}

/** Two unfinished requests, one that ended, one that never was noted, and a hold of its own. */
async function leftBehind(): Promise<Left> {
  const process = await leased(database.db, accountId, 4_000n);
  const [streamed, silent, over] = [100n, 50n, 30n].map((held) => process.request(held));
  assert.ok(streamed !== undefined && silent !== undefined && over !== undefined);
  const own = ownGrant(accountId, 700n);
  assert.equal((await grantOne(database.db, process.writer.journalId, own)).kind, "held");
  await process.writer.write(
    noted(streamed, 11n, { detail: delivered(2) }),
    noted(silent, 0n, { detail: delivered(0) }),
  );
  await postAll(database.db);
  await process.writer.write(noted(streamed, 33n, { detail: delivered(7) }), ended(over, 5n));
  await letAllDie();
  return { process, streamed, silent, over };
}

async function isAllEnded({ process, streamed, silent }: Left): Promise<void> {
  assert.deepEqual(await rowTotals(database.db, accountId), {
    credited: 100_000n,
    charged: 38n,
    held: 0n,
  });
  const receipts = await Promise.all(
    [streamed, silent].map(({ requestId }) => findRequest(database.db, accountId, requestId)),
  );
  assert.deepEqual(
    receipts.map((receipt) => [receipt?.state, receipt?.chargedNano, receipt?.detail["usage"]]),
    [
      ["interrupted", 33n, { outputTokens: 7 }],
      ["failed", 0n, {}],
    ],
  );
  for (const table of ["journals", "pages", "unfinished", "holds"]) {
    const rows = await database.db.query(`SELECT FROM ledger.${table} WHERE journal_id = $1`, [
      process.writer.journalId,
    ]);
    assert.equal(rows.length, 0, table);
  }
}

test("what is unfinished is charged what was noted, with a receipt; what ended stays as it was; everything else is released", async () => {
  const left = await leftBehind();
  assert.equal(await (await judge()).round(), 2);
  await isAllEnded(left);
  assert.deepEqual(
    recovered.map((hold) => [hold.holdId, hold.chargedNano, hold.releasedNano]).toSorted(),
    [
      [left.streamed.requestId, 33n, 67n],
      [left.silent.requestId, 0n, 50n],
    ].toSorted(),
  );
  assert.deepEqual(logged, []);
});

/** How far a process came with it before it was killed. */
const STEPS: readonly (readonly [string, (left: Left) => Promise<unknown>])[] = [
  ["it was fenced", async () => {}],
  ["its pages were posted", ({ process }) => postWhole(database.db, process.writer.journalId)],
  [
    "one of its requests was ended",
    async ({ process, silent }) => {
      const { journalId } = process.writer;
      await postWhole(database.db, journalId);
      const found = await unfinishedOf(database.db, journalId, { except: [], limit: 10 });
      assert.equal(found.length, 2);
      const end = ended(silent, 0n, { noted: true });
      await database.db.transaction((tx) => postEnds(tx, journalId, [end]));
    },
  ],
];

for (const [step, run] of STEPS)
  test(`who comes after one that was killed when ${step} does the rest, and nothing twice`, async () => {
    const left = await leftBehind();
    const { journalId } = left.process.writer;
    assert.equal(await database.db.transaction((tx) => fenceJournal(tx, journalId)), "fenced");
    await run(left);
    await (await judge()).round();
    const money = await rowTotals(database.db, accountId);
    assert.deepEqual([money.charged, money.held], [38n, 0n]);
    assert.equal(
      (await findRequest(database.db, accountId, left.streamed.requestId))?.chargedNano,
      33n,
    );
    assert.equal(await (await judge()).round(), 0);
    assert.deepEqual(logged, []);
  });

test("two at once end every request once, and nobody is alarmed", async () => {
  const process = await leased(database.db, accountId, 4_000n);
  const requests = Array.from({ length: 250 }, () => process.request(10n));
  await process.writer.write(
    ...requests.map((request) => noted(request, 2n, { detail: delivered(1) })),
  );
  await letAllDie();
  const judges = [await judge(), await judge()];
  const counts = await Promise.all(judges.map((recovery) => recovery.round()));
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 250);
  assert.equal(new Set(recovered.map(({ holdId }) => holdId)).size, 250);
  await (await judge()).round();
  const money = await rowTotals(database.db, accountId);
  assert.deepEqual([money.charged, money.held], [500n, 0n]);
  assert.deepEqual(logged, []);
});

test("two at once with one request: neither says that it cannot be ended", async () => {
  for (let round = 0; round < 8; round++) {
    const process = await leased(database.db, accountId, 100n);
    await process.writer.write(noted(process.request(10n), 2n, { detail: delivered(1) }));
  }
  await letAllDie();
  const judges = [await judge(), await judge(), await judge()];
  await Promise.all(judges.map((recovery) => recovery.round()));
  await (await judge()).round();
  const money = await rowTotals(database.db, accountId);
  assert.deepEqual([money.charged, money.held], [16n, 0n]);
  assert.deepEqual(logged, []);
});

test("a request that cannot be ended keeps nothing of other dead processes waiting", async () => {
  const [first, second] = [
    await leased(database.db, accountId, 1_000n),
    await leased(database.db, accountId, 2_000n),
  ];
  const damaged = first.request(10n);
  await first.writer.write(noted(damaged, 2n, { detail: delivered(1) }));
  await postAll(database.db);
  // More than its lease has: the books refuse it.
  await database.db.query(
    "UPDATE ledger.unfinished SET held_nano = 5000, recorded_nano = 5000 WHERE request_id = $1",
    [damaged.requestId],
  );
  await letAllDie();
  await (await judge()).round();
  assert.ok(logged.some((line) => line.includes(damaged.requestId)));
  assert.equal((await rowTotals(database.db, accountId)).held, 1_000n);
  assert.deepEqual(
    await database.db.query("SELECT journal_id FROM ledger.journals WHERE journal_id = ANY ($1)", [
      [first.writer.journalId, second.writer.journalId],
    ]),
    [{ journal_id: first.writer.journalId }],
  );
  // Once an operator has mended it, the rest is released.
  await database.db.query("DELETE FROM ledger.unfinished WHERE request_id = $1", [
    damaged.requestId,
  ]);
  await (await judge()).round();
  assert.equal((await rowTotals(database.db, accountId)).held, 0n);
});

const OVER: readonly (readonly [
  what: string,
  make: (requestId: Uuid, process: Leased) => Promise<void>,
  money: readonly [charged: bigint, parked: readonly bigint[]],
  logs: RegExp,
])[] = [
  [
    "whose hold is gone is not charged, and what it had noted is parked",
    async (requestId) => {
      await database.db.query("UPDATE ledger.unfinished SET hold_id = $2 WHERE request_id = $1", [
        requestId,
        newUuid(),
      ]);
    },
    [7n, [0n]],
    /is not charged: its hold was gone/,
  ],
  [
    "that had ended before it was noted is charged once",
    async (requestId, { leaseId }) => {
      const request = { requestId, accountId, holdId: leaseId, heldNano: 10n as Nano };
      // A page of another journal, as nothing of its own forgets that it is unfinished.
      const other = createPageWriter(database.db, await openJournal(database.db));
      await other.write(ended(request, 4n));
      await postAll(database.db);
    },
    [11n, []],
    /had ended before/,
  ],
];

for (const [what, make, [charged, parked], logs] of OVER)
  test(`an unfinished request ${what}; its journal is closed, and the rest released`, async () => {
    const process = await leased(database.db, accountId, 1_000n);
    const [over, other] = [process.request(10n), process.request(10n)];
    await process.writer.write(
      noted(over, 2n, { detail: delivered(1) }),
      noted(other, 7n, { detail: delivered(3) }),
    );
    await postAll(database.db);
    await make(over.requestId, process);
    await letAllDie();
    await (await judge()).round();
    const money = await rowTotals(database.db, accountId);
    assert.deepEqual([money.charged, money.held], [charged, 0n]);
    assert.equal((await findRequest(database.db, accountId, other.requestId))?.chargedNano, 7n);
    assert.equal(await findRequest(database.db, accountId, over.requestId), null);
    const { journalId } = process.writer;
    for (const table of ["journals", "unfinished"])
      assert.deepEqual(
        await database.db.query(`SELECT FROM ledger.${table} WHERE journal_id = $1`, [journalId]),
        [],
      );
    const kept = await database.db.query<{ charged_nano: bigint; receipt: string }>(
      "SELECT charged_nano, receipt FROM usage.parked WHERE receipt LIKE $1",
      [`%${over.requestId}%`],
    );
    assert.deepEqual(
      kept.map(({ charged_nano }) => charged_nano),
      parked,
    );
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? "", logs);
  });

test("a journal that cannot be posted keeps nothing of other dead processes waiting", async () => {
  const [first] = [
    await leased(database.db, accountId, 1_000n),
    await leased(database.db, accountId, 2_000n),
  ];
  // More than was held: the books refuse it.
  await first.writer.write(ended(first.request(10n), 12n));
  await letAllDie();
  await (await judge()).round();
  assert.equal(logged.length, 1);
  assert.equal((await rowTotals(database.db, accountId)).held, 1_000n);
  await database.db.query("UPDATE ledger.pages SET numbers[2] = 10 WHERE journal_id = $1", [
    first.writer.journalId,
  ]);
  await (await judge()).round();
  const money = await rowTotals(database.db, accountId);
  assert.deepEqual([money.charged, money.held], [10n, 0n]);
});

test("one that was judged dead while it stood still: its next page is refused, and recovery's charges stand", async () => {
  const pipeline = createSettlePipeline({
    url: database.url,
    db: database.db,
    ownerId: newUuid(),
    applicationName: "stood still",
    onError: () => {},
  });
  const settle = (holdId: Uuid, charge: bigint) =>
    pipeline.settle({
      accountId,
      holdId,
      chargeNano: charge as Nano,
      lossNano: 0n as Nano,
      receipt: null,
    });
  const progress = (holdId: Uuid, recorded: bigint) =>
    pipeline.extend({
      holdId,
      addNano: 0n as Nano,
      recordedNano: recorded as Nano,
      detail: delivered(7),
    });
  try {
    const requests = [100n, 100n, 100n].map((amount) =>
      exactHold(accountId, amount, { detail: delivered(0), priceVersion: 3 }),
    );
    for (const request of requests) assert.equal((await pipeline.hold(request)).kind, "held");
    const [streamed, silent, going] = requests.map(({ holdId }) => holdId);
    assert.ok(streamed !== undefined && silent !== undefined && going !== undefined);
    assert.equal((await progress(streamed, 33n)).kind, "extended");
    await until("the others are noted, too", async () => {
      const rows = await database.db.query("SELECT FROM ledger.unfinished WHERE account_id = $1", [
        accountId,
      ]);
      return rows.length === 3;
    });
    await letAllDie();
    assert.equal(await (await judge()).round(), 3);
    assert.deepEqual(await settle(streamed, 90n), { kind: "already-settled", chargedNano: 33n });
    assert.deepEqual(await settle(silent, 90n), { kind: "already-settled", chargedNano: 0n });
    assert.deepEqual(await progress(going, 90n), { kind: "gone" });
    let money = await rowTotals(database.db, accountId);
    assert.deepEqual([money.charged, money.held], [33n, 0n]);

    // It goes on as another one.
    const next = exactHold(accountId, 100n);
    assert.equal((await pipeline.hold(next)).kind, "held");
    assert.equal((await settle(next.holdId, 9n)).kind, "settled");
    await postAll(database.db);
    money = await rowTotals(database.db, accountId);
    assert.equal(money.charged, 42n);
  } finally {
    await pipeline.close();
  }
  assert.equal((await rowTotals(database.db, accountId)).held, 0n);
});
