/**
 * A process as the books see it, doing what a random generator says: leases, holds of its own,
 * pages, its death and a new life. It never says more than it was granted.
 */
import assert from "node:assert/strict";
import type { Db } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { grantMany, type TokenedGrant } from "../../src/ledger/grants.store.ts";
import { CLOSE_JOURNAL, postWhole, unfinishedOf } from "../../src/ledger/journals.store.ts";
import { postEnds } from "../../src/serving/money/journal.store.ts";
import type { PageElement } from "../../src/serving/money/page-elements.ts";
import {
  createPageWriter,
  ended,
  given,
  growGrant,
  leaseGrant,
  noted,
  openJournal,
  ownGrant,
  type PageWriter,
  type PagedRequest,
  judgeDead,
} from "./journal-world.ts";
import { asRepeated } from "./ledger-world.ts";

interface HeldLease {
  readonly leaseId: Uuid;
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
  free: bigint;
  live: number;
}
interface HeldRequest {
  paged: PagedRequest;
  readonly budgetId: Uuid | null;
  readonly lease: HeldLease | null;
  noted: boolean;
}

export type Pick = (count: number) => number;

export class RandomProcess {
  readonly #db: Db;
  readonly #pick: Pick;
  readonly #places: readonly { readonly accountId: Uuid; readonly budgetId: Uuid | null }[];
  #writer: PageWriter;
  #leases: HeldLease[] = [];
  #requests: HeldRequest[] = [];
  /** Of requests that were ended: what has to be charged, once all is posted. */
  charged = 0n;

  private constructor(db: Db, pick: Pick, places: RandomProcess["places"], writer: PageWriter) {
    this.#db = db;
    this.#pick = pick;
    this.#places = places;
    this.#writer = writer;
  }

  static async start(db: Db, pick: Pick, places: RandomProcess["places"]): Promise<RandomProcess> {
    return new RandomProcess(db, pick, places, createPageWriter(db, await openJournal(db)));
  }

  get places(): readonly { readonly accountId: Uuid; readonly budgetId: Uuid | null }[] {
    return this.#places;
  }

  get journalId(): Uuid {
    return this.#writer.journalId;
  }

  #nanos(most: number): Nano {
    return BigInt(this.#pick(most)) as Nano;
  }

  /** Some grants in one batch, sometimes told twice. */
  async grant(): Promise<void> {
    const named = new Set<Uuid>();
    const rows = Array.from({ length: 1 + this.#pick(6) }, () => this.#someGrant()).filter(
      ({ request: { lease, holdId } }) => {
        const id = lease?.leaseId ?? holdId;
        return !named.has(id) && named.add(id);
      },
    );
    const requests = rows.map(({ request }) => request);
    let verdicts = await grantMany(this.#db, this.journalId, requests, false);
    if (this.#pick(4) === 0) {
      const first = verdicts;
      verdicts = await grantMany(this.#db, this.journalId, requests, true);
      for (const [at, verdict] of first.entries())
        if (verdict.kind === "held" || verdict.kind === "leased")
          assert.deepEqual(verdicts[at], asRepeated(verdict), "it is told again, not done twice");
    }
    for (const [at, { granted }] of rows.entries()) {
      const verdict = verdicts[at];
      if (verdict?.kind === "leased") granted(verdict.grantedNano, true);
      else if (verdict?.kind === "held") granted(verdict.heldNano, false);
    }
  }

  #someGrant(): { request: TokenedGrant; granted: (nano: bigint, leased: boolean) => void } {
    const place = this.#places[this.#pick(this.#places.length)] ?? {
      accountId: "",
      budgetId: null,
    };
    const { accountId, budgetId } = place;
    const kind = this.#pick(10);
    const own = this.#requests[this.#pick(Math.max(1, this.#requests.length))];
    if (kind < 2 && own !== undefined && own.lease === null) {
      const add = this.#nanos(60);
      const { requestId } = own.paged;
      return {
        request: growGrant(own.paged.accountId, requestId, add, { budgetId: own.budgetId }),
        granted: (nano) => {
          own.paged = { ...own.paged, heldNano: (own.paged.heldNano + nano) as Nano };
        },
      };
    }
    if (kind < 6) return this.#someLease(accountId, budgetId);
    const request = ownGrant(accountId, BigInt(1 + this.#pick(120)), {
      budgetId,
      minimumNano: this.#nanos(40),
      // More than all the others: a repetition tells which of them it was by the amount.
      fullNano: this.#pick(4) === 0 ? ((121n + this.#nanos(100)) as Nano) : null,
    });
    return { request, granted: (nano) => this.#hold(request, null, nano) };
  }

  #someLease(
    accountId: Uuid,
    budgetId: Uuid | null,
  ): { request: TokenedGrant; granted: (nano: bigint, leased: boolean) => void } {
    const mine = this.#leases.find(
      (one) => one.accountId === accountId && one.budgetId === budgetId,
    );
    const lease = mine ?? { leaseId: newUuid(), accountId, budgetId, free: 0n, live: 0 };
    const request = leaseGrant(accountId, BigInt(this.#pick(60)), BigInt(1 + this.#pick(12)), {
      budgetId,
      lease: { leaseId: lease.leaseId, wantNano: BigInt(1 + this.#pick(60)) as Nano },
    });
    return {
      request,
      granted: (nano, leased) => {
        if (!leased) return this.#hold(request, null, nano);
        lease.free += nano;
        if (!this.#leases.includes(lease)) this.#leases.push(lease);
      },
    };
  }

  #hold({ accountId, budgetId, holdId }: TokenedGrant, lease: HeldLease | null, nano: bigint) {
    const paged = {
      requestId: holdId,
      accountId,
      holdId: lease?.leaseId ?? holdId,
      heldNano: nano as Nano,
    };
    this.#requests.push({ paged, budgetId, lease, noted: false });
  }

  /** A request in memory only, out of a lease. */
  admit(): void {
    const lease = this.#leases[this.#pick(Math.max(1, this.#leases.length))];
    if (lease === undefined || lease.free === 0n) return;
    const nano = BigInt(1 + this.#pick(Number(lease.free)));
    lease.free -= nano;
    lease.live += 1;
    this.#hold(ownGrant(lease.accountId, nano, { budgetId: lease.budgetId }), lease, nano);
  }

  /** One page: some requests end, some are noted, some leases give back. */
  async page(): Promise<void> {
    const elements: PageElement[] = [];
    for (const request of this.#requests.splice(0)) {
      const what = this.#pick(4);
      if (what === 0) elements.push(this.#end(request));
      else {
        if (what === 1) {
          request.noted = true;
          elements.push(noted(request.paged, BigInt(this.#pick(80))));
        }
        this.#requests.push(request);
      }
    }
    for (const lease of this.#leases.splice(0)) {
      if (this.#pick(5) > 0) this.#leases.push(lease);
      else elements.push(...this.#giveBack(lease));
    }
    if (elements.length > 0) assert.ok(await this.#writer.write(...elements));
  }

  #end({ paged, lease, noted: wasNoted }: HeldRequest): PageElement {
    const charge = BigInt(this.#pick(Number(paged.heldNano) + 1));
    this.charged += charge;
    if (lease !== null) {
      lease.live -= 1;
      lease.free += paged.heldNano - charge;
    }
    return ended(paged, charge, { noted: wasNoted, lossNano: this.#nanos(2) });
  }

  #giveBack(lease: HeldLease): PageElement[] {
    if (lease.live === 0) return [given(lease.accountId, lease.leaseId, null)];
    this.#leases.push(lease);
    const { free } = lease;
    lease.free = 0n;
    return [given(lease.accountId, lease.leaseId, free)];
  }

  /** Judged dead, ended by another process, and alive again under another journal. */
  async die(): Promise<void> {
    const { journalId } = this;
    await this.#db.transaction((tx) => judgeDead(tx, journalId));
    await postWhole(this.#db, journalId);
    await this.#db.transaction(async (tx) => {
      const left = await unfinishedOf(tx, journalId, { except: [], limit: 1_000 });
      const ends = left.map((one) => ended(one, one.recordedNano, { noted: true }));
      for (const { chargeNano } of ends) this.charged += chargeNano;
      if (ends.length > 0) await postEnds(tx, journalId, ends);
    });
    await this.#db.run(CLOSE_JOURNAL, [journalId]);
    this.#leases = [];
    this.#requests = [];
    this.#writer = createPageWriter(this.#db, await openJournal(this.#db));
  }
}
