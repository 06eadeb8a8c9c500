/** The embedded PostgreSQL as its users see it. */

export interface EmbeddedServer {
  /** For openDatabase and migrate. Stays the same when the server has to be restarted. */
  readonly url: string;
  /** Of the server process, started by this process or by another. */
  readonly pid: number;
  /**
   * Ends the server if this process runs it; a command first lets others finish. Close your own
   * connections before.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /**
   * `serve` insists on running the server itself; a `command` is content with one that runs
   * already.
   */
  readonly purpose: "serve" | "command";
  /** Without a level it is news, no more. */
  log(line: string, level?: "warn"): void;
  /**
   * The data directory is ours and in order: called once, before the server is waited for, so that
   * other work may go on beside its start.
   */
  onHeld?(): void;
  /** The server is lost for good, restarts did not help. */
  onFatal?(error: Error): void;
}
