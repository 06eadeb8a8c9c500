/** Books without an archive behind them, as a test without closed months reads them. */
import { type Books, openBooks } from "../../src/business/past/books.ts";
import type { Queryable } from "../../src/db/database.ts";

export function booksOf(db: Queryable): Books {
  return openBooks(db, () => Promise.reject(new Error("no month of this test is archived")));
}
