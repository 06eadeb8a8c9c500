/**
 * A process's journal: what it says goes into durable pages, one in flight at a time; who waits for
 * an element hears when its page is committed, or that the process was judged dead.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isFaultOfData, isRetryable, toDatabaseFault } from "../../db/database-errors.ts";
import type { HotConnection, HotOutcome } from "../../db/hot-connection.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../kernel/limits.ts";
import { BEAT_JOURNAL, JOURNAL_STATE, OPEN_JOURNAL } from "../../ledger/journals.store.ts";
import { appendPage } from "./journal.store.ts";
import type { PageElement } from "./page-elements.ts";

/** `dead`: the journal was fenced before the page was written; another process ends its requests. */
export type Appended = "kept" | "dead";

export interface JournalOptions {
  readonly connection: HotConnection;
  readonly ownerId: Uuid;
  /** Hears of every page that is kept, with how many requests ended in it. */
  onPage(ended: number): void;
  /** This journal takes nothing more; all that was admitted under it is lost to this process. */
  onDead(): void;
  onError(error: unknown): void;
}

export interface Journal {
  /** Null while none is open, after the last one was fenced. */
  readonly id: Uuid | null;
  /**
   * Opens one where none is, and renews one that is not fresh: resolves when grants may be asked for
   * under it, because no other process is about to fence it. Throws Fault("overloaded") where the
   * database does not say so in time.
   */
  open(): Promise<Uuid>;
  /**
   * The database has been heard of lately enough for no other process to have judged this one dead
   * without its knowledge.
   */
  readonly fresh: boolean;
  /** `done` hears once; `error`: this element cannot be written, whatever page it is in. */
  append(element: PageElement, done: Waiting["done"], sent?: Waiting["sent"]): void;
  /** The database said that it is fenced. */
  lost(journalId: Uuid): void;
  /** Resolves when all that was appended before is decided. */
  flushed(): Promise<void>;
  readonly queued: number;
  close(): Promise<void>;
}

interface Waiting {
  readonly element: PageElement;
  done(outcome: Appended, error?: unknown): void;
  /**
   * Its page is on its way to the disk, and is a small one: there is time for what is to be ready
   * when it is kept. It may be written again, and this heard again.
   */
  readonly sent: (() => void) | null;
}

const PAGE_ELEMENTS = 512;
/**
 * With a larger page the process has enough to do until it is kept, and what is made meanwhile only
 * lives longer: the garbage collector copied it, a tenth of a request's time at 32 connections.
 */
const SMALL_PAGE_ELEMENTS = 4;
/** A page waits so long at most for what the process has at hand. */
const COMPANY_MS = 2;
const CONNECTION_WAIT_MS = 250;
const BEAT_MS = 5_000;
/** A request waits so long for a journal to be renewed. */
const RENEW_WITHIN_MS = 1_500;
const RENEW_AGAIN_MS = 50;
/** A process that was last heard of longer ago may be judged dead soon. */
const FRESH_MS = OWNER_LEASE_MS - 8_000;
const CLOSING_WAIT_MS = 10_000;

export function createJournal(options: JournalOptions): Journal {
  return new PagedJournal(options);
}

class PagedJournal implements Journal {
  id: Uuid | null = null;
  private readonly options: JournalOptions;
  private queue: Waiting[] = [];
  private running: Promise<void> | null = null;
  private opening: Promise<Uuid> | null = null;
  private pageNo = 0n;
  /** Elements so far; those before each barrier are waited for. */
  private appended = 0;
  private decided = 0;
  private readonly barriers: { readonly after: number; resolve(): void }[] = [];
  private freshUntilMs = 0;
  private closing = false;
  private closingSinceMs = 0;
  private readonly timer: NodeJS.Timeout;
  private beatDue = false;
  /** Those that wait for the end of a beat, whatever it is. */
  private beatHeard: (() => void)[] = [];

  constructor(options: JournalOptions) {
    this.options = options;
    this.timer = setInterval(() => {
      if (this.id === null) return;
      this.beatDue = true;
      this.wake();
    }, BEAT_MS);
    this.timer.unref();
  }

  get fresh(): boolean {
    return this.id !== null && performance.now() < this.freshUntilMs;
  }

  get queued(): number {
    return this.queue.length;
  }

  open(): Promise<Uuid> {
    if (this.id !== null && this.fresh) return Promise.resolve(this.id);
    this.opening ??= this.renewOrOpen().finally(() => (this.opening = null));
    return this.opening;
  }

  append(element: PageElement, done: Waiting["done"], sent: Waiting["sent"] = null): void {
    this.appended += 1;
    this.queue.push({ element, done, sent });
    this.wake();
  }

  lost(journalId: Uuid): void {
    if (this.id === journalId) this.dead([]);
  }

  flushed(): Promise<void> {
    if (this.decided === this.appended) return Promise.resolve();
    const after = this.appended;
    return new Promise((resolve) => this.barriers.push({ after, resolve }));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing = true;
    this.closingSinceMs = performance.now();
    while (this.running !== null) await this.running;
  }

  private wake(): void {
    this.running ??= this.drain();
  }

  private async renewOrOpen(): Promise<Uuid> {
    if (this.id !== null) await this.renew(this.id);
    return this.id ?? this.openNew();
  }

  /**
   * A process that stood still may be judged dead at any moment until the database has heard of it:
   * what it admitted before that would be in no books.
   */
  private async renew(journalId: Uuid): Promise<void> {
    const untilMs = performance.now() + RENEW_WITHIN_MS;
    for (;;) {
      const heard = new Promise<void>((resolve) => this.beatHeard.push(resolve));
      this.beatDue = true;
      this.wake();
      const leftMs = Math.max(0, untilMs - performance.now());
      await Promise.race([heard, sleep(leftMs, undefined, { ref: false })]);
      if (this.id !== journalId || this.fresh) return;
      if (performance.now() >= untilMs)
        throw new Fault("overloaded", {
          retryAfterSeconds: 1,
          cause: new Error("this process stood still, and the database has not heard of it since"),
        });
      await sleep(RENEW_AGAIN_MS);
    }
  }

  private async openNew(): Promise<Uuid> {
    // A page in flight has the connection.
    while (this.running !== null) await this.running;
    const id = newUuid();
    const askedMs = performance.now();
    const outcome = await this.options.connection.transact(
      (tx) => tx.run(OPEN_JOURNAL, [id, this.options.ownerId]),
      CONNECTION_WAIT_MS,
    );
    if (outcome.kind === "failed") {
      this.options.onError(outcome.error);
      throw toDatabaseFault(outcome.error);
    }
    if (outcome.kind !== "committed")
      throw new Fault("overloaded", { retryAfterSeconds: 1, cause: causeOf(outcome) });
    this.id = id;
    this.pageNo = 0n;
    this.freshUntilMs = askedMs + FRESH_MS;
    return id;
  }

  private async drain(): Promise<void> {
    try {
      while (this.queue.length > 0 || this.beatDue) {
        await this.company();
        if (this.id === null) this.refuseAll();
        else if (this.beatDue) await this.beat(this.id);
        else await this.write(this.id, this.queue.splice(0, PAGE_ELEMENTS));
      }
    } finally {
      // At once: what is appended from here on begins another one.
      this.running = null;
    }
  }

  /**
   * Turns of the event loop, until one brings nothing: what the process can finish without waiting
   * goes together, and no element waits while it has nothing to do.
   */
  private async company(): Promise<void> {
    const untilMs = performance.now() + COMPANY_MS;
    let known: number;
    do {
      known = this.queue.length;
      await turn();
    } while (this.queue.length > known && performance.now() < untilMs);
  }

  /** Brings every element of the batch to its end. */
  private async write(journalId: Uuid, batch: readonly Waiting[]): Promise<void> {
    const pageNo = this.pageNo + 1n;
    const elements = batch.map(({ element }) => element);
    // An attempt whose end is not known may be committed: the same page is never written twice.
    let doubtful = false;
    for (;;) {
      if (this.id !== journalId || this.givesUp()) return this.dead(batch);
      const outcome = await this.options.connection.runOne(
        () => appendPage({ journalId, pageNo, elements }),
        {
          sent() {
            if (batch.length > SMALL_PAGE_ELEMENTS) return;
            for (const waiting of batch) waiting.sent?.();
          },
          committed: (rows) => rows === 1 && this.kept(batch, pageNo),
        },
        CONNECTION_WAIT_MS,
      );
      if (outcome.kind === "unreachable") continue;
      if (outcome.kind === "committed") {
        if (outcome.value === 1) return;
        if (await this.isWritten(journalId, pageNo)) return this.kept(batch, pageNo);
        return this.dead(batch);
      }
      if (outcome.kind !== "failed") {
        this.options.onError(outcome.error);
        doubtful = true;
        continue;
      }
      if (!isFaultOfData(outcome.error)) {
        // A lock, a full disk, a standby: it passes, and until then those that wait go on waiting.
        if (!isRetryable(outcome.error)) await this.pause(outcome.error);
        continue;
      }
      if (doubtful && (await this.isWritten(journalId, pageNo))) return this.kept(batch, pageNo);
      return this.split(journalId, batch, outcome.error);
    }
  }

  private async pause(error: unknown): Promise<void> {
    this.options.onError(error);
    await sleep(CONNECTION_WAIT_MS);
  }

  /** A process that ends does not wait for a lost database for ever. */
  private givesUp(): boolean {
    return this.closing && performance.now() - this.closingSinceMs > CLOSING_WAIT_MS;
  }

  private kept(batch: readonly Waiting[], pageNo: bigint): void {
    this.pageNo = pageNo;
    let ended = 0;
    for (const { element } of batch) if (element.kind === "ended") ended += 1;
    this.options.onPage(ended);
    this.decide(batch, "kept");
  }

  private decide(batch: readonly Waiting[], outcome: Appended, error?: unknown): void {
    this.decided += batch.length;
    for (const { done } of batch) done(outcome, error);
    while ((this.barriers[0]?.after ?? Infinity) <= this.decided) this.barriers.shift()?.resolve();
  }

  /** One bad element must not take the others with it. */
  private async split(journalId: Uuid, batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      this.options.onError(error);
      return this.decide(batch, "dead", error);
    }
    const middle = Math.ceil(batch.length / 2);
    await this.write(journalId, batch.slice(0, middle));
    await this.write(journalId, batch.slice(middle));
  }

  private dead(batch: readonly Waiting[]): void {
    if (this.id !== null) {
      this.id = null;
      this.options.onDead();
    }
    this.decide(batch, "dead");
    this.refuseAll();
  }

  private refuseAll(): void {
    this.beaten();
    this.decide(this.queue.splice(0), "dead");
  }

  private async isWritten(journalId: Uuid, pageNo: bigint): Promise<boolean> {
    while (!this.givesUp()) {
      const outcome = await this.options.connection.transact(
        (tx) => tx.run(JOURNAL_STATE, [journalId]),
        CONNECTION_WAIT_MS,
      );
      if (outcome.kind === "committed") return (outcome.value[0]?.pageNo ?? -1n) >= pageNo;
      if (outcome.kind !== "unreachable") this.options.onError(causeOf(outcome));
    }
    return false;
  }

  private async beat(journalId: Uuid): Promise<void> {
    const askedMs = performance.now();
    const outcome = await this.options.connection.transact(
      (tx) => tx.run(BEAT_JOURNAL, [journalId]),
      CONNECTION_WAIT_MS,
    );
    if (outcome.kind === "committed") {
      if (outcome.value.length === 0) return this.dead([]);
      this.freshUntilMs = askedMs + FRESH_MS;
    }
    // Where it failed, the next turn of the timer tries again.
    this.beaten();
  }

  private beaten(): void {
    this.beatDue = false;
    for (const heard of this.beatHeard.splice(0)) heard();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function causeOf(outcome: HotOutcome<unknown>): unknown {
  return "error" in outcome ? outcome.error : new Error("the database is out of reach");
}
