/**
 * The money of requests: admitted by leases of this process, ended in pages of its journal, posted
 * to the books soon after.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../db/database.ts";
import { createGroupCommit } from "../../db/group-commit.ts";
import { createHotConnection } from "../../db/hot-connection.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { minNano, type Nano } from "../../kernel/money.ts";
import { groupOf } from "../../ledger/budget-groups.store.ts";
import { grantMany, type TokenedGrant } from "../../ledger/grants.store.ts";
import type {
  ExtendRequest,
  ExtendVerdict,
  GrantRequest,
  GrantVerdict,
  HoldVerdict,
  RequestHold,
  Settlement,
  SettleVerdict,
} from "../../ledger/hold-verdicts.ts";
import { chargedFor, checkHold, checkSettlement } from "../../ledger/holds.store.ts";
import { CLOSE_JOURNAL, isUnfinished, postAll } from "../../ledger/journals.store.ts";
import type { LiveHold } from "../../ledger/lease.ts";
import { LeaseBook } from "../../ledger/lease-book.ts";
import { recallForRoom } from "../../ledger/recall.ts";
import type { RecordEnd } from "../../idempotency/record.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { parkReceipt } from "../../usage/receipts.store.ts";
import { createJournal, type Appended } from "./journal.ts";
import type { EndedRequest } from "./page-elements.ts";
import { createPoster } from "./poster.ts";
import { createRoomTurns } from "./room-turns.ts";

export interface SettleRequest extends Settlement {
  /** Written with the charge; null for none. */
  readonly receipt: ReceiptRow | null;
  /** Ends with the hold; absent where the request had no idempotency key. */
  readonly record?: RecordEnd;
  /**
   * Its page is on its way to the disk, and nothing is decided: there is time to prepare what the
   * verdict lets go. Throws nothing; may be called again.
   */
  readonly sent?: () => void;
}

export interface SettlePipelineOptions {
  readonly url: string;
  /** For what is rare: recalls, and how a request ended that another process ended. */
  readonly db: Db;
  /** The process; what it leaves behind when it dies is found by it. */
  readonly ownerId: Uuid;
  /** Shown in pg_stat_activity, with what the connection is for. */
  readonly applicationName: string;
  /** Hears of lost connections and of requests that failed alone. */
  onError(error: unknown): void;
}

export interface SettlePipeline {
  /**
   * The verdict: at once by a lease, else once the database has decided. Throws Fault("overloaded")
   * when the database is out of reach; then nothing is held, or what is held is released later.
   */
  hold(request: RequestHold): HoldVerdict | Promise<HoldVerdict>;
  /**
   * Raises what is held, and notes what was delivered. Without an amount it resolves when that is
   * durable, or will be once the database is back. Throws Fault("overloaded") when the database is
   * out of reach.
   */
  extend(request: ExtendRequest): Promise<ExtendVerdict>;
  /**
   * The verdict, once its page is committed. `already-settled`: another process took this one for
   * dead. Throws when the database is out of reach for long; then call again.
   */
  settle(request: SettleRequest): Promise<SettleVerdict>;
  /**
   * This process was judged dead while it had this hold: another one has ended it, or will, and
   * nothing that is delivered from now on can be charged.
   */
  wasLost(holdId: Uuid): boolean;
  /** Gives back what the leases of an account, or of all, do not use. */
  recall(accountId: Uuid | null): void;
  /** New holds are refused at once, because the database has not been heard of for a while. */
  readonly silent: boolean;
  /** A hold that was given up without a verdict may still be made. */
  readonly undecided: boolean;
  /** What waits for the database, for /metrics. */
  readonly queued: { readonly grants: number; readonly elements: number };
  /** Takes nothing more, finishes what it has, gives everything back. */
  close(): Promise<void>;
}

const MAX_BATCH = 512;
const MAX_QUEUED = 20_000;
/** While the database owes an answer for longer, nothing is admitted without asking it. */
const DOUBT_AFTER_MS = 250;
/** New work is refused at once while the database has been silent for this long. */
const REFUSE_AFTER_SILENCE_MS = 1_500;
/** A request that lives longer is noted. */
const NOTE_AFTER_MS = 250;
const TICK_MS = 250;
const NOTED_WITHIN_MS = 1_000;
/** To hear how another process ended a request of this one. */
const ELSEWHERE_WAIT_MS = 10_000;
const ELSEWHERE_LOOK_MS = 250;
const LARGEST_LOSS_NANO = 4_611_686_018_427_387_903n;

const OVERLOADED = (cause?: unknown): Fault =>
  new Fault("overloaded", { retryAfterSeconds: 1, ...(cause === undefined ? {} : { cause }) });

interface JournaledGrant extends TokenedGrant {
  readonly journalId: Uuid;
}

export function createSettlePipeline(options: SettlePipelineOptions): SettlePipeline {
  return new LeasedMoney(options);
}

class LeasedMoney implements SettlePipeline {
  readonly #options: SettlePipelineOptions;
  readonly #book: LeaseBook;
  readonly #grantConnection;
  readonly #journalConnection;
  readonly #postConnection;
  readonly #grants;
  readonly #journal;
  readonly #poster;
  readonly #ticker: NodeJS.Timeout;
  #token = BigInt(Date.now()) * 1_000_000n;

  constructor(options: SettlePipelineOptions) {
    this.#options = options;
    const connect = (what: string) =>
      createHotConnection({
        url: options.url,
        applicationName: `${options.applicationName} ${what}`,
        onError: options.onError,
      });
    this.#grantConnection = connect("grant");
    this.#journalConnection = connect("journal");
    this.#postConnection = connect("post");
    this.#grants = createGroupCommit<JournaledGrant, GrantVerdict>({
      connection: this.#grantConnection,
      maxBatch: MAX_BATCH,
      maxQueued: MAX_QUEUED,
      refuseAfterSilenceMs: REFUSE_AFTER_SILENCE_MS,
      run: grantOfOneJournal,
      onError: options.onError,
    });
    this.#journal = createJournal({
      connection: this.#journalConnection,
      ownerId: options.ownerId,
      onPage: (ended) => this.#poster.wrote(ended),
      onDead: () => this.#book.lose(),
      onError: options.onError,
    });
    this.#poster = createPoster({
      connection: this.#postConnection,
      journalId: () => this.#journal.id,
      onError: options.onError,
    });
    this.#book = new LeaseBook({
      nowMs: () => performance.now(),
      isFresh: () => this.#journal.fresh && this.#journalConnection.silentForMs() < DOUBT_AFTER_MS,
      isDecided: () => !this.#grantConnection.undecided,
      grant: (request) => this.#grant(request),
      give: ({ accountId, holdId }, amountNano) =>
        this.#journal.append({ kind: "given", accountId, holdId, amountNano }, () => {}),
      groupOf: (request) => groupOf(options.db, request),
      makeRoom: createRoomTurns((accountId) => this.#makeRoom(accountId)),
    });
    let turns = 0;
    this.#ticker = setInterval(() => {
      this.#noteLongOnes();
      if (++turns % 4 === 0) this.#book.tick();
    }, TICK_MS);
    this.#ticker.unref();
  }

  hold(request: RequestHold): HoldVerdict | Promise<HoldVerdict> {
    checkHold(request);
    if (this.silent) throw OVERLOADED();
    return this.#book.hold(request);
  }

  async extend(request: ExtendRequest): Promise<ExtendVerdict> {
    assert(
      request.addNano >= 0n && request.recordedNano >= 0n,
      "extensions and recorded amounts are not negative",
    );
    const live = this.#book.live.get(request.holdId);
    const verdict = await this.#book.extend(request);
    // It may have ended meanwhile.
    if (live === undefined || this.#book.live.get(request.holdId) !== live) return verdict;
    const noted = this.#note(live, request.recordedNano);
    if (request.addNano > 0n) return verdict;
    // A stream that goes on does not wait for a lost database: the page is written when it is back.
    const late = sleep(NOTED_WITHIN_MS, "late" as const, { ref: false });
    return (await Promise.race([noted, late])) === "dead" ? { kind: "gone" } : verdict;
  }

  settle(request: SettleRequest): Promise<SettleVerdict> {
    checkSettlement(request);
    const live = this.#book.take(request.holdId);
    if (live === undefined)
      return this.#endedElsewhere(request, this.#book.wasLost(request.holdId));
    return new Promise((resolve, reject) => this.#end(live, request, resolve, reject));
  }

  wasLost(holdId: Uuid): boolean {
    return this.#book.wasLost(holdId);
  }

  recall(accountId: Uuid | null): void {
    this.#book.recall(accountId);
  }

  get silent(): boolean {
    return (
      this.#grantConnection.silentForMs() > REFUSE_AFTER_SILENCE_MS ||
      this.#journalConnection.silentForMs() > REFUSE_AFTER_SILENCE_MS
    );
  }

  get undecided(): boolean {
    return this.#grantConnection.undecided;
  }

  get queued(): SettlePipeline["queued"] {
    return { grants: this.#grants.queued, elements: this.#journal.queued };
  }

  async close(): Promise<void> {
    clearInterval(this.#ticker);
    await this.#grants.close();
    this.#book.recall(null);
    const { id } = this.#journal;
    await this.#journal.close();
    await this.#poster.close();
    // With requests that have not ended it is left to recovery.
    if (id !== null && this.#book.live.size === 0 && this.#journal.id === id)
      await this.#journalConnection.transact((tx) => tx.run(CLOSE_JOURNAL, [id]), TICK_MS);
    await Promise.all([
      this.#grantConnection.close(),
      this.#journalConnection.close(),
      this.#postConnection.close(),
    ]);
  }

  async #grant(request: GrantRequest): Promise<GrantVerdict> {
    const journalId = await this.#journal.open();
    this.#token += 1n;
    const verdict = await this.#grants.submit({ ...request, token: this.#token, journalId });
    // What was granted under a journal that was lost meanwhile is released with it. Asked again,
    // because this process may have stood still since.
    if (verdict.kind !== "fenced" && (await this.#journal.open()) === journalId) return verdict;
    this.#journal.lost(journalId);
    throw OVERLOADED(new Error("this process was judged dead; it goes on as another one"));
  }

  #note(live: LiveHold, recordedNano: Nano): Promise<"kept" | "dead"> {
    live.noted = true;
    const { requestId, accountId, heldNano, priceVersion, detail, lease } = live;
    return new Promise((resolve) =>
      this.#journal.append(
        {
          kind: "noted",
          requestId,
          accountId,
          holdId: lease?.leaseId ?? requestId,
          heldNano,
          recordedNano: minNano(recordedNano, heldNano),
          priceVersion,
          detail: typeof detail === "string" ? detail : detail(),
        },
        resolve,
      ),
    );
  }

  #noteLongOnes(): void {
    const sinceMs = performance.now() - NOTE_AFTER_MS;
    for (const live of this.#book.live.values())
      if (!live.noted && live.sinceMs <= sinceMs) void this.#note(live, 0n as Nano);
  }

  /** For the operator: what there was of a receipt that no page takes. */
  #park({ requestId, accountId, chargeNano, receipt }: EndedRequest, reason: unknown): void {
    const { db, onError } = this.#options;
    const words = `the receipt of ${requestId} of ${accountId}: ${receipt?.modelRequested}, ${receipt?.state}`;
    parkReceipt(db, { chargedNano: chargeNano, reason: String(reason), receipt: words }).catch(
      onError,
    );
  }

  #end(
    live: LiveHold,
    request: SettleRequest,
    resolve: (verdict: SettleVerdict | Promise<SettleVerdict>) => void,
    reject: (error: unknown) => void,
  ): void {
    const ended = endedOf(live, request);
    const decided = (outcome: Appended, error?: unknown): void => {
      if (error !== undefined) {
        if (request.receipt === null) {
          this.#book.putBack(live);
          return reject(error);
        }
        // A receipt that cannot be written must not keep the money from its end.
        this.#park(ended, error);
        return this.#end(live, { ...request, receipt: null }, resolve, reject);
      }
      if (outcome === "dead") return resolve(this.#endedElsewhere(request, true));
      const { chargeNano: chargedNano, heldNano } = ended;
      this.#book.ended(live, chargedNano);
      resolve({ kind: "settled", chargedNano, releasedNano: (heldNano - chargedNano) as Nano });
    };
    this.#journal.append(ended, decided, request.sent);
  }

  /** It has ended before, or another process is about to end it (`lost`), or it never was. */
  async #endedElsewhere(
    { accountId, holdId }: SettleRequest,
    lost: boolean,
  ): Promise<SettleVerdict> {
    const { db } = this.#options;
    const untilMs = performance.now() + ELSEWHERE_WAIT_MS;
    for (;;) {
      await postAll(db);
      // What a fenced journal has not noted, nothing will end. Asked first: it may end meanwhile.
      const ends = lost && (await isUnfinished(db, accountId, holdId));
      const chargedNano = await chargedFor(db, accountId, holdId);
      if (chargedNano !== null) return { kind: "already-settled", chargedNano };
      if (!ends || performance.now() >= untilMs) break;
      await sleep(ELSEWHERE_LOOK_MS);
    }
    // A hold whose verdict was never heard may have been made.
    if (!lost)
      this.#journal.append({ kind: "given", accountId, holdId, amountNano: null }, () => {});
    return { kind: "unknown-hold" };
  }

  async #makeRoom(accountId: Uuid): Promise<void> {
    this.#book.recall(accountId);
    await this.#journal.flushed();
    await recallForRoom(this.#options.db, accountId);
  }
}

/** What goes beyond the hold is not charged but lost. */
function endedOf(live: LiveHold, request: SettleRequest): EndedRequest {
  const { heldNano, noted, lease, priceVersion } = live;
  const { accountId, holdId, chargeNano, lossNano, receipt, record } = request;
  const chargedNano = minNano(chargeNano, heldNano);
  const ended = {
    kind: "ended",
    requestId: holdId,
    accountId,
    holdId: lease?.leaseId ?? holdId,
    heldNano,
    chargeNano: chargedNano,
    lossNano: (capped(lossNano) + capped(chargeNano - chargedNano)) as Nano,
    priceVersion,
    noted,
    receipt,
  } as const;
  return record === undefined ? ended : { ...ended, record };
}

/** Of rows that were made for a journal that is fenced since, none is asked for. */
async function grantOfOneJournal(
  tx: Parameters<typeof grantMany>[0],
  rows: readonly JournaledGrant[],
  retry: boolean,
): Promise<GrantVerdict[]> {
  const journalId = rows.at(-1)?.journalId ?? null;
  const current = rows.filter((row) => row.journalId === journalId);
  const verdicts = await grantMany(tx, journalId, current, retry);
  return rows.map((row) => verdicts[current.indexOf(row)] ?? { kind: "fenced" });
}

function capped(nano: bigint): bigint {
  return nano < LARGEST_LOSS_NANO ? nano : LARGEST_LOSS_NANO;
}
