/**
 * One dedicated connection for the statements of the hot path: a whole transaction leaves in one
 * write and comes back in one round trip.
 */
import type { Client } from "pg";
import { isReadOnly } from "./database-errors.ts";
import { toFault } from "../kernel/faults.ts";
import { HotTransaction, type HotStatement, type PreparedStatements } from "./hot-transaction.ts";
import { toWireValue } from "./statement-frames.ts";
import { runStatement } from "./run-statement.ts";
import { sql } from "./sql-type.ts";
import { statement, type BoundStatement, type Statement } from "./statement.ts";
import { createSteadyClient } from "./steady-client.ts";
import { valueParsers } from "./value-parsers.ts";

/**
 * Collects the statements of one transaction. Only usable until the work that got it first awaits.
 */
export interface PipelinedTx {
  /**
   * Adds one statement. Its rows arrive before the commit does, so they mean nothing outside until
   * the whole transaction is reported committed.
   */
  run<Parameters extends readonly unknown[], Row>(
    statement: Statement<Parameters, Row>,
    parameters: NoInfer<Parameters>,
  ): Promise<Row[]>;
  /** The same for any text, and believes what is said of its rows: for tests. */
  query<R>(sql: string, params?: readonly unknown[]): Promise<R[]>;
}

export type HotOutcome<T> =
  | { readonly kind: "committed"; readonly value: T }
  /** The database undid the transaction and said why. */
  | { readonly kind: "failed"; readonly error: unknown }
  /**
   * The connection was lost, or the answer came too late: the transaction may be committed or not,
   * but runs no longer once the next one starts.
   */
  | { readonly kind: "unknown"; readonly error: unknown }
  /** Nothing was sent: there is no connection. */
  | { readonly kind: "unreachable" }
  /** Committed, but the work could not read its own answers: a bug. */
  | { readonly kind: "unreadable"; readonly error: unknown };

/** Of a statement that is a transaction by itself. */
export interface StatementListener {
  /** It is on its way to the server. */
  sent(): void;
  /**
   * It is committed, and has given or changed so many rows: heard while the server's word is being read, before
   * the outcome is.
   */
  committed(rows: number): void;
}

export interface HotConnection {
  /**
   * Runs `work` to collect statements, sends them as one transaction (BEGIN and COMMIT in the same
   * write; a single statement needs neither). Waits up to `waitMs` for a connection. Never throws
   * for what the database does. One call at a time.
   */
  transact<T>(work: (tx: PipelinedTx) => Promise<T>, waitMs: number): Promise<HotOutcome<T>>;
  /**
   * The same for one statement, without a promise between its answer and what waits for it. What
   * `make` throws is this statement's failure.
   */
  runOne(
    make: () => BoundStatement,
    listener: StatementListener,
    waitMs: number,
  ): Promise<HotOutcome<number>>;
  /**
   * How long the database has owed us a connection or an answer, as far as this process was awake
   * to hear it; 0 when nothing is owed.
   */
  silentForMs(): number;
  /**
   * A transaction that was given up may still be committed: its server process is not known to have
   * ended.
   */
  readonly undecided: boolean;
  close(): Promise<void>;
}

export interface HotConnectionOptions {
  readonly url: string;
  readonly applicationName: string;
  /** An answer that takes longer counts as a lost connection. */
  readonly answerWithinMs?: number;
  onError(error: unknown): void;
}

const ANSWER_WITHIN_MS = 8_000;
/** How often the time that an answer is owed is counted up. */
const BEAT_MS = 250;
/**
 * What one beat counts at most: a process that stood still longer has not listened, and the answer
 * may lie in its socket.
 */
const MOST_OF_A_BEAT_MS = 2 * BEAT_MS;
const LIMITS_MS = { statement_timeout: "5000", lock_timeout: "2000" };

/**
 * The batch statements join small arrays to big tables. Statistics of a hot, fast changing table
 * mislead the planner towards scans that are fatal later, so the plan is pinned: index lookups and
 * hash joins, planned once. Measured 5 to 20 times slower without.
 */
const PLAN_SETTINGS = {
  enable_seqscan: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
};

export function createHotConnection(options: HotConnectionOptions): HotConnection {
  const answerWithinMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
  /** The server process whose last transaction we do not know the end of. */
  let doubtful: ServerSession | null = null;
  let session: ServerSession | null = null;
  /** Of the live connection. */
  let prepared: PreparedStatements = new Map();
  let asked: Owed | null = null;
  let watch: NodeJS.Timeout | null = null;

  const steady = createSteadyClient({
    config: {
      connectionString: options.url,
      application_name: options.applicationName,
      types: valueParsers,
    },
    settings: { ...LIMITS_MS, ...PLAN_SETTINGS },
    async prepare(client) {
      if (doubtful !== null) await endSession(client, doubtful);
      doubtful = null;
      session = await readSession(client);
      prepared = new Map();
    },
    onError: options.onError,
  });

  /** One timer for many transactions, running while an answer is owed. */
  const beat = (): void => {
    watch = setTimeout(
      () => {
        watch = null;
        if (asked === null) return;
        asked.waitedMs = owedForMs(asked);
        asked.beatAt = performance.now();
        if (asked.waitedMs < answerWithinMs) beat();
        else steady.discard(asked.client);
      },
      Math.min(BEAT_MS, answerWithinMs),
    );
  };

  const send = (
    client: Client,
    statements: readonly HotStatement[],
    over: (ending: Ending) => void,
  ): void => {
    asked = { client, waitedMs: 0, beatAt: performance.now() };
    if (watch === null) beat();
    write(client, statements, prepared, (ending) => {
      asked = null;
      if (ending.kind === "failed" && isReadOnly(ending.error)) steady.discard(client);
      if (ending.kind === "unknown") {
        doubtful = session;
        steady.discard(client);
      }
      over(ending);
    });
  };

  const sendWork = async <T>(
    client: Client,
    work: (tx: PipelinedTx) => Promise<T>,
  ): Promise<HotOutcome<T>> => {
    const { statements, value, error } = await collect(work);
    if (error !== null) return { kind: "failed", error };
    if (statements.length === 0) return { kind: "committed", value: await value };
    const ending = await new Promise<Ending>((over) => send(client, statements, over));
    if (ending.kind !== "committed") return ending;
    try {
      return { kind: "committed", value: await value };
    } catch (unreadable) {
      return { kind: "unreadable", error: unreadable };
    }
  };

  const sendOne = (
    client: Client,
    make: () => BoundStatement,
    listener: StatementListener,
  ): Promise<HotOutcome<number>> => {
    let value = 0;
    const answer = (_rows: unknown[], count: number): void => void (value = count);
    let one: HotStatement;
    try {
      const { text, parameters } = make();
      one = { text, values: parameters.map(toWireValue), answer };
    } catch (error) {
      return Promise.resolve({ kind: "failed", error });
    }
    return new Promise((resolve, reject) => {
      send(client, [one], (ending) => {
        if (ending.kind !== "committed") return resolve(ending);
        try {
          listener.committed(value);
        } catch (error) {
          return reject(toFault(error));
        }
        resolve({ kind: "committed", value });
      });
      listener.sent();
    });
  };

  return {
    async transact(work, waitMs) {
      const client = await steady.connected(waitMs);
      return client === null ? { kind: "unreachable" } : sendWork(client, work);
    },
    async runOne(make, listener, waitMs) {
      const client = await steady.connected(waitMs);
      return client === null ? { kind: "unreachable" } : sendOne(client, make, listener);
    },
    silentForMs: () => Math.max(steady.downForMs(), asked === null ? 0 : owedForMs(asked)),
    get undecided() {
      return doubtful !== null;
    },
    async close() {
      await steady.close();
      if (watch !== null) clearTimeout(watch);
    },
  };
}

/** An answer that the database owes. */
interface Owed {
  readonly client: Client;
  /** Up to the last beat. */
  waitedMs: number;
  beatAt: number;
}

function owedForMs({ waitedMs, beatAt }: Owed): number {
  return waitedMs + Math.min(performance.now() - beatAt, MOST_OF_A_BEAT_MS);
}

interface Collected<T> {
  readonly statements: readonly HotStatement[];
  readonly value: Promise<T>;
  readonly error: unknown;
}

/** Runs the work up to its first await. An error there means that nothing may be sent. */
async function collect<T>(work: (tx: PipelinedTx) => Promise<T>): Promise<Collected<T>> {
  const statements: HotStatement[] = [];
  let collecting = true;
  let error: unknown = null;
  const add = <R>(text: string, params: readonly unknown[] = []): Promise<R[]> => {
    if (!collecting)
      throw new Error("a pipelined transaction takes its statements before the first await");
    const values = params.map(toWireValue);
    return new Promise<R[]>((resolve) =>
      statements.push({ text, values, answer: (rows) => resolve(rows as R[]) }),
    );
  };
  const value = (async () =>
    work({
      run: <Parameters extends readonly unknown[], Row>(
        { text }: Statement<Parameters, Row>,
        parameters: Parameters,
      ) => add<Row>(text, parameters),
      query: add,
    }))();
  collecting = false;
  value.catch((thrown: unknown) => {
    error ??= thrown;
  });
  // What the work threw already arrives within these turns; nothing is sent yet, so it cannot be an
  // answer's fault.
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
  return { statements, value, error };
}

type Ending =
  | Exclude<HotOutcome<never>, { kind: "committed" } | { kind: "unreachable" }>
  | { readonly kind: "committed" };

/**
 * Sends everything in one write; `over` hears once, as soon as the last answer has been read where
 * nothing is in doubt.
 */
function write(
  client: Client,
  statements: readonly HotStatement[],
  prepared: PreparedStatements,
  over: (ending: Ending) => void,
): void {
  const transaction = new HotTransaction(statements, prepared, (error) => {
    if (error === null) over(readAnswers(transaction));
    else void findOut(client, statements.length > 1, error).then(over);
  });
  client.query(transaction);
}

function readAnswers(transaction: HotTransaction): Ending {
  try {
    transaction.answer();
    return { kind: "committed" };
  } catch (unreadable) {
    return { kind: "unreadable", error: unreadable };
  }
}

/**
 * A session that still answers has told us the truth: an error that ended the session may have
 * struck during the commit.
 */
async function findOut(client: Client, inTransaction: boolean, error: unknown): Promise<Ending> {
  const stands = await isBackAtStart(client, inTransaction);
  return stands ? { kind: "failed", error } : { kind: "unknown", error };
}

/** Whether the session answers after an error; then the failed transaction is over. */
async function isBackAtStart(client: Client, inTransaction: boolean): Promise<boolean> {
  try {
    await client.query(inTransaction ? "ROLLBACK" : "SELECT 1");
    return true;
  } catch {
    return false;
  }
}

/** One life of one server process; a pid alone may be another process later. */
interface ServerSession {
  readonly pid: number;
  readonly startedAt: string;
}

const READ_SESSION = statement({
  text: `SELECT pid, backend_start::text AS "startedAt" FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
  row: { pid: sql.present(sql.int4), startedAt: sql.text },
});

async function readSession(client: Client): Promise<ServerSession | null> {
  const [row] = await runStatement(client, READ_SESSION, []);
  return row ?? null;
}

const END_SESSION = statement({
  text: "SELECT pg_terminate_backend(pid, 3000) AS ended FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2",
  parameters: [sql.int4, sql.text],
  row: { ended: sql.bool },
});

/**
 * Makes sure that a transaction we gave up on cannot commit behind our back: its server process is
 * ended, and gone.
 */
async function endSession(client: Client, { pid, startedAt }: ServerSession): Promise<void> {
  const rows = await runStatement(client, END_SESSION, [pid, startedAt]);
  if (rows.some((row) => !row.ended))
    throw new Error(`server process ${pid} still runs a transaction that was given up`);
}
