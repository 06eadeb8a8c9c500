/** Connections to a server under test, which may lose them at any moment. */
import { DatabaseError, Pool, type QueryResultRow } from "pg";

export interface TestPool {
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export function openPool(url: string, size = 2): TestPool {
  const pool = new Pool({ connectionString: url, max: size });
  pool.on("error", () => {}); // the next statement takes another connection
  return {
    query: async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    close: () => pool.end(),
  };
}

/** Whether the server was not there, or went away; the statement itself was in order. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(08|53|57P)/.test(error.code ?? "");
}
