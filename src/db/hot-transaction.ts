/**
 * One transaction as the driver runs it: all its statements leave in one write, and what the server
 * said of a statement's columns once is not asked again.
 */
import type { Connection, Submittable } from "pg";
import { frameStatements, type FramedStatement, type WireValue } from "./statement-frames.ts";
import { valueParsers } from "./value-parsers.ts";

export interface HotStatement {
  readonly text: string;
  readonly values: readonly WireValue[];
  /** Hears once the transaction is committed: its rows, and how many it gave or changed. */
  answer(rows: unknown[], count: number): void;
}

/** What a connection has prepared, by the statements' texts. */
export type PreparedStatements = Map<string, PreparedStatement>;

interface PreparedStatement {
  readonly name: string;
  /** Null while nothing is known: it may be prepared or not. */
  columns: readonly Column[] | null;
}

interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

type TextRow = readonly (string | null)[];

/**
 * A query of a kind of its own, as the driver allows (https://node-postgres.com/apis/cursor is
 * another): it calls `submit` and then hands over the server's messages. Several statements are
 * sent between BEGIN and COMMIT; a single one is a transaction by itself.
 */
export class HotTransaction implements Submittable {
  readonly #statements: readonly HotStatement[];
  readonly #prepared: PreparedStatements;
  readonly #done: (error: unknown) => void;
  readonly #bracketed: boolean;
  readonly #bytes: Buffer;
  /** Of each command that is complete. */
  readonly #rows: TextRow[][] = [];
  readonly #tags: string[] = [];
  #running: TextRow[] = [];
  #described: readonly Column[] = [];

  /**
   * `done` hears once: null when the transaction is committed, else what the server or the driver
   * said. After an error between BEGIN and COMMIT the session waits for a ROLLBACK.
   */
  constructor(
    statements: readonly HotStatement[],
    prepared: PreparedStatements,
    done: (error: unknown) => void,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#done = done;
    this.#bracketed = statements.length > 1;
    this.#bytes = this.#frame();
  }

  submit({ stream }: Connection): void {
    stream.write(this.#bytes);
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#described = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: valueParsers.getTypeParser(dataTypeID, "text") as Column["parse"],
    }));
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.#running.push(fields);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const statement = this.#statements[this.#rows.length - (this.#bracketed ? 1 : 0)];
    if (statement !== undefined) this.#preparedOf(statement.text).columns ??= this.#described;
    this.#rows.push(this.#running);
    this.#tags.push(text);
    this.#running = [];
    this.#described = [];
  }

  /**
   * Not called after an error. A command may be complete and its transaction fail all the same:
   * only here it is committed.
   */
  handleReadyForQuery(): void {
    this.#done(null);
  }

  handleError(error: unknown): void {
    this.#done(error);
  }

  /** Hands the statements their rows. Throws when one cannot be read. */
  answer(): void {
    for (const [index, statement] of this.#statements.entries()) {
      const { columns } = this.#preparedOf(statement.text);
      const command = index + (this.#bracketed ? 1 : 0);
      const rows = this.#rows[command] ?? [];
      statement.answer(
        rows.map((row) => readRow(row, columns ?? [])),
        countOf(this.#tags[command] ?? ""),
      );
    }
  }

  #frame(): Buffer {
    const framed: FramedStatement[] = [];
    if (this.#bracketed) framed.push({ text: "BEGIN", name: "", values: [], prepare: true });
    for (const { text, values } of this.#statements) {
      const { name, columns } = this.#preparedOf(text);
      framed.push({ text, name, values, prepare: columns === null });
    }
    if (this.#bracketed) framed.push({ text: "COMMIT", name: "", values: [], prepare: true });
    return frameStatements(framed);
  }

  #preparedOf(text: string): PreparedStatement {
    let prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      prepared = { name: `hot${this.#prepared.size}`, columns: null };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}

/**
 * `INSERT 0 1`, `SELECT 3`: the number of rows is the last word of a command's tag; none: 0.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html (CommandComplete)
 */
function countOf(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(" ") + 1));
  return Number.isInteger(count) ? count : 0;
}

function readRow(row: TextRow, columns: readonly Column[]): unknown {
  const values: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const text = row[index] ?? null;
    values[name] = text === null ? null : parse(text);
  }
  return values;
}
