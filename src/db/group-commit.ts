/**
 * Group commit: whatever accumulated while the previous batch was in flight goes in the next one;
 * each row gets its own verdict.
 */
import { Fault } from "../kernel/faults.ts";
import { isRetryable, toDatabaseFault } from "./database-errors.ts";
import type { HotConnection, PipelinedTx } from "./hot-connection.ts";

export interface GroupCommitOptions<Row, Verdict> {
  readonly connection: HotConnection;
  /** Rows in one transaction. */
  readonly maxBatch: number;
  /** Rows waiting; one more is refused at once. */
  readonly maxQueued: number;
  /** A row without a verdict for this long is refused. */
  readonly patienceMs?: number;
  /**
   * Rows are refused, new and waiting ones, while the database has given no answer for this long;
   * absent: they wait out their patience.
   */
  readonly refuseAfterSilenceMs?: number;
  /**
   * Adds the batch's statements to `tx` before its first await and returns one verdict per row, in
   * the order of the rows. `retry` is true when an earlier run of some of these rows may have been
   * committed: the run must then find out and not do it twice.
   */
  run(tx: PipelinedTx, rows: readonly Row[], retry: boolean): Promise<readonly Verdict[]>;
  /** Hears of rows that failed alone and of lost transactions. */
  onError(error: unknown): void;
}

export interface GroupCommit<Row, Verdict> {
  /**
   * The verdict, once it is committed. Throws Fault("overloaded") when the queue is full, the
   * database is out of reach for too long, or after close (then the row may or may not have been
   * committed if it had been sent); any other error is this row's own.
   */
  submit(row: Row): Promise<Verdict>;
  /** Takes no more rows, finishes those it has. */
  close(): Promise<void>;
  /** Rows waiting, those in flight not counted. */
  readonly queued: number;
}

interface Waiting<Row, Verdict> {
  readonly row: Row;
  readonly since: number;
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

const PATIENCE_MS = 10_000;
/** How long one attempt waits for a connection before it looks at its rows' patience again. */
const CONNECTION_WAIT_MS = 250;
const DEADLOCK_ATTEMPTS = 5;

export function createGroupCommit<Row, Verdict>(
  options: GroupCommitOptions<Row, Verdict>,
): GroupCommit<Row, Verdict> {
  type Item = Waiting<Row, Verdict>;
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  let queue: Item[] = [];
  let closed = false;
  let running: Promise<void> | null = null;
  let watch: NodeJS.Timeout | null = null;

  const overloaded = (cause?: unknown): Fault =>
    new Fault("overloaded", { retryAfterSeconds: 1, ...(cause === undefined ? {} : { cause }) });

  const isSilent = (): boolean =>
    options.refuseAfterSilenceMs !== undefined &&
    options.connection.silentForMs() > options.refuseAfterSilenceMs;

  /**
   * Refuses the rows behind a batch in flight when the database falls silent: that batch may wait
   * much longer for its answer.
   */
  const watchSilence = (): void => {
    if (watch !== null || options.refuseAfterSilenceMs === undefined) return;
    watch = setTimeout(() => {
      watch = null;
      queue = stillPatient(queue, undefined);
      if (queue.length > 0) watchSilence();
    }, options.refuseAfterSilenceMs);
  };

  /**
   * Refuses rows that waited too long, and all of them where no request waits for a silent
   * database; returns the others.
   */
  const stillPatient = (items: readonly Item[], cause: unknown): Item[] => {
    const oldest = isSilent() ? Infinity : performance.now() - patienceMs;
    const [patient, late] = [
      items.filter((item) => item.since >= oldest),
      items.filter((item) => item.since < oldest),
    ];
    for (const item of late) item.reject(overloaded(cause));
    return patient;
  };

  /** Brings every item to a verdict or an error. */
  const runBatch = async (batch: readonly Item[], retry: boolean): Promise<void> => {
    let items: readonly Item[] = batch;
    let maybeDone = retry;
    let attempts = 0;
    let cause: unknown;
    for (;;) {
      items = stillPatient(items, cause);
      if (items.length === 0) return;
      const rows = items.map((item) => item.row);
      const mark = maybeDone;
      const outcome = await options.connection.transact(
        (tx) => options.run(tx, rows, mark),
        CONNECTION_WAIT_MS,
      );
      if (outcome.kind === "committed" && outcome.value.length === items.length) {
        items.forEach((item, index) => item.resolve(outcome.value[index] as Verdict));
        return;
      }
      if (outcome.kind === "unreachable") continue;
      cause =
        outcome.kind === "committed"
          ? new Error("a batch gave another number of verdicts than it has rows")
          : outcome.error;
      if (outcome.kind === "unknown") {
        options.onError(cause);
        maybeDone = true;
        continue;
      }
      if (outcome.kind === "failed" && isRetryable(cause) && ++attempts < DEADLOCK_ATTEMPTS)
        continue;
      const committed = outcome.kind !== "failed";
      return split(items, cause, maybeDone || committed);
    }
  };

  /**
   * A batch that fails is run in halves, down to the rows that fail alone: one bad row must not
   * take the others with it.
   */
  const split = async (items: readonly Item[], cause: unknown, retry: boolean): Promise<void> => {
    if (items.length === 1) {
      options.onError(cause);
      items[0]?.reject(toDatabaseFault(cause));
      return;
    }
    const middle = Math.ceil(items.length / 2);
    await runBatch(items.slice(0, middle), retry);
    await runBatch(items.slice(middle), retry);
  };

  const drain = async (): Promise<void> => {
    // One turn of the event loop: requests that arrived together go together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.slice(0, options.maxBatch);
      queue = queue.slice(options.maxBatch);
      try {
        await runBatch(batch, false);
      } catch (error) {
        options.onError(error);
        for (const item of batch) item.reject(error); // settled ones ignore it
      }
    }
    running = null;
  };

  return {
    submit(row) {
      if (closed || queue.length >= options.maxQueued || isSilent())
        return Promise.reject(overloaded());
      return new Promise<Verdict>((resolve, reject) => {
        queue.push({ row, since: performance.now(), resolve, reject });
        running ??= drain();
        watchSilence();
      });
    },
    async close() {
      closed = true;
      await running;
      if (watch !== null) clearTimeout(watch);
    },
    get queued() {
      return queue.length;
    },
  };
}
