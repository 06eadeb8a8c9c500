/**
 * The leases of this process, in memory: which requests they admit, how they grow, when they are
 * given back. The database has set the money aside before any of it is used here.
 */
import type { Uuid } from "../kernel/ids.ts";
import { ZERO_NANO, type Nano } from "../kernel/money.ts";
import { UuidTable } from "../kernel/uuid-table.ts";
import {
  isShort,
  type ExtendRequest,
  type ExtendVerdict,
  type GrantRequest,
  type GrantVerdict,
  type HoldVerdict,
  type Moved,
  type RequestHold,
} from "./hold-verdicts.ts";
import { idleLeases } from "./idle-leases.ts";
import { inItsGroup } from "./in-its-group.ts";
import {
  asGrant,
  asHold,
  asRaise,
  keyOf,
  LEAST_TIMES,
  newLease,
  noteSpent,
  wantedNano,
  type Lease,
  type LiveHold,
} from "./lease.ts";

export interface LeaseBookDeps {
  nowMs(): number;
  /** What is remembered may be used: no other process can have judged this one dead. */
  isFresh(): boolean;
  /** No grant that was given up can still be committed. */
  isDecided(): boolean;
  /** The database's decision, committed. */
  grant(request: GrantRequest): Promise<GrantVerdict>;
  /** Journals that money goes back; null: all that is left, and the lease is over. */
  give(lease: { readonly accountId: Uuid; readonly holdId: Uuid }, amountNano: Nano | null): void;
  /** In which group the database has the budget of a request. */
  groupOf(request: RequestHold): Promise<Uuid | null>;
  /**
   * Frees what other requests and processes hold of this account and do not need, before a request
   * is refused for it.
   */
  makeRoom(accountId: Uuid): Promise<void>;
}

type Raised = "raised" | "refused" | "gone";

/** After a lease was refused or recalled, requests have holds of their own for so long. */
const NO_LEASE_MS = 1_000;
/** How often one request looks again at a lease that others are waiting for, too. */
const MOST_TURNS = 8;

export class LeaseBook {
  readonly #deps: LeaseBookDeps;
  readonly #leases = new Map<string, Lease>();
  /** Recalled, but still in use. */
  readonly #leaving = new Set<Lease>();
  readonly #live = new UuidTable<LiveHold>(({ requestId }) => requestId);
  /** Of the journal before this one. */
  readonly #lost = new Set<Uuid>();
  readonly #noLeaseUntil = new Map<string, number>();

  constructor(deps: LeaseBookDeps) {
    this.#deps = deps;
  }

  get live(): Pick<UuidTable<LiveHold>, "get" | "size" | "values"> {
    return this.#live;
  }

  /** That admit requests. */
  get leases(): number {
    return this.#leases.size;
  }

  hold(request: RequestHold): HoldVerdict | Promise<HoldVerdict> {
    const lease = this.#leases.get(keyOf(request));
    const askNano = request.fullNano ?? request.sliceNano;
    if (lease === undefined || lease.groupId !== request.groupId || !this.#covers(lease, askNano))
      return this.#holdSlowly(request);
    return this.#admit(request, lease, askNano);
  }

  /** Even nothing is held in a row that is there. */
  #covers(lease: Lease, nano: Nano): boolean {
    return lease.made && lease.freeNano >= nano && this.#deps.isFresh();
  }

  #holdSlowly(request: RequestHold): Promise<HoldVerdict> {
    return inItsGroup(request, this.#deps.groupOf, async (asked) => {
      const verdict = await this.#ask(asked);
      if (!isShort(verdict)) return verdict;
      await this.#deps.makeRoom(asked.accountId);
      return this.#askForOwn(asked);
    });
  }

  async #ask(request: RequestHold): Promise<HoldVerdict | Moved> {
    const key = keyOf(request);
    const askNano = request.fullNano ?? request.sliceNano;
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const lease = this.#leases.get(key);
      // Of before a move, or the request is: the database knows.
      if (lease !== undefined && lease.groupId !== request.groupId) break;
      if (lease !== undefined && this.#covers(lease, askNano))
        return this.#admit(request, lease, askNano);
      if (!this.#mayLease(key)) break;
      if (lease === undefined || lease.asking === null) return this.#askForLease(request, key);
      await lease.asking;
    }
    return this.#askForOwn(request);
  }

  #mayLease(key: string): boolean {
    const until = this.#noLeaseUntil.get(key);
    if (until === undefined) return true;
    if (this.#deps.nowMs() < until) return false;
    this.#noLeaseUntil.delete(key);
    return true;
  }

  /** Grows the lease, or begins one; near an edge the request gets a hold of its own instead. */
  async #askForLease(request: RequestHold, key: string): Promise<HoldVerdict | Moved> {
    let lease = this.#leases.get(key);
    if (lease === undefined) {
      lease = newLease(request, this.#deps.nowMs());
      this.#leases.set(key, lease);
    }
    const own = lease;
    const wantNano = wantedNano(own, request.fullNano ?? request.sliceNano, this.#deps.nowMs());
    return this.#askWhile(own, async () => {
      const verdict = await this.#deps.grant({
        ...asGrant(request),
        lease: { leaseId: own.leaseId, wantNano },
      });
      if (verdict.kind === "leased") {
        this.#grown(own, verdict.grantedNano, verdict.roomNano);
        return this.#admit(request, own, request.fullNano ?? request.sliceNano);
      }
      this.#noLeaseUntil.set(key, this.#deps.nowMs() + NO_LEASE_MS);
      return this.#admitOwn(request, verdict);
    });
  }

  async #askForOwn(request: RequestHold): Promise<HoldVerdict | Moved> {
    return this.#admitOwn(request, await this.#deps.grant({ ...asGrant(request), lease: null }));
  }

  #admit(request: RequestHold, lease: Lease, heldNano: Nano): HoldVerdict {
    lease.freeNano -= heldNano;
    lease.live += 1;
    lease.lastUsedMs = this.#deps.nowMs();
    this.#remember(request, lease, heldNano);
    if (lease.freeNano * LEAST_TIMES < lease.totalNano && lease.asking === null)
      this.#growAhead(request, lease);
    return { kind: "held", heldNano, tier: request.fullNano === null ? "slice" : "full" };
  }

  #admitOwn(request: RequestHold, verdict: GrantVerdict): HoldVerdict | Moved {
    if (verdict.kind === "leased" || verdict.kind === "gone" || verdict.kind === "fenced")
      throw new Error(`a hold of its own was ${verdict.kind}`);
    if (verdict.kind === "held") this.#remember(request, null, verdict.heldNano);
    return verdict;
  }

  #remember(request: RequestHold, lease: Lease | null, heldNano: Nano): void {
    this.#live.set({
      requestId: request.holdId,
      accountId: request.accountId,
      budgetId: request.budgetId,
      groupId: request.groupId,
      priceVersion: request.priceVersion,
      lease,
      sinceMs: this.#deps.nowMs(),
      heldNano,
      detail: request.detail,
      noted: false,
      lost: false,
      over: false,
      next: null,
    });
  }

  /** Before it is needed, so that no request waits for it. */
  #growAhead(request: RequestHold, lease: Lease): void {
    const key = keyOf(request);
    if (lease.recalled || !this.#mayLease(key)) return;
    const askNano = request.fullNano ?? request.sliceNano;
    const wantNano = wantedNano(lease, askNano, this.#deps.nowMs());
    this.#askWhile(lease, async () => {
      const verdict = await this.#deps.grant({
        ...asGrant(request),
        holdId: lease.leaseId,
        lease: { leaseId: lease.leaseId, wantNano },
        // What is less than a lease is not wanted: it would be this request's own hold.
        fullNano: null,
        sliceNano: askNano,
        minimumNano: askNano,
        grows: true,
      });
      if (verdict.kind === "leased") this.#grown(lease, verdict.grantedNano, verdict.roomNano);
      else if (verdict.kind === "held") this.#grown(lease, verdict.heldNano, ZERO_NANO);
      if (verdict.kind !== "leased") this.#noLeaseUntil.set(key, this.#deps.nowMs() + NO_LEASE_MS);
    }).catch(() => {
      // The lease is uncertain now, and no request waits for this grant.
    });
  }

  /** One grant of a lease at a time: others wait for `asking`. */
  async #askWhile<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    lease.asking = promise;
    try {
      return await work();
    } catch (error) {
      lease.uncertain = true;
      throw error;
    } finally {
      this.#asked(lease);
      resolve();
    }
  }

  /** A grant is over; the lease may have been recalled while the database decided. */
  #asked(lease: Lease): void {
    lease.asking = null;
    const key = keyOf(lease);
    const useless = lease.uncertain || (lease.totalNano === 0n && lease.live === 0);
    if (useless && this.#leases.get(key) === lease) {
      this.#leases.delete(key);
      this.#noLeaseUntil.set(key, this.#deps.nowMs() + NO_LEASE_MS);
      this.#retire(lease);
    } else if (lease.recalled) {
      this.#giveFree(lease);
    }
  }

  #grown(lease: Lease, grantedNano: Nano, roomNano: Nano): void {
    lease.made = true;
    lease.roomNano = roomNano;
    lease.freeNano += grantedNano;
    lease.totalNano += grantedNano;
  }

  /** Raises what is held for a request, out of its lease or by the database. */
  async extend({ holdId, addNano, detail }: ExtendRequest): Promise<ExtendVerdict> {
    const live = this.#live.get(holdId);
    if (live === undefined || live.lost) return { kind: "gone" };
    live.detail = detail;
    if (addNano === ZERO_NANO) return { kind: "extended", heldNano: live.heldNano };
    let verdict = await this.#raise(live, addNano);
    if (verdict === "refused") {
      await this.#deps.makeRoom(live.accountId);
      verdict = await this.#raise(live, addNano);
    }
    if (live.lost || verdict === "gone") return { kind: "gone" };
    if (verdict === "refused") return { kind: "refused", heldNano: live.heldNano };
    live.heldNano = (live.heldNano + addNano) as Nano;
    // It ended while the database decided: what it got may be used again.
    if (live.over && live.lease !== null) this.#free(live.lease, addNano);
    return { kind: "extended", heldNano: live.heldNano };
  }

  async #raise(live: LiveHold, addNano: Nano): Promise<Raised> {
    const { lease } = live;
    if (lease === null) return this.#grantMore(live, live.requestId, addNano);
    for (;;) {
      if (live.lost) return "gone";
      if (!lease.recalled && this.#covers(lease, addNano)) {
        lease.freeNano -= addNano;
        lease.lastUsedMs = this.#deps.nowMs();
        return "raised";
      }
      if (lease.asking === null) break;
      await lease.asking;
    }
    return this.#askWhile(lease, async () => {
      const raised = await this.#grantMore(live, lease.leaseId, addNano);
      if (raised === "raised") lease.totalNano += addNano;
      return raised;
    });
  }

  async #grantMore(live: LiveHold, holdId: Uuid, addNano: Nano): Promise<Raised> {
    const verdict = await this.#deps.grant(asRaise(live, holdId, addNano));
    if (verdict.kind === "held") return "raised";
    return verdict.kind === "gone" || verdict.kind === "fenced" ? "gone" : "refused";
  }

  /** Takes it out: its end is being written. Undefined where it is not, or no longer, ours. */
  take(requestId: Uuid): LiveHold | undefined {
    return this.#live.delete(requestId);
  }

  /** Its end could not be written: it goes on. */
  putBack(live: LiveHold): void {
    if (!live.lost) this.#live.set(live);
  }

  /**
   * Its end is durable: what was not charged may be used again, or goes back where the lease was
   * recalled.
   */
  ended(live: LiveHold, chargedNano: Nano): void {
    const { lease, heldNano, lost } = live;
    live.over = true;
    if (lease === null || lost) return;
    lease.live -= 1;
    lease.totalNano -= chargedNano;
    noteSpent(lease, chargedNano, this.#deps.nowMs());
    this.#free(lease, heldNano - chargedNano);
  }

  #free(lease: Lease, nano: bigint): void {
    if (!lease.made) return;
    lease.freeNano += nano;
    if (lease.recalled) this.#giveFree(lease);
  }

  /** Gives back what no request uses, of one account or of all. */
  recall(accountId: Uuid | null): void {
    for (const [key, lease] of this.#leases) {
      if (accountId !== null && lease.accountId !== accountId) continue;
      this.#leases.delete(key);
      this.#noLeaseUntil.set(key, this.#deps.nowMs() + NO_LEASE_MS);
      this.#retire(lease);
    }
  }

  /** To be called every second or so. */
  tick(): void {
    const nowMs = this.#deps.nowMs();
    for (const lease of idleLeases(this.#leases.values(), nowMs)) {
      this.#leases.delete(keyOf(lease));
      this.#retire(lease);
    }
    for (const lease of this.#leaving)
      if (lease.uncertain && lease.live === 0) this.#giveFree(lease);
    for (const [key, untilMs] of this.#noLeaseUntil)
      if (nowMs >= untilMs) this.#noLeaseUntil.delete(key);
  }

  #retire(lease: Lease): void {
    lease.recalled = true;
    this.#leaving.add(lease);
    this.#giveFree(lease);
  }

  /** Of a recalled lease. */
  #giveFree(lease: Lease): void {
    if (lease.live > 0 || lease.asking !== null) {
      this.#deps.give(asHold(lease), lease.freeNano as Nano);
      lease.totalNano -= lease.freeNano;
      lease.freeNano = 0n;
      return;
    }
    if (lease.uncertain && !this.#deps.isDecided()) return;
    this.#leaving.delete(lease);
    // Also where all of it was charged: its row would be waited for at every recall.
    if (lease.uncertain || lease.made) this.#deps.give(asHold(lease), null);
    lease.made = false;
    lease.freeNano = 0n;
    lease.totalNano = 0n;
    lease.uncertain = false;
  }

  /** Its journal was fenced before it ended: another process ends it. */
  wasLost(requestId: Uuid): boolean {
    return this.#lost.has(requestId);
  }

  /** The journal was fenced: nothing of all this is ours any more. */
  lose(): void {
    this.#lost.clear();
    for (const live of this.#live.values()) {
      live.lost = true;
      this.#lost.add(live.requestId);
    }
    this.#live.clear();
    this.#leases.clear();
    this.#leaving.clear();
    this.#noLeaseUntil.clear();
  }
}
