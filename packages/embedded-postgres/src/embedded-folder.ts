/**
 * Where things lie in a data directory: everything of the embedded server is under
 * DATA_DIR/postgres.
 */
import { join, resolve } from "node:path";

export interface EmbeddedFolder {
  readonly path: string;
  /** The PostgreSQL cluster; belongs to the server's user, mode 700. */
  readonly cluster: string;
  /** Held by the process that runs the server; the kernel lets go of it when that process ends. */
  readonly lock: string;
  /** Who that process is and how to reach its server. */
  readonly state: string;
  readonly log: string;
}

export function embeddedFolder(dataDir: string): EmbeddedFolder {
  const path = resolve(dataDir, "postgres");
  return {
    path,
    cluster: join(path, "cluster"),
    lock: join(path, "owner.lock"),
    state: join(path, "server.json"),
    log: join(path, "postgres.log"),
  };
}
