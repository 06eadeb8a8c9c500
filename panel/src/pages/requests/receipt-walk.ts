/** Which receipts stand beside the open one in the list. Pure. */

export interface ReceiptWalk {
  /** Null: there is none, or it is not read yet. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** Those beside it; none where the open one is not in the list, as after another filter. */
export function neighboursOf(ids: readonly string[], open: string): ReceiptWalk {
  const at = ids.indexOf(open);
  return {
    newer: at < 1 ? null : (ids[at - 1] ?? null),
    older: at === -1 ? null : (ids[at + 1] ?? null),
  };
}
