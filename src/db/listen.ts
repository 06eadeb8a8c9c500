/** Hears PostgreSQL's NOTIFY on a connection of its own that comes back by itself. */
import { escapeIdentifier as quoteIdentifier } from "pg";
import { tellVersion } from "./running-version.ts";
import { createSteadyClient } from "./steady-client.ts";

export interface ListenOptions {
  readonly url: string;
  /** Exactly as NOTIFY names them. */
  readonly channels: readonly string[];
  /** Of this program: told to other processes for as long as there is a connection. */
  readonly version?: string;
  onMessage(channel: string, payload: string): void;
  /**
   * After the first and every later connection: messages sent before it were missed, so read again
   * what they would have told.
   */
  onConnected(): void;
  onError(error: unknown): void;
}

export interface Listener {
  close(): Promise<void>;
}

/** A dead network path shows only when something is sent over it. */
const PROBE_EVERY_MS = 20_000;
const PROBE_ANSWER_MS = 5_000;

export function listen(options: ListenOptions): Listener {
  const steady = createSteadyClient({
    config: { connectionString: options.url, application_name: "tollgate listen" },
    async prepare(client) {
      client.on("notification", ({ channel, payload }) =>
        options.onMessage(channel, payload ?? ""),
      );
      await client.query(
        options.channels.map((channel) => `LISTEN ${quoteIdentifier(channel)}`).join("; "),
      );
      if (options.version !== undefined) await tellVersion(client, options.version);
      options.onConnected();
    },
    onError: options.onError,
  });
  const probe = setInterval(() => {
    void steady.connected(0).then(async (client) => {
      if (client === null) return;
      const timer = setTimeout(() => steady.discard(client), PROBE_ANSWER_MS);
      await client.query("SELECT 1").catch(() => {}); // a broken connection is reported by the steady client
      clearTimeout(timer);
    });
  }, PROBE_EVERY_MS);
  probe.unref();
  return {
    async close() {
      clearInterval(probe);
      await steady.close();
    },
  };
}
