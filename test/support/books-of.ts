/** Books without an archive behind them, as a test without closed months reads them. */
import { type Books, openBooks } from "../../src/business/past/books.ts";
import type { Queryable } from "../../src/db/database.ts";
import type { ListSourceOf } from "../../src/http/panel/list-source.ts";

/** Lists that are read where everything is read. */
export function listsOf(db: Queryable): ListSourceOf {
  const source = { db, books: booksOf(db) };
  return () => source;
}

export function booksOf(db: Queryable): Books {
  return openBooks(db, () => Promise.reject(new Error("no month of this test is archived")));
}
