/** One dedicated connection that comes back by itself whenever it is lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { backoffMs, type Backoff } from "../kernel/backoff.ts";
import { prepareSession } from "./prepare-session.ts";

export interface SteadyClientOptions {
  readonly config: ClientConfig;
  /** Settings of PostgreSQL for its sessions, beside those of every connection. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Runs on each new connection before anybody gets it; a throw counts as a failed connection. */
  prepare(client: Client): Promise<void>;
  /** Hears of every lost or failed connection. */
  onError(error: unknown): void;
}

export interface SteadyClient {
  /** The live connection, or null when there is none within `waitMs`. */
  connected(waitMs: number): Promise<Client | null>;
  /** Milliseconds without a connection; 0 while there is one. */
  downForMs(): number;
  /**
   * Drops a connection whose state is unknown; its open queries reject and a new connection is
   * made.
   */
  discard(client: Client): void;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY: Backoff = { firstMs: 20, longestMs: 800 };

/** Connects at once and keeps trying for ever, with growing pauses, until closed. */
export function createSteadyClient(options: SteadyClientOptions): SteadyClient {
  const closing = new AbortController();
  let live: Client | null = null;
  let opening: Client | null = null;
  let downSince = performance.now();
  const waiters = new Set<(client: Client | null) => void>();

  const publish = (client: Client | null): void => {
    live = client;
    if (client === null) {
      downSince = performance.now();
      return;
    }
    for (const wake of waiters) wake(client);
    waiters.clear();
  };

  const connectOnce = async (): Promise<void> => {
    const client = new Client({
      ...options.config,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    opening = client;
    let reported = false;
    client.on("error", (error) => {
      reported = true;
      if (!closing.signal.aborted) options.onError(error);
    });
    const gone = new Promise<void>((resolve) => {
      client.once("end", () => {
        if (live === client) publish(null);
        resolve();
      });
    });
    try {
      await client.connect();
      await prepareSession(client, options.settings);
      await options.prepare(client);
    } catch (error) {
      destroy(client);
      throw error;
    }
    opening = null;
    if (closing.signal.aborted) {
      destroy(client);
      return;
    }
    publish(client);
    await gone;
    if (!reported && !closing.signal.aborted)
      options.onError(new Error("the database connection was closed"));
  };

  const keep = async (): Promise<void> => {
    for (let failed = 0; !closing.signal.aborted; failed++) {
      try {
        await connectOnce();
        failed = 0;
      } catch (error) {
        if (closing.signal.aborted) return;
        options.onError(error);
      }
      await sleep(backoffMs(failed, RETRY, Math.random), undefined, {
        signal: closing.signal,
      }).catch(() => {});
    }
  };
  const kept = keep();

  return {
    connected(waitMs) {
      if (live !== null || closing.signal.aborted || waitMs <= 0) return Promise.resolve(live);
      return new Promise((resolve) => {
        const wake = (client: Client | null): void => {
          clearTimeout(timer);
          waiters.delete(wake);
          resolve(client);
        };
        const timer = setTimeout(() => wake(null), waitMs);
        waiters.add(wake);
      });
    },
    downForMs: () => (live === null ? performance.now() - downSince : 0),
    discard(client) {
      if (live === client) publish(null);
      destroy(client);
    },
    async close() {
      closing.abort();
      for (const wake of waiters) wake(null);
      const client = live;
      publish(null);
      if (opening !== null) destroy(opening);
      // A server that does not answer the goodbye must not keep us.
      if (client !== null) {
        const timer = setTimeout(() => destroy(client), 1_000);
        await client.end().catch(() => {});
        clearTimeout(timer);
      }
      await kept;
    },
  };
}

/** `end()` waits for queries in flight; this does not. */
function destroy(client: Client): void {
  client.connection.stream.destroy();
}
