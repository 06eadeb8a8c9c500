/** The database's side of leases as plain arithmetic, for tests of what a process remembers. */
import assert from "node:assert/strict";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import type { GrantRequest, GrantVerdict } from "../../src/ledger/hold-verdicts.ts";
import { LeaseBook, type LeaseBookDeps } from "../../src/ledger/lease-book.ts";
import type { Lease, LiveHold } from "../../src/ledger/lease.ts";

export class PlainLedger {
  readonly funds: bigint;
  room: bigint;
  charged = 0n;
  /** Rows of the table of holds. */
  readonly holds = new Map<Uuid, { nano: bigint; shared: boolean }>();
  readonly asked: GrantRequest[] = [];
  readonly given: (bigint | null)[] = [];
  nowMs = 1_000;
  fresh = true;
  /** In which the budget of every request lies. */
  group: Uuid | null = null;
  /** How often it was asked for. */
  corrected = 0;
  decided = true;
  /** Runs around every decision; may fail before or after it. */
  around: (decide: () => GrantVerdict) => Promise<GrantVerdict> = async (decide) => decide();
  makeRoom: (accountId: Uuid) => Promise<void> = async () => {};

  constructor(funds: bigint) {
    this.funds = funds;
    this.room = funds;
  }

  book(): LeaseBook {
    const deps: LeaseBookDeps = {
      nowMs: () => this.nowMs,
      isFresh: () => this.fresh,
      isDecided: () => this.decided,
      grant: (request) => {
        this.asked.push(request);
        return this.around(() => this.#decide(request));
      },
      give: ({ holdId }, amountNano) => this.#give(holdId, amountNano),
      groupOf: async () => {
        this.corrected += 1;
        return this.group;
      },
      makeRoom: (accountId) => this.makeRoom(accountId),
    };
    return new LeaseBook(deps);
  }

  #decide(request: GrantRequest): GrantVerdict {
    const { holdId, groupId, lease, fullNano, sliceNano, minimumNano, grows } = request;
    if (grows && !this.holds.has(holdId)) return { kind: "gone" };
    if (!grows && groupId !== this.group) return { kind: "moved" };
    if (lease !== null) {
      const most = this.room / 20n;
      const grantedNano = lease.wantNano < most ? lease.wantNano : (most as Nano);
      if (grantedNano >= (fullNano ?? sliceNano)) {
        const roomNano = this.room as Nano;
        this.#set(lease.leaseId, grantedNano, true);
        return { kind: "leased", grantedNano, roomNano };
      }
    }
    const heldNano = [sliceNano, minimumNano].find((nano) => nano <= this.room);
    if (heldNano === undefined)
      return {
        kind: "insufficient-balance",
        availableNano: this.room as Nano,
        heldNano: 0n as Nano,
      };
    this.#set(holdId, heldNano, false);
    return { kind: "held", heldNano, tier: heldNano === sliceNano ? "slice" : "minimum" };
  }

  #set(holdId: Uuid, nano: bigint, shared: boolean): void {
    const hold = this.holds.get(holdId) ?? { nano: 0n, shared };
    hold.nano += nano;
    this.holds.set(holdId, hold);
    this.room -= nano;
  }

  #give(holdId: Uuid, amountNano: bigint | null): void {
    this.given.push(amountNano);
    const hold = this.holds.get(holdId);
    if (hold === undefined) return;
    const nano = amountNano ?? hold.nano;
    hold.nano -= nano;
    this.room += nano;
    if (amountNano === null) this.holds.delete(holdId);
    this.check();
  }

  /** What a page says of a request that ended. */
  end({ requestId, lease }: LiveHold, chargedNano: bigint): void {
    const holdId = lease?.leaseId ?? requestId;
    const hold = this.holds.get(holdId);
    assert.ok(hold !== undefined && hold.nano >= chargedNano, "no more is charged than is held");
    hold.nano -= chargedNano;
    this.charged += chargedNano;
    if (lease === null) this.#give(holdId, null);
    this.check();
  }

  /** What is charged, free and held is all there ever was. */
  check(): void {
    let held = 0n;
    for (const { nano } of this.holds.values()) {
      assert.ok(nano >= 0n, "a hold is never below zero");
      held += nano;
    }
    assert.ok(this.room >= 0n);
    assert.equal(this.charged + this.room + held, this.funds);
  }

  get leaseRows(): bigint[] {
    return [...this.holds.values()].flatMap(({ nano, shared }) => (shared ? [nano] : []));
  }
}

/** Of leases of which requests go on: what these hold and what is free is all of it. */
export function checkBook(book: LeaseBook, ledger: PlainLedger): void {
  const used = new Map<Lease, bigint>();
  for (const { lease, heldNano } of book.live.values())
    if (lease !== null) used.set(lease, (used.get(lease) ?? 0n) + heldNano);
  for (const [lease, nano] of used) {
    assert.ok(lease.freeNano >= 0n && lease.totalNano >= 0n, "never below zero");
    assert.equal(nano + lease.freeNano, lease.totalNano);
    const row = ledger.holds.get(lease.leaseId)?.nano ?? 0n;
    assert.ok(lease.totalNano <= row, "no more is used than was set aside");
    if (!lease.uncertain && lease.asking === null) assert.equal(lease.totalNano, row);
  }
}
