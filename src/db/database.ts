/**
 * The database handle: a pool of PostgreSQL connections, and transactions that retry what
 * PostgreSQL asks to retry.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import { backoffMs, type Backoff } from "../kernel/backoff.ts";
import {
  isDiskFull,
  isReadOnly,
  isRetryable,
  isUnanswered,
  toDatabaseFault,
} from "./database-errors.ts";
import { prepareSession } from "./prepare-session.ts";
import { statement, type Statement } from "./statement.ts";
import { valueParsers } from "./value-parsers.ts";

export interface Tx {
  /** Runs a declared statement. Rows come back as plain objects (see value-parsers.ts). */
  run<Parameters extends readonly unknown[], Row>(
    statement: Statement<Parameters, Row>,
    parameters: NoInfer<Parameters>,
  ): Promise<Row[]>;
  /** Runs any text, and believes what is said of its rows: for tests, which look into every table. */
  query<R>(sql: string, params?: readonly unknown[]): Promise<R[]>;
}

export interface Db extends Tx {
  /**
   * Runs `work` in a READ COMMITTED transaction; commits when it resolves, rolls back when it
   * throws. Deadlocks and serialization failures run `work` again, so it must have no effects
   * outside its transaction.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Whether the server's disk takes more. It is tried only after a statement of this handle, or
   * another that was told of, found it full.
   */
  hasRoom(): Promise<boolean>;
  /**
   * This listener, for what fails on other connections to the same server: where they find its disk
   * full, that is known here, too.
   */
  overhear(listener: (error: unknown) => void): (error: unknown) => void;
  close(): Promise<void>;
}

/**
 * A Db or a transaction, also a pipelined one: what store functions take as their first argument,
 * which runs what is declared and nothing else.
 */
export type Queryable = Pick<Tx, "run">;

export interface DatabaseOptions {
  /** `postgresql://…`; a Unix socket is `postgresql:///NAME?host=/folder&user=NAME`. */
  readonly url: string;
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /**
   * A statement without an answer for this long counts as a lost connection; absent for work that
   * may take its time.
   */
  readonly answerWithinMs?: number;
  /** For reading alone, so that a standby will do; absent: for writing. */
  readonly use?: "reading";
  /** Hears of idle connections that broke; the pool replaces them by itself. */
  onError(error: unknown): void;
}

/** Set by a statement: a pooler between may refuse them as parameters of the connection. */
const SESSION_LIMITS_MS = {
  statement_timeout: "30000",
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "60000",
};
/** How long a caller waits for a free or new connection before it is told to come back later. */
const CONNECTION_WAIT_MS = 5_000;
const IDLE_CONNECTION_MS = 60_000;
const ATTEMPTS = 5;
/**
 * Spread over all of the pause: transactions that got into each other's way must not meet again.
 */
const RETRY: Backoff = { firstMs: 5, longestMs: 40, spread: 1 };
/** A megabyte of new pages, gone with its transaction. */
const TRY_ROOM = statement({
  text: `CREATE TEMPORARY TABLE room_tried ON COMMIT DROP AS
  SELECT repeat(md5(i::text), 55) AS filler FROM generate_series(1, 600) AS i`,
});

/**
 * Opens no connection yet; the first query does. Every method throws Fault("overloaded") when the
 * database cannot be reached, and the driver's DatabaseError when a statement fails.
 */
export function openDatabase(options: DatabaseOptions): Db {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    types: valueParsers,
    // The pool waits for its promise, which its types do not say.
    onConnect: (client): unknown => prepareSession(client, SESSION_LIMITS_MS, options.use),
    // A server that stands still and a network that swallows everything end no statement by
    // themselves.
    ...(options.answerWithinMs === undefined ? {} : { query_timeout: options.answerWithinMs }),
  });
  pool.on("error", (error) => options.onError(error));

  let full = false;
  const faultOf = (error: unknown): unknown => {
    full ||= isDiskFull(error);
    return toDatabaseFault(error);
  };

  let trying: Promise<boolean> | null = null;
  async function tryRoom(): Promise<boolean> {
    try {
      await attempt((tx) => tx.run(TRY_ROOM, []));
      full = false;
    } catch (error) {
      // What else it fails of is told where it belongs, and says nothing of the disk.
      full = isDiskFull(error);
    }
    return !full;
  }

  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw toDatabaseFault(error);
    }
  };

  const attempt = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const client = await connect();
    let broken: Error | undefined;
    // Without a listener a connection that breaks between two statements would end the process.
    const onClientError = (error: Error): void => {
      broken = error;
    };
    client.on("error", onClientError);
    try {
      await client.query("BEGIN");
      const result = await work(openTx(client));
      await client.query("COMMIT");
      return result;
    } catch (error) {
      if (isUnanswered(error)) broken = new Error("the server does not answer", { cause: error });
      else {
        await client.query("ROLLBACK").catch((failure: unknown) => {
          broken = failure instanceof Error ? failure : new Error(String(failure));
        });
        if (isReadOnly(error)) broken = new Error("the server takes no writes", { cause: error });
      }
      throw faultOf(error);
    } finally {
      client.off("error", onClientError);
      client.release(broken);
    }
  };

  const ask = async <R>(text: string, params: readonly unknown[] | undefined): Promise<R[]> => {
    try {
      return await rowsOf<R>(pool, text, params);
    } catch (error) {
      throw faultOf(error);
    }
  };

  return {
    run: <Parameters extends readonly unknown[], Row>(
      { text }: Statement<Parameters, Row>,
      parameters: Parameters,
    ) => ask<Row>(text, parameters),
    query: ask,
    async hasRoom() {
      if (!full) return true;
      trying ??= tryRoom().finally(() => (trying = null));
      return trying;
    },
    overhear: (listener) => (error) => {
      full ||= isDiskFull(error);
      listener(error);
    },
    async transaction(work) {
      for (let tried = 1; ; tried++) {
        try {
          return await attempt(work);
        } catch (error) {
          if (tried >= ATTEMPTS || !isRetryable(error)) throw error;
          await sleep(backoffMs(tried - 1, RETRY, Math.random));
        }
      }
    },
    async close() {
      await pool.end();
    },
  };
}

function openTx(client: PoolClient): Tx {
  return {
    run: <Parameters extends readonly unknown[], Row>(
      { text }: Statement<Parameters, Row>,
      parameters: Parameters,
    ) => rowsOf<Row>(client, text, parameters),
    query: (text, params) => rowsOf(client, text, params),
  };
}

async function rowsOf<R>(
  on: Pool | PoolClient,
  text: string,
  params: readonly unknown[] | undefined,
): Promise<R[]> {
  // The driver does not change what it is given, which its types do not say.
  return (await on.query(text, params as unknown[] | undefined)).rows as R[];
}
