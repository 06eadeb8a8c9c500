/** Changes what is in the books, past their walls: no code of the gateway can. */

/** Any connection, within a transaction of its own. */
export interface Rewriter {
  query(text: string, params?: readonly unknown[]): Promise<unknown>;
}

/** Runs statements while UPDATE and DELETE of `ledger.entries` are let through. */
export async function rewriteEntries(tx: Rewriter, rewrite: () => Promise<void>): Promise<void> {
  await tx.query("GRANT UPDATE, DELETE ON ledger.entries TO CURRENT_USER");
  // That of each partition is asked only where a statement names the partition.
  await tx.query("ALTER TABLE ONLY ledger.entries DISABLE TRIGGER append_only");
  await rewrite();
  await tx.query("ALTER TABLE ONLY ledger.entries ENABLE TRIGGER append_only");
  await tx.query("REVOKE UPDATE, DELETE ON ledger.entries FROM CURRENT_USER");
}
