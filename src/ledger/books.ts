/**
 * The operator's own books: the other side of every movement of customers' money. They have no
 * balance row; their balance is a sum of entries.
 */

export const OPERATOR_BOOKS = {
  /** Money that was paid in from outside. */
  funding: "00000000-0000-0000-0000-000000000001",
  /** What was earned; ledger.settle_many writes this id too. */
  revenue: "00000000-0000-0000-0000-000000000002",
  /** What was delivered but could not be charged; ledger.settle_many writes this id too. */
  loss: "00000000-0000-0000-0000-000000000003",
  /** Corrections by the operator. */
  adjustments: "00000000-0000-0000-0000-000000000004",
} as const;
