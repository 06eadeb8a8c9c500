/**
 * Finds the database of this configuration, the operator's own or the embedded one, and brings its
 * schema up to date.
 */
import { join } from "node:path";
import { startEmbedded } from "#embedded-postgres/start-embedded.ts";
import { insistOnServer } from "../db/insist-on-server.ts";
import { migrate } from "../db/migrate.ts";
import { firstThatConnects, sslTries } from "../db/ssl-mode.ts";
import type { Config } from "../config/config.ts";
import { PROJECT_ROOT, VERSION } from "./project-root.ts";
import { StartRefused } from "./start-refused.ts";

export interface ServerDatabase {
  /** In the driver's words. */
  readonly url: string;
  /** Stops the embedded server if this process started it; leaves any other alone. */
  close(): Promise<void>;
}

export interface ServerDatabaseOptions {
  readonly config: Config;
  /** A command ends soon and shares the server with others; a serving process owns it. */
  readonly purpose: "serve" | "command";
  /** Absent: it is brought up to date. */
  readonly schema?: "as it is";
  /**
   * Nothing but the database itself is waited for any more: its server is ours and begins, or has
   * answered. Called once.
   */
  onHeld?(): void;
  log(line: string, level?: "warn"): void;
  /** The embedded server died and could not be brought back. */
  onFatal(error: unknown): void;
}

export async function openServerDatabase(options: ServerDatabaseOptions): Promise<ServerDatabase> {
  const { config, purpose, log } = options;
  const bringUpToDate = async (url: string): Promise<void> => {
    if (options.schema === undefined)
      await migrate({
        url,
        directory: join(PROJECT_ROOT, "migrations"),
        version: VERSION,
        log,
      });
  };
  if (config.databaseUrl !== null) {
    let url: string;
    try {
      url = await firstThatConnects(sslTries(config.databaseUrl), insistOnServer);
      options.onHeld?.();
      await bringUpToDate(url);
    } catch (cause) {
      throw new StartRefused(
        `DATABASE_URL: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    }
    return { url, close: async () => undefined };
  }
  const server = await startEmbedded({
    dataDir: config.dataDir,
    purpose,
    log,
    onHeld: () => options.onHeld?.(),
    onFatal: options.onFatal,
  });
  try {
    await bringUpToDate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: server.url, close: () => server.stop() };
}
