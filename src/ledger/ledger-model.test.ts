/** Random histories of the ledger against plain arithmetic (contract §6; hazards §16). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { BudgetPeriod } from "../contract/enums/budget-period.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import {
  createPageWriter,
  ended,
  given,
  growGrant,
  noted,
  openJournal,
  ownGrant,
  type PagedRequest,
  judgeDead,
} from "../../test/ledger/journal-world.ts";
import {
  bookAll,
  decide,
  inUse,
  limitRoom,
  nanos,
  postModel,
  release,
  standsIn,
  type Model,
  type ModelBudget,
  type ModelHold,
  type ModelJournal,
  type ModelRequest,
} from "../../test/ledger/ledger-model.ts";
import {
  amount,
  distinct,
  draw,
  granted,
  GROUPS,
  pickOf,
  rowOf,
  seen,
  type Real,
  type Row,
} from "../../test/ledger/model-grants.ts";
import {
  adjustDraw,
  adjustModel,
  creditDraw,
  creditModel,
} from "../../test/ledger/model-credit.ts";
import { passMonth } from "../../test/ledger/pass-month.ts";
import { carveDraw, carveTask, settleDraw, settleTask } from "../../test/ledger/model-tasks.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { postEnds } from "../serving/money/journal.store.ts";
import type { PageElement } from "../serving/money/page-elements.ts";
import { balance, openAccount, setAccountState } from "./accounts.store.ts";
import { placeBudget } from "./budget-groups.store.ts";
import {
  budgetState,
  closeBudget,
  openBudget,
  reopenBudget,
  updateBudget,
} from "./budgets.store.ts";
import { grantMany } from "./grants.store.ts";
import type { GrantVerdict } from "./hold-verdicts.ts";
import { CLOSE_JOURNAL, POST_JOURNAL, postWhole, unfinishedOf } from "./journals.store.ts";
import { creditByClass } from "./credit-classes.store.ts";
import { credit } from "./transfers.store.ts";
import { verify } from "./verify.store.ts";

type Command = fc.AsyncCommand<Model, Real>;

/**
 * A few thousand operations in some seconds; raise it for a long night. A failure prints its seed
 * and path.
 */
const HISTORIES = 50;
const MOST_ROUNDS = 4;

const OUTCOMES = [
  "full",
  "slice",
  "minimum",
  "leased",
  "lease grown",
  "hold raised",
  "insufficient-balance",
  "limit-exceeded",
  "budget-closed",
  "group-limit-exceeded",
  "group-closed",
  "moved",
  "account-blocked",
  "unknown-account",
  "gone",
  "told again",
  "ended of a lease",
  "ended of its own",
  "noted",
  "given",
  "given whole",
  "posted in part",
  "recovered",
  "released",
  "settled",
  "already-settled",
  "carved",
  "carved whole",
  "already-carved",
  "insufficient-hold",
  "unknown-hold",
  "credited",
  "duplicate",
  "trial credited",
  "bonus credited",
  "adjusted",
  "adjust refused",
  "gift taken back",
  "gift kept",
  "paid credit gone",
];

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  // The histories travel in time, which a real ledger refuses.
  await database.db.query("GRANT UPDATE ON ledger.entries TO CURRENT_USER");
  await database.db.query("ALTER TABLE ledger.entries DISABLE TRIGGER append_only");
});
after(async () => database.drop());

/** What the rows of accounts or budgets hold, with what leases do not use. */
async function rowsHold(table: "account" | "budget", ids: readonly Uuid[]): Promise<bigint[]> {
  const rows = await database.db.query<{ held: bigint }>(
    `SELECT held_nano AS held FROM ledger.${table}s JOIN unnest($1::uuid[]) WITH ORDINALITY AS u (${table}_id, at) USING (${table}_id) ORDER BY at`,
    [ids],
  );
  return rows.map(({ held }) => held);
}

async function assertSame(model: Model, real: Real): Promise<void> {
  for (const [index, account] of model.accounts.entries()) {
    const found = await balance(database.db, real.accounts[index] ?? "");
    assert.ok(found !== null);
    assert.ok(found.availableNano >= 0n, "available is never negative");
    const used = inUse(model, (hold) => hold.account === index);
    assert.deepEqual(
      [found.creditedNano, found.chargedNano, found.heldNano, found.state],
      [account.credited, account.charged, used, account.blocked ? "blocked" : "open"],
    );
    assert.deepEqual(await creditByClass(database.db, found.accountId), account.left);
  }
  const states = await budgetState(database.db, real.budgets);
  for (const [index, budget] of model.budgets.entries()) {
    const found = states.get(real.budgets[index] ?? "");
    assert.ok(found !== undefined);
    const used = inUse(model, (hold) => standsIn(hold, index));
    assert.deepEqual(
      [
        found.periodChargedNano,
        found.chargedNano,
        found.heldNano,
        found.availableNano,
        found.state,
      ],
      [
        budget.periodCharged,
        budget.charged,
        used,
        limitRoom(budget, used),
        budget.closed ? "closed" : "open",
      ],
    );
  }
  assert.deepEqual(
    [await rowsHold("account", real.accounts), await rowsHold("budget", real.budgets)],
    [model.accounts.map(({ held }) => held), model.budgets.map(({ held }) => held)],
  );
}

/** Every charge and every loss, once. */
async function assertEntries(model: Model, real: Real): Promise<void> {
  const entries = await database.db.query<{ id: Uuid; kind: string; amount: bigint }>(
    "SELECT entry_id AS id, kind::text, amount_nano AS amount FROM ledger.entries WHERE account_id = ANY ($1::uuid[])",
    [real.accounts],
  );
  const charges = entries.filter(({ kind }) => kind === "charge" || kind === "release");
  assert.deepEqual(new Map(charges.map(({ id, amount }) => [id, amount])), model.entries);
  let losses = 0n;
  for (const { kind, amount: nano } of entries) if (kind === "loss") losses += nano;
  assert.equal(losses, model.losses);
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      await assertSame(model, real);
    },
    toString: () => name,
  };
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? item.toString() : item));

const grantCommand = fc
  .tuple(
    fc.constantFrom(0, 0, 1, 1, null),
    fc.array(draw, { minLength: 1, maxLength: 5 }),
    fc.boolean(),
  )
  .map(([at, draws, again]) =>
    command(`grant ${at} ${text(draws)} again ${again}`, async (model, real) => {
      const journal = at === null ? null : (model.journals[at] ?? null);
      const journalId = journal?.writer.journalId ?? null;
      const rows = distinct(draws.map((row) => rowOf(model, real, journal, row)));
      const requests = rows.map(({ request }) => request);
      const verdicts = await grantMany(database.db, journalId, requests, false);
      for (const [index, row] of rows.entries()) {
        const expected = decide(model, row.request, row);
        assert.deepEqual(verdicts[index], expected);
        seen.add(expected.kind);
        granted(model, journal, row, expected);
      }
      if (again) await tellAgain(model, journal, rows, verdicts);
    }),
  );

/** The same batch, as if its first end had not been heard of. */
async function tellAgain(
  model: Model,
  journal: ModelJournal | null,
  rows: readonly Row[],
  first: readonly GrantVerdict[],
): Promise<void> {
  const requests = rows.map(({ request }) => request);
  const journalId = journal?.writer.journalId ?? null;
  const verdicts = await grantMany(database.db, journalId, requests, true);
  for (const [index, row] of rows.entries()) {
    const before = first[index];
    const { fullNano, sliceNano } = row.request;
    if (before?.kind === "held" && before.heldNano === fullNano)
      assert.deepEqual(verdicts[index], { ...before, tier: "full" });
    else if (before?.kind === "held" && before.heldNano === sliceNano)
      assert.deepEqual(verdicts[index], { ...before, tier: "slice" });
    else if (before?.kind === "leased")
      assert.deepEqual(verdicts[index], { ...before, roomNano: 0n }, "not granted twice");
    else if (before?.kind === "held")
      assert.deepEqual(verdicts[index], before, "it is reported, not granted twice");
    else {
      const expected = decide(model, row.request, row);
      assert.deepEqual(verdicts[index], expected);
      granted(model, journal, row, expected);
      continue;
    }
    seen.add("told again");
  }
}

/** In the memory of a process: the database does not hear of it. */
const admitCommand = fc.tuple(fc.nat(), fc.nat(), fc.boolean()).map(([pick, size, raises]) =>
  command(`admit ${pick} ${size} raises ${raises}`, async (model, real) => {
    const leases = [...model.holds.values()].filter(({ shared, free }) => shared && free > 0n);
    const hold = pickOf(leases, pick);
    if (hold === undefined) return;
    const { journal } = hold;
    assert.ok(journal !== null);
    const nano = 1n + (BigInt(size) % hold.free);
    hold.free -= nano;
    const live = journal.requests.find((request) => request.hold === hold);
    if (raises && live !== undefined) {
      live.paged = { ...live.paged, heldNano: nanos(live.paged.heldNano + nano) };
      return;
    }
    hold.live += 1;
    const [requestId, accountId] = [newUuid(), real.accounts[hold.account] ?? ""];
    const paged = { requestId, accountId, holdId: hold.holdId, heldNano: nanos(nano) };
    journal.requests.push({ paged, hold, noted: false });
  }),
);

function end(
  journal: ModelJournal,
  request: ModelRequest,
  charge: bigint,
  loss: bigint,
): PageElement {
  const { paged, hold, noted: wasNoted } = request;
  journal.requests.splice(journal.requests.indexOf(request), 1);
  const charged = charge < paged.heldNano ? charge : paged.heldNano;
  seen.add(hold.shared ? "ended of a lease" : "ended of its own");
  if (hold.shared) {
    hold.live -= 1;
    hold.free += paged.heldNano - charged;
  }
  return ended(paged, charged, { noted: wasNoted, lossNano: nanos(loss) });
}

/** What no request uses; the lease is over when none goes on. */
function giveBack(hold: ModelHold, accountId: Uuid): PageElement {
  const { free, live } = hold;
  hold.free = 0n;
  seen.add(live > 0 ? "given" : "given whole");
  return given(accountId, hold.holdId, live > 0 ? free : null);
}

const pageCommand = fc
  .tuple(
    fc.nat({ max: 1 }),
    fc.array(fc.tuple(fc.nat(), fc.boolean(), amount, fc.constantFrom(0n, 0n, 7n)), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.option(fc.nat(), { freq: 3 }),
    fc.nat({ max: 2 }),
  )
  .map(([at, picks, giving, pagedFirst]) =>
    command(
      `page ${at} ${text(picks)} gives ${giving} after ${pagedFirst}`,
      async (model, real) => {
        const journal = model.journals[at];
        assert.ok(journal !== undefined);
        const elements: PageElement[] = [];
        for (const [pick, ends, nano, loss] of picks) {
          const request = pickOf(journal.requests, pick);
          if (request === undefined) continue;
          if (ends) elements.push(end(journal, request, nano, loss));
          else {
            request.noted = true;
            seen.add("noted");
            elements.push(noted(request.paged, nano));
          }
        }
        const leases = [...model.holds.values()].filter(
          (hold) => hold.shared && hold.journal === journal && (hold.live > 0 || hold.free > 0n),
        );
        const lease = giving === null ? undefined : pickOf(leases, giving);
        if (lease !== undefined) elements.push(giveBack(lease, real.accounts[lease.account] ?? ""));
        const first = elements.slice(0, pagedFirst);
        for (const page of [first, elements.slice(pagedFirst)]) {
          if (page.length === 0) continue;
          assert.ok(await journal.writer.write(...page));
          journal.pages.push(page);
        }
      },
    ),
  );

const postCommand = fc.tuple(fc.nat({ max: 1 }), fc.constantFrom(1, 1, 2, 128)).map(([at, most]) =>
  command(`post ${at} up to ${most}`, async (model) => {
    const journal = model.journals[at];
    assert.ok(journal !== undefined);
    const expected = postModel(model, journal, most);
    const [posted] = await database.db.run(POST_JOURNAL, [journal.writer.journalId, most, true]);
    assert.deepEqual(posted, { more: expected });
    if (expected) seen.add("posted in part");
  }),
);

/** Of every process, and booked at once: what is left set aside is in use. */
const recallCommand = fc.nat({ max: 1 }).map((account) =>
  command(`recall ${account}`, async (model, real) => {
    for (const journal of model.journals) {
      const elements = [...model.holds.values()]
        .filter(
          (hold) =>
            hold.shared &&
            hold.journal === journal &&
            hold.account === account &&
            (hold.live > 0 || hold.free > 0n),
        )
        .map((hold) => giveBack(hold, real.accounts[account] ?? ""));
      if (elements.length > 0) {
        assert.ok(await journal.writer.write(...elements));
        journal.pages.push(elements);
      }
      await postWhole(database.db, journal.writer.journalId);
      postModel(model, journal, Infinity);
    }
    const live = model.journals.flatMap(({ requests }) => requests).concat(model.tasks);
    assert.equal(
      model.accounts[account]?.held,
      live
        .filter(({ hold }) => hold.account === account)
        .reduce((sum, { paged }) => sum + paged.heldNano, 0n),
    );
  }),
);

/** A process is judged dead: nothing of it is heard any more, and its journal is brought to its end. */
const fenceCommand = fc.nat({ max: 1 }).map((at) =>
  command(`fence ${at}`, async (model, real) => {
    const journal = model.journals[at];
    assert.ok(journal !== undefined);
    const { db } = database;
    const { journalId } = journal.writer;
    await db.transaction((tx) => judgeDead(tx, journalId));
    const paged: PagedRequest = journal.requests[0]?.paged ?? {
      requestId: newUuid(),
      accountId: real.accounts[0] ?? "",
      holdId: newUuid(),
      heldNano: nanos(1n),
    };
    assert.equal(await journal.writer.write(ended(paged, 1n)), false);
    const more = [ownGrant(paged.accountId, 1n), growGrant(paged.accountId, paged.holdId, 1n)];
    assert.deepEqual(await grantMany(db, journalId, more, false), [
      { kind: "fenced" },
      { kind: "fenced" },
    ]);
    await postWhole(db, journalId);
    postModel(model, journal, Infinity);
    await recover(model, journal);
    model.journals[at] = await newJournal();
  }),
);

async function recover(model: Model, journal: ModelJournal): Promise<void> {
  const { db } = database;
  const { journalId } = journal.writer;
  const left = await unfinishedOf(db, journalId, { except: [], limit: 100 });
  const expected = [...model.unfinished].filter(([, { hold }]) => hold.journal === journal);
  assert.deepEqual(
    new Map(left.map((one) => [one.requestId, [one.holdId, one.heldNano, one.recordedNano]])),
    new Map(expected.map(([id, one]) => [id, [one.hold.holdId, one.held, one.recorded]])),
  );
  const ends = left.map((one) => ended(one, one.recordedNano, { noted: true }));
  if (ends.length > 0) seen.add("recovered");
  await db.transaction((tx) => postEnds(tx, journalId, ends));
  bookAll(model, ends);
  await db.run(CLOSE_JOURNAL, [journalId]);
  for (const hold of model.holds.values())
    if (hold.journal === journal) {
      seen.add("released");
      release(model, hold);
    }
}

async function newJournal(): Promise<ModelJournal> {
  const writer = createPageWriter(database.db, await openJournal(database.db));
  return { writer, pages: [], requests: [] };
}

const settleCommand = settleDraw.map((drawn) =>
  command(`settle ${text(drawn)}`, (model) => settleTask(database.db, model, drawn)),
);

const carveCommand = carveDraw.map((drawn) =>
  command(`carve ${text(drawn)}`, (model, real) => carveTask(database.db, model, real, drawn)),
);

const creditCommand = creditDraw.map((drawn) =>
  command(`credit ${text(drawn)}`, (model, real) => creditModel(database.db, model, real, drawn)),
);

const adjustCommand = adjustDraw.map((drawn) =>
  command(`adjust ${text(drawn)}`, (model, real) => adjustModel(database.db, model, real, drawn)),
);

const limitCommand = fc
  .tuple(fc.nat({ max: 4 }), fc.option(fc.bigInt({ min: 0n, max: 600n })))
  .map(([at, limit]) =>
    command(`limit ${at} ${limit}`, async (model, real) => {
      const budget = model.budgets[at];
      assert.ok(budget !== undefined);
      const change = {
        budgetId: real.budgets[at] ?? "",
        limitNano: limit === null ? null : nanos(limit),
        period: budget.period,
      };
      await database.db.transaction((tx) => updateBudget(tx, change));
      budget.limit = limit;
    }),
  );

const stateCommand = fc.tuple(fc.nat({ max: 1 }), fc.boolean()).map(([at, blocked]) =>
  command(`${blocked ? "block" : "open"} ${at}`, async (model, real) => {
    await setAccountState(database.db, real.accounts[at] ?? "", blocked ? "blocked" : "open");
    const account = model.accounts[at];
    if (account !== undefined) account.blocked = blocked;
  }),
);

// Rarely: a closed budget ends most of what can happen in it.
const closeCommand = fc.nat({ max: 20 }).map((at) =>
  command(`close budget ${at}`, async (model, real) => {
    await closeBudget(database.db, real.budgets[at] ?? newUuid());
    const budget = model.budgets[at];
    if (budget !== undefined) budget.closed = true;
  }),
);

/** A group off, or on again. */
const switchCommand = fc.tuple(fc.constantFrom(...GROUPS), fc.boolean()).map(([at, off]) =>
  command(`switch ${at} ${off ? "off" : "on"}`, async (model, real) => {
    await (off ? closeBudget : reopenBudget)(database.db, real.budgets[at] ?? "");
    const group = model.budgets[at];
    if (group !== undefined) group.closed = off;
  }),
);

const nextMonthCommand = fc.constant(
  command("next month", async (model, real) => {
    await database.db.transaction((tx) => passMonth(tx, real.accounts));
    for (const budget of model.budgets) if (budget.period === "month") budget.periodCharged = 0n;
  }),
);

async function place(accountId: Uuid, budgetId = "", groupId: Uuid | null = null): Promise<void> {
  assert.equal(await placeBudget(database.db, { accountId, budgetId, groupId }), "placed");
}

/** One budget into another group, or into none; what it had admitted stays where it is. */
const moveCommand = fc.tuple(fc.nat({ max: 1 }), fc.constantFrom(...GROUPS, null)).map(([at, to]) =>
  command(`move ${at} to ${to}`, async (model, real) => {
    await place(real.accounts[0] ?? "", real.budgets[at], to === null ? null : real.budgets[to]);
    const budget = model.budgets[at];
    if (budget !== undefined) budget.group = to;
  }),
);

async function newWorld(): Promise<{ model: Model; real: Real }> {
  const accounts = [newUuid(), newUuid()];
  const budgets: ModelBudget[] = [
    { account: 0, limit: null, period: "total", group: 3 },
    { account: 0, limit: 250n, period: "month", group: 3 },
    { account: 1, limit: 120n, period: "total", group: null },
    { account: 0, limit: 300n, period: "month", group: null },
    { account: 0, limit: 150n, period: "total", group: null },
  ].map((budget) => ({
    ...budget,
    period: budget.period as BudgetPeriod,
    periodCharged: 0n,
    charged: 0n,
    held: 0n,
    closed: false,
  }));
  const budgetIds = budgets.map(() => newUuid());
  for (const [index, accountId] of accounts.entries()) {
    await openAccount(database.db, accountId);
    await credit(database.db, {
      accountId,
      amountNano: nanos(index === 0 ? 1500n : 200n),
      reference: newUuid(),
      kind: "topup",
    });
  }
  for (const [index, budget] of budgets.entries()) {
    const limitNano = budget.limit === null ? null : nanos(budget.limit);
    await openBudget(database.db, {
      budgetId: budgetIds[index] ?? "",
      accountId: accounts[budget.account] ?? "",
      limitNano,
      period: budget.period,
    });
  }
  for (const [at, { account, group }] of budgets.entries())
    if (group !== null) await place(accounts[account] ?? "", budgetIds[at], budgetIds[group]);
  const model: Model = {
    accounts: [1500n, 200n].map((credited) => ({
      credited,
      left: { paid: credited, trial: 0n, bonus: 0n },
      charged: 0n,
      held: 0n,
      blocked: false,
    })),
    budgets,
    holds: new Map(),
    unfinished: new Map(),
    entries: new Map(),
    losses: 0n,
    journals: [await newJournal(), await newJournal()],
    tasks: [],
    references: [],
  };
  return { model, real: { accounts, budgets: budgetIds } };
}

test("any history of leases, holds, pages, posts, recalls, deaths, settlements, carvings, credits, adjustments, limits, groups, blocks and period rolls equals plain arithmetic, and verify agrees", async () => {
  // Evenly spread: short histories of small amounts meet no limit.
  const commands = fc.commands(
    [
      grantCommand,
      grantCommand,
      grantCommand,
      grantCommand,
      grantCommand,
      admitCommand,
      admitCommand,
      pageCommand,
      pageCommand,
      pageCommand,
      pageCommand,
      pageCommand,
      postCommand,
      recallCommand,
      fenceCommand,
      fenceCommand,
      settleCommand,
      carveCommand,
      carveCommand,
      creditCommand,
      adjustCommand,
      limitCommand,
      stateCommand,
      closeCommand,
      moveCommand,
      switchCommand,
      nextMonthCommand,
    ],
    { maxCommands: 60, size: "max" },
  );
  const unmet = (): string[] => OUTCOMES.filter((outcome) => !seen.has(outcome));
  // By chance some histories meet no rare outcome: then there are more.
  for (let round = 0; round === 0 || (round < MOST_ROUNDS && unmet().length > 0); round++)
    await fc.assert(
      fc.asyncProperty(fc.noBias(commands), async (history) => {
        const world = await newWorld();
        await fc.asyncModelRun(async () => world, history);
        for (const journal of world.model.journals) {
          await postWhole(database.db, journal.writer.journalId);
          postModel(world.model, journal, Infinity);
        }
        await assertSame(world.model, world.real);
        await assertEntries(world.model, world.real);
        const { mismatches } = await database.db.transaction(verify);
        assert.deepEqual(mismatches, []);
      }),
      { numRuns: HISTORIES },
    );
  assert.deepEqual(unmet(), [], "outcomes that no history met");
});
