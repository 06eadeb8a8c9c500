/**
 * Protects: what is heard to be kept is in the journal once and stays; who was judged dead writes
 * nothing more, and every element comes to an end.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import {
  ended,
  grantOne,
  judgeDead,
  leaseGrant,
  type PagedRequest,
} from "../../../test/ledger/journal-world.ts";
import { fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { databaseProxy, type DatabaseProxy } from "../../../test/support/database-proxy.ts";
import { standStill } from "../../../test/support/stand-still.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { createHotConnection, type HotConnection } from "../../db/hot-connection.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { postAll } from "../../ledger/journals.store.ts";
import { verify } from "../../ledger/verify.store.ts";
import { createJournal, type Appended, type Journal } from "./journal.ts";
import type { PageElement } from "./page-elements.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let connection: HotConnection;
let journal: Journal;
let deaths: number;
let pageSizes: number[];
let errors: unknown[];
let accountId: Uuid;
let leaseId: Uuid;

before(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  [deaths, pageSizes, errors] = [0, [], []];
  proxy = await databaseProxy(database.url);
  ({ connection, journal } = journalThrough(proxy.url));
  accountId = await fundedAccount(database.db, 1_000_000n);
  leaseId = newUuid();
  const grant = leaseGrant(accountId, 50_000n, 1n, {
    lease: { leaseId, wantNano: 50_000n as Nano },
  });
  assert.equal((await grantOne(database.db, await journal.open(), grant)).kind, "leased");
});
afterEach(async () => {
  proxy.recover();
  await journal.close();
  await connection.close();
  await proxy.close();
  await postAll(database.db);
  const { mismatches } = await database.db.transaction(verify);
  assert.deepEqual(mismatches, []);
});
after(() => database.drop());

function journalThrough(url: string): { connection: HotConnection; journal: Journal } {
  const own = createHotConnection({
    url,
    applicationName: "journal test",
    answerWithinMs: 3_000,
    onError: () => {},
  });
  const options = {
    connection: own,
    ownerId: newUuid(),
    onPage: (count: number) => pageSizes.push(count),
    onDead: () => (deaths += 1),
    onError: (error: unknown) => errors.push(error),
  };
  return { connection: own, journal: createJournal(options) };
}

interface Heard {
  readonly outcome: Appended;
  readonly failed: boolean;
}

/** More than the event loop makes while a page waits. */
const MANY_TURNS = 20_000;

function append(element: PageElement, to: Journal = journal): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  to.append(element, (outcome, error) => resolve({ outcome, failed: error !== undefined }));
  return promise;
}

const KEPT: Heard = { outcome: "kept", failed: false };
const DEAD: Heard = { outcome: "dead", failed: false };

/** An end of a new request that was admitted by the lease, with 100 held. */
function anEnd(charge: bigint, rest: Parameters<typeof ended>[2] = {}) {
  const request: PagedRequest = {
    requestId: newUuid(),
    accountId,
    holdId: leaseId,
    heldNano: 100n as Nano,
  };
  return ended(request, charge, rest);
}

function pagesIn(journalId: Uuid | null): Promise<{ page_no: bigint; size: number }[]> {
  return database.db.query(
    "SELECT page_no, ended AS size FROM ledger.pages WHERE journal_id = $1 ORDER BY page_no",
    [journalId],
  );
}

async function charged(): Promise<bigint | undefined> {
  await postAll(database.db);
  return (await balance(database.db, accountId))?.chargedNano;
}

const fence = (journalId: Uuid | null) =>
  database.db.transaction((tx) => judgeDead(tx, journalId ?? ""));

test("what comes together goes in one page, of at most 512 elements", async () => {
  const heard = await Promise.all(Array.from({ length: 600 }, () => append(anEnd(1n))));
  assert.ok(heard.every(({ outcome }) => outcome === "kept"));
  assert.deepEqual(pageSizes, [512, 88]);
  assert.equal(await charged(), 600n);
});

test("that its page is on its way is heard before it is kept, and is no word of its end", async () => {
  const heard: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.outage("silent");
  journal.append(
    anEnd(1n),
    (outcome) => {
      heard.push(outcome);
      resolve();
    },
    () => void heard.push("sent"),
  );
  await until("it is sent", async () => heard.length > 0);
  assert.deepEqual(heard, ["sent"]);
  proxy.recover();
  await promise;
  assert.equal(heard.at(-1), "kept");
  assert.equal(await charged(), 1n);
});

test("only of a small page it is heard that it is on its way: with a large one there is no time to spare", async () => {
  for (const [count, wanted] of [
    [4, 4],
    [5, 0],
  ] as const) {
    let sent = 0;
    const ends = Array.from({ length: count }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      journal.append(
        anEnd(1n),
        () => resolve(),
        () => void (sent += 1),
      );
      return promise;
    });
    await Promise.all(ends);
    assert.equal(sent, wanted, `${count} elements`);
  }
});

test("what each turn of the event loop brings goes in one page, until a turn brings nothing", async () => {
  const inTurns = async (count: number): Promise<Heard> => {
    if (count > 1) setImmediate(() => heard.push(inTurns(count - 1)));
    return append(anEnd(1n));
  };
  const heard = [inTurns(4)];
  await heard[0];
  assert.deepEqual(await Promise.all(heard), [KEPT, KEPT, KEPT, KEPT]);
  assert.deepEqual(pageSizes, [4]);
});

test("a page does not wait for company for ever", async () => {
  const heard: Promise<Heard>[] = [];
  // One in each turn of the event loop, as long as none is taken.
  const feed = (): void => {
    if (journal.queued < heard.length || heard.length === MANY_TURNS) return;
    setImmediate(feed);
    heard.push(append(anEnd(0n)));
  };
  feed();
  await until("elements are taken", () => Promise.resolve(journal.queued < heard.length));
  assert.ok(heard.length < MANY_TURNS);
  assert.ok((await Promise.all(heard)).every(({ outcome }) => outcome === "kept"));
});

test("a page whose answer was lost is found, and not written twice; the next one follows it", async () => {
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  proxy.swallowAnswers();
  const heard = Promise.all([append(anEnd(2n)), append(anEnd(4n))]);
  await until("it is committed", async () => (await pagesIn(journal.id)).length === 2);
  proxy.cut();
  assert.deepEqual(await heard, [KEPT, KEPT]);
  assert.deepEqual(await append(anEnd(8n)), KEPT);
  assert.deepEqual(await pagesIn(journal.id), [
    { page_no: 1n, size: 1 },
    { page_no: 2n, size: 2 },
    { page_no: 3n, size: 1 },
  ]);
  assert.equal(await charged(), 15n);
  assert.equal(deaths, 0);
});

test("a page whose answer was lost, and that was posted meanwhile, is not written twice either", async () => {
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  proxy.swallowAnswers();
  const heard = append(anEnd(2n));
  await until("it is committed", async () => (await pagesIn(journal.id)).length === 2);
  assert.equal(await charged(), 3n);
  proxy.cut();
  assert.deepEqual(await heard, KEPT);
  assert.deepEqual(await pagesIn(journal.id), []);
  assert.equal(await charged(), 3n);
});

test("while the database is away what is appended waits, and is kept when it is back", async () => {
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  proxy.outage("broken");
  const heard = [append(anEnd(2n)), append(anEnd(4n))];
  await until("it waits", async () => connection.silentForMs() > 300);
  heard.push(append(anEnd(8n)));
  proxy.recover();
  assert.deepEqual(await Promise.all(heard), [KEPT, KEPT, KEPT]);
  assert.equal(await charged(), 15n);
});

test("a lock that passes is waited out", async () => {
  let heard: Promise<Heard> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.query("LOCK TABLE ledger.pages IN ACCESS EXCLUSIVE MODE");
    heard = append(anEnd(3n));
    await until("it was refused once", async () => errors.length > 0);
  });
  assert.deepEqual(await heard, KEPT);
  assert.equal(await charged(), 3n);
});

test("an element that cannot be written is heard so, and takes no other with it", async () => {
  const bad = anEnd(2n, { priceVersion: 2 ** 40 });
  const elements = [anEnd(1n), bad, anEnd(4n), anEnd(8n), anEnd(16n)];
  const heard = await Promise.all(elements.map((element) => append(element)));
  assert.deepEqual(heard, [KEPT, { outcome: "dead", failed: true }, KEPT, KEPT, KEPT]);
  assert.equal(await charged(), 29n);
  assert.deepEqual([deaths, errors.length], [0, 1]);
});

test("an element that cannot be written, in a page whose answer was lost, costs nobody a second charge", async () => {
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  proxy.swallowAnswers();
  const heard = Promise.all([append(anEnd(2n)), append(anEnd(4n, { priceVersion: 2 ** 40 }))]);
  await until("it was refused", async () => proxy.requests.some((sent) => sent.includes("INSERT")));
  proxy.cut();
  assert.deepEqual(await heard, [KEPT, { outcome: "dead", failed: true }]);
  assert.equal(await charged(), 3n);
});

test("a fenced journal takes nothing more: what was appended, and what waits behind it, is dead", async () => {
  const { id } = journal;
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  await fence(id);
  const heard = await Promise.all(Array.from({ length: 600 }, () => append(anEnd(1n))));
  assert.ok(heard.every(({ outcome, failed }) => outcome === "dead" && !failed));
  assert.deepEqual([journal.id, journal.fresh, journal.queued, deaths], [null, false, 0, 1]);
  assert.deepEqual(await append(anEnd(1n)), DEAD);
  assert.equal(deaths, 1);
  assert.equal(await charged(), 1n);

  const next = await journal.open();
  assert.notEqual(next, id);
  assert.equal(journal.fresh, true);
  assert.deepEqual(
    await append({ kind: "given", accountId, holdId: newUuid(), amountNano: null }),
    KEPT,
  );
});

test("a page that meets the fence at the journal's row is refused", async () => {
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  let heard: Promise<Heard> | undefined;
  await database.db.transaction(async (tx) => {
    await judgeDead(tx, journal.id ?? "");
    heard = append(anEnd(2n));
    await until("it waits", async () => {
      const waiting = await database.db.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'journal test' AND datname = current_database()",
      );
      return waiting.length > 0;
    });
  });
  assert.deepEqual(await heard, DEAD);
  assert.equal(await charged(), 1n);
});

test("an idle process says that it lives, and hears that it was judged dead", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { connection: own, journal: idle } = journalThrough(database.url);
  const id = await idle.open();
  const aliveUntil = async () => {
    const [row] = await database.db.query<{ alive_until: Date }>(
      "SELECT alive_until FROM ledger.journals WHERE journal_id = $1",
      [id],
    );
    return row?.alive_until.getTime() ?? 0;
  };
  const opened = await aliveUntil();
  t.mock.timers.tick(5_000);
  await until("it says so", async () => (await aliveUntil()) > opened);
  assert.equal(deaths, 0);
  await fence(id);
  t.mock.timers.tick(5_000);
  await until("it hears of it", async () => deaths === 1);
  assert.deepEqual([idle.id, idle.fresh], [null, false]);
  await idle.close();
  await own.close();
});

for (const how of ["broken", "silent"] as const)
  test(`after a standstill it is open only once the database has heard of it (${how} meanwhile)`, async (t) => {
    const { id } = journal;
    standStill(t);
    proxy.outage(how);
    assert.equal(journal.fresh, false);
    await assert.rejects(journal.open(), { code: "overloaded" });
    proxy.recover();
    assert.equal(await until("it is open", () => journal.open().catch(() => null)), id);
    assert.equal(journal.fresh, true);
    assert.deepEqual(await append(anEnd(1n)), KEPT);
  });

test("one that was fenced in a standstill is another one when it is open", async (t) => {
  const { id } = journal;
  await fence(id);
  standStill(t);
  assert.notEqual(await journal.open(), id);
  assert.deepEqual([journal.fresh, deaths], [true, 1]);
});

test("only the journal that is meant is lost", async () => {
  journal.lost(newUuid());
  assert.deepEqual(await append(anEnd(1n)), KEPT);
  journal.lost(journal.id ?? "");
  assert.deepEqual(await append(anEnd(1n)), DEAD);
  assert.equal(deaths, 1);
});

for (const how of ["broken", "silent"] as const)
  test(`closing ends also when the database is lost (${how}): nobody waits for ever`, async () => {
    assert.deepEqual(await append(anEnd(1n)), KEPT);
    proxy.outage(how);
    const heard = append(anEnd(2n));
    const startedMs = performance.now();
    await journal.close();
    assert.deepEqual(await heard, DEAD);
    assert.ok(performance.now() - startedMs < 20_000);
  });
