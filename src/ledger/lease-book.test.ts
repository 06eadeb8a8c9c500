/** What a process admits by its leases, how they grow, and that all of them is given back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exactHold } from "../../test/ledger/ledger-world.ts";
import { checkBook, PlainLedger } from "../../test/ledger/plain-ledger.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { GrantVerdict } from "./hold-verdicts.ts";
import type { LeaseBook } from "./lease-book.ts";
import type { LiveHold } from "./lease.ts";

const accountId = newUuid();
const ask = (amount: bigint) => exactHold(accountId, amount);
const add = (holdId: Uuid, amount: bigint) => ({
  holdId,
  addNano: amount as Nano,
  recordedNano: 0n as Nano,
  detail: "{}",
});

function end(book: LeaseBook, ledger: PlainLedger, holdId: Uuid, charge: bigint): void {
  const live = book.take(holdId);
  assert.ok(live !== undefined);
  ledger.end(live, charge);
  book.ended(live, charge as Nano);
}

test("the first request of a key asks for a lease, those after it are admitted at once, without the database", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  assert.deepEqual(await book.hold(ask(10n)), { kind: "held", heldNano: 10n, tier: "slice" });
  assert.deepEqual(ledger.leaseRows, [40n], "four of what is asked for");
  for (let nth = 0; nth < 2; nth++)
    assert.deepEqual(book.hold(ask(10n)), { kind: "held", heldNano: 10n, tier: "slice" });
  assert.equal(ledger.asked.length, 1);
  checkBook(book, ledger);
});

test("a lease is of a group: a request that names another is decided by the database, and corrected; one in no group asks for nothing more", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  const [group, other] = [newUuid(), newUuid()];
  const inGroup = (groupId: Uuid | null) => exactHold(accountId, 10n, { groupId });
  await book.hold(inGroup(null));
  assert.equal(ledger.asked.length, 1);
  ledger.group = group;
  await book.hold(inGroup(group));
  assert.deepEqual(ledger.asked.at(-1)?.lease, null, "beside the lease of before, by its own hold");
  // It remembers the group of before, in which the lease is.
  assert.equal((await book.hold(inGroup(other))).kind, "held");
  assert.deepEqual(
    ledger.asked.slice(2).map(({ groupId }) => groupId),
    [other, group],
  );
  ledger.group = null;
  book.recall(null);
  ledger.nowMs += 2_000;
  for (let nth = 0; nth < 3; nth++) await book.hold(inGroup(null));
  assert.equal(ledger.asked.length, 5, "one lease for all three");
  assert.deepEqual(ledger.corrected, 1);
});

test("a lease grows before it is used up, so that no request waits", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  for (let nth = 0; nth < 60; nth++) {
    const verdict = book.hold(ask(10n));
    if (nth > 0) assert.ok(!(verdict instanceof Promise), `the ${nth}th waits`);
    await verdict;
    await Promise.resolve();
    await Promise.resolve();
  }
  assert.equal(book.leases, 1);
  checkBook(book, ledger);
});

test("far from any limit a lease grows by more than it is asked for, but not by more than a trifle of what is free", async () => {
  for (const [funds, grown] of [
    [1_000_000n, 320n],
    [200_000n, 100n],
    [50_000n, 40n],
  ] as const) {
    const ledger = new PlainLedger(funds);
    const book = ledger.book();
    for (let nth = 0; nth < 4; nth++) await book.hold(ask(10n));
    await Promise.resolve();
    assert.deepEqual(
      ledger.asked.map(({ lease }) => lease?.wantNano),
      [40n, grown],
    );
    checkBook(book, ledger);
  }
});

test("requests that come together wait for one lease", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  await Promise.all([1, 2, 3].map(async () => book.hold(ask(10n))));
  assert.equal(ledger.asked.length, 1);
  assert.deepEqual(ledger.leaseRows, [40n]);
});

test("near an edge each request has a hold of its own, for a second, and then a lease is tried again", async () => {
  const ledger = new PlainLedger(100n);
  const book = ledger.book();
  const first = ask(10n);
  await book.hold(first);
  await book.hold(ask(10n));
  assert.deepEqual(
    ledger.asked.map(({ lease }) => lease !== null),
    [true, false],
  );
  assert.deepEqual(ledger.leaseRows, []);
  assert.equal(book.live.get(first.holdId)?.lease, null);
  ledger.nowMs += 1_000;
  await book.hold(ask(1n));
  assert.equal(ledger.asked.at(-1)?.lease !== null, true);
});

test("before a request is refused room is made; then it is decided once more, for a hold of its own", async () => {
  const ledger = new PlainLedger(1_000n);
  const book = ledger.book();
  const [kept, refused] = [ask(10n), ask(990n)];
  await book.hold(kept);
  const rooms: Uuid[] = [];
  ledger.makeRoom = async (id) => {
    rooms.push(id);
    book.recall(id);
  };
  assert.equal((await book.hold(refused)).kind, "held", "of the lease 30 were free");
  assert.deepEqual(rooms, [accountId]);
  assert.equal((await book.hold(ask(1n))).kind, "insufficient-balance");
  assert.equal(ledger.room, 0n);
  checkBook(book, ledger);
});

test("what ends is free for others; a recall gives that back at once, and the rest as it comes free", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  const [one, two] = [ask(10n), ask(10n)];
  await book.hold(one);
  await book.hold(two);
  end(book, ledger, one.holdId, 4n);
  checkBook(book, ledger);
  book.recall(newUuid());
  assert.deepEqual(ledger.given, [], "of another account");
  book.recall(accountId);
  assert.deepEqual(ledger.given, [26n]);
  assert.equal(book.leases, 0);
  assert.deepEqual(ledger.leaseRows, [10n]);
  end(book, ledger, two.holdId, 3n);
  assert.deepEqual(ledger.given, [26n, null]);
  assert.equal(ledger.room, 10_000n - 7n);
});

test("a lease of which all was charged is given back, too: its row would be waited for at every recall", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  const all = ask(40n);
  await book.hold(ask(10n));
  const first = [...book.live.values()][0]?.requestId;
  end(book, ledger, first ?? "", 0n);
  await book.hold(all);
  end(book, ledger, all.holdId, 40n);
  await Promise.resolve();
  book.recall(accountId);
  assert.equal(ledger.holds.size, 0);
});

test("a lease that nobody used for five seconds is given back where it is more than a trifle", async () => {
  const ledger = new PlainLedger(2_000n);
  const book = ledger.book();
  const request = ask(10n);
  await book.hold(request);
  end(book, ledger, request.holdId, 10n);
  ledger.nowMs += 4_999;
  book.tick();
  assert.equal(book.leases, 1);
  ledger.nowMs += 1;
  book.tick();
  assert.equal(book.leases, 0);
  assert.equal(ledger.room, 1_990n);
});

test("a lease that is a trifle of what is free is kept for five minutes, so that a key that asks now and then waits for no grant", async () => {
  const ledger = new PlainLedger(1_000_000n);
  const book = ledger.book();
  for (let nth = 0; nth < 10; nth++) {
    const request = ask(10n);
    await book.hold(request);
    end(book, ledger, request.holdId, 1n);
    ledger.nowMs += 299_999;
    book.tick();
  }
  assert.equal(ledger.asked.length, 1);
  ledger.nowMs += 1;
  book.tick();
  assert.equal(book.leases, 0);
  assert.equal(ledger.room, 999_990n);
});

test("nothing is admitted from memory while other processes may have judged this one dead", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  const request = ask(10n);
  await book.hold(request);
  ledger.fresh = false;
  await book.hold(ask(1n));
  await book.extend(add(request.holdId, 1n));
  assert.equal(ledger.asked.length, 3, "the database is asked each time");
});

test("a raise comes out of the lease, else of the database; refused, it leaves the hold as it is", async () => {
  const ledger = new PlainLedger(1_000n);
  const book = ledger.book();
  const request = ask(10n);
  await book.hold(request);
  assert.deepEqual(await book.extend(add(request.holdId, 20n)), {
    kind: "extended",
    heldNano: 30n,
  });
  assert.equal(ledger.asked.length, 1);
  assert.deepEqual(await book.extend(add(request.holdId, 500n)), {
    kind: "extended",
    heldNano: 530n,
  });
  checkBook(book, ledger);
  const rooms: Uuid[] = [];
  ledger.makeRoom = async (id) => void rooms.push(id);
  assert.deepEqual(await book.extend(add(request.holdId, 5_000n)), {
    kind: "refused",
    heldNano: 530n,
  });
  assert.deepEqual(rooms, [accountId]);
  assert.deepEqual(await book.extend(add(newUuid(), 1n)), { kind: "gone" });
  checkBook(book, ledger);
});

test("a grant without a verdict is given back whole, once it is decided", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  ledger.around = async (decide) => {
    decide();
    throw new Error("lost");
  };
  ledger.decided = false;
  await assert.rejects(async () => book.hold(ask(10n)), /lost/);
  assert.deepEqual(ledger.leaseRows, [40n]);
  assert.equal(book.leases, 0);
  book.tick();
  assert.deepEqual(ledger.given, []);
  ledger.decided = true;
  book.tick();
  assert.equal(ledger.room, 10_000n);
});

test("with its journal all is lost: nothing ends, nothing grows, nothing is given back", async () => {
  const ledger = new PlainLedger(10_000n);
  const book = ledger.book();
  const [shared, taken] = [ask(10n), ask(10n)];
  await book.hold(shared);
  await book.hold(taken);
  book.lose();
  assert.equal(book.take(shared.holdId), undefined);
  assert.deepEqual(await book.extend(add(shared.holdId, 1n)), { kind: "gone" });
  book.recall(null);
  book.tick();
  assert.deepEqual(ledger.given, []);
  assert.equal(book.live.size + book.leases, 0);
});

type Op =
  | { readonly op: "hold"; readonly key: number; readonly amount: bigint }
  | { readonly op: "extend"; readonly pick: number; readonly amount: bigint }
  | { readonly op: "end"; readonly pick: number; readonly charge: bigint }
  | { readonly op: "recall" | "tick" | "decide" }
  | { readonly op: "wait"; readonly ms: number };

const amount = fc.bigInt({ min: 0n, max: 60n });
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant("hold"), key: fc.nat({ max: 2 }), amount }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("extend"), pick: fc.nat(), amount }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("end"), pick: fc.nat(), charge: amount }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constantFrom("recall", "tick", "decide") }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant("wait"), ms: fc.nat({ max: 2_500 }) }) },
);

/** Answers come in any order, late, or not at all. */
class Play {
  readonly ledger: PlainLedger;
  readonly book: LeaseBook;
  readonly #keys = [null, newUuid(), newUuid()];
  readonly #open: (() => void)[] = [];
  readonly #promises: Promise<unknown>[] = [];

  constructor(funds: bigint, losses: readonly number[]) {
    this.ledger = new PlainLedger(funds);
    this.book = this.ledger.book();
    let nth = 0;
    this.ledger.around = async (decide) => {
      const loss = losses[nth++ % Math.max(1, losses.length)] ?? 0;
      await new Promise<void>((resolve) => this.#open.push(resolve));
      return lossy(decide, loss);
    };
    this.ledger.makeRoom = async (id) => this.book.recall(id);
  }

  async do(step: Op): Promise<void> {
    const { book, ledger } = this;
    const pick =
      "pick" in step
        ? [...book.live.values()][step.pick % Math.max(1, book.live.size)]?.requestId
        : "";
    if (step.op === "hold") {
      const request = exactHold(accountId, step.amount, { budgetId: this.#keys[step.key] ?? null });
      this.#promises.push(Promise.resolve(book.hold(request)).catch(() => {}));
    } else if (step.op === "extend") {
      this.#promises.push(book.extend(add(pick ?? "", step.amount)).catch(() => {}));
    } else if (step.op === "end") {
      const live = book.take(pick ?? "");
      if (live !== undefined) this.#end(live, step.charge);
    } else if (step.op === "recall") book.recall(accountId);
    else if (step.op === "tick") book.tick();
    else if (step.op === "decide") ledger.decided = !ledger.decided;
    else if (step.op === "wait") await this.#wait(step.ms);
    ledger.check();
  }

  #end(live: LiveHold, charge: bigint): void {
    const charged = charge < live.heldNano ? charge : live.heldNano;
    this.ledger.end(live, charged);
    this.book.ended(live, charged as Nano);
  }

  async #wait(ms: number): Promise<void> {
    this.ledger.nowMs += ms;
    this.#open.splice(ms % Math.max(1, this.#open.length), 1)[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    checkBook(this.book, this.ledger);
  }

  async finish(): Promise<void> {
    let settled = false;
    void Promise.all(this.#promises).then(() => (settled = true));
    for (let turn = 0; turn < 10_000 && !(settled && this.#open.length === 0); turn++)
      await this.#wait(0);
    for (const live of [...this.book.live.values()]) {
      this.book.take(live.requestId);
      this.#end(live, 0n);
    }
    this.ledger.decided = true;
    this.book.recall(null);
    this.book.tick();
    await this.#wait(0);
  }
}

/** 1: never heard of, though it was decided; 2: never came there. */
function lossy(decide: () => GrantVerdict, loss: number): GrantVerdict {
  if (loss === 2) throw new Error("out of reach");
  const verdict = decide();
  if (loss === 1) throw new Error("not heard of");
  return verdict;
}

test("whatever the order of answers, recalls and ends: nothing below zero, live holds and what is free is the lease, and all that is not charged comes back", async () => {
  const seen = { recalled: 0, leased: 0, uncertain: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 200n, max: 20_000n }),
      fc.array(fc.constantFrom(0, 0, 0, 0, 0, 1, 2), { maxLength: 12 }),
      fc.array(op, { maxLength: 80, size: "max" }),
      async (funds, losses, steps) => {
        const play = new Play(funds, losses);
        for (const step of steps) await play.do(step);
        await play.finish();
        const { ledger } = play;
        ledger.check();
        if (ledger.given.length > 0) seen.recalled += 1;
        if (ledger.asked.some(({ lease }) => lease !== null)) seen.leased += 1;
        if (losses.includes(1)) seen.uncertain += 1;
        assert.deepEqual(ledger.leaseRows, [], "no lease is left");
        // Of a hold of its own whose verdict was never heard, its request's end gives back what is left.
        if (!losses.includes(1)) assert.equal(ledger.holds.size, 0);
      },
    ),
    { numRuns: 400 },
  );
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 0, what);
});
