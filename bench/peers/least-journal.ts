/**
 * The least of durable books, for the least gateway that bills: one row for all that ended while the
 * row before was on its way to the disk. Nothing is posted to accounts, and nothing can be recovered.
 */
import pg from "pg";
import { startEmbedded } from "#embedded-postgres/start-embedded.ts";

export interface LeastJournal {
  /** Calls `then` when `line` is committed. */
  end(line: string, then: () => void): void;
}

export async function openLeastJournal(dataDir: string): Promise<LeastJournal> {
  const server = await startEmbedded({
    dataDir,
    purpose: "serve",
    log: () => undefined,
    onFatal: (error) => {
      throw error;
    },
  });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("CREATE TABLE pages (page_no bigint PRIMARY KEY, ended text NOT NULL)");
  let pageNo = 0;
  let lines: string[] = [];
  let waiting: (() => void)[] = [];
  let isWriting = false;

  function write(): void {
    const written = waiting;
    const values = [String((pageNo += 1)), lines.join("\n")];
    lines = [];
    waiting = [];
    isWriting = true;
    client.query(
      { name: "append", text: "INSERT INTO pages VALUES ($1, $2)", values },
      (error: Error | null) => {
        if (error !== null) throw error;
        isWriting = false;
        for (const then of written) then();
        if (lines.length > 0) write();
      },
    );
  }

  return {
    end(line, then) {
      lines.push(line);
      waiting.push(then);
      if (!isWriting) write();
    },
  };
}
