/**
 * What the ledger is asked to do with a hold, and what it answers: requests carry amounts, verdicts
 * are exhaustive unions.
 */
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export interface HoldRequest {
  /** New and unique; also the id of the entry that will end the hold. */
  readonly holdId: Uuid;
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
  /**
   * The process whose lease keeps the hold alive; null when something else guarantees its end (a
   * task), then it is never swept.
   */
  readonly ownerId: Uuid | null;
  /** Held when four of it are available; null when it shall not be tried. */
  readonly fullNano: Nano | null;
  /** Else held when available. */
  readonly sliceNano: Nano;
  /** Else held when available; else the request is refused. */
  readonly minimumNano: Nano;
  /** What the money is for, such as `request:req_…`; goes into the entry. */
  readonly reference: string;
  readonly priceVersion: number;
  /** JSON of the holder, opaque to the ledger; read back by recovery. */
  readonly detail: string;
}

export type HoldTier = "full" | "slice" | "minimum";

export type HoldVerdict =
  | { readonly kind: "held"; readonly heldNano: Nano; readonly tier: HoldTier }
  /** heldNano: by this account's other holds. */
  | { readonly kind: "insufficient-balance"; readonly availableNano: Nano; readonly heldNano: Nano }
  /** The budget's figures, not the account's. */
  | { readonly kind: "limit-exceeded"; readonly availableNano: Nano; readonly heldNano: Nano }
  /** Closed, or not a budget of this account. */
  | { readonly kind: "budget-closed" }
  | { readonly kind: "account-blocked" }
  | { readonly kind: "unknown-account" };

export interface ExtendRequest {
  readonly holdId: Uuid;
  /** 0 only records. */
  readonly addNano: Nano;
  /**
   * Price of what was delivered so far; saved at most as high as the hold, also when the extension
   * is refused.
   */
  readonly recordedNano: Nano;
  /** Replaces the hold's detail, also when the extension is refused. */
  readonly detail: string;
}

export type ExtendVerdict =
  | { readonly kind: "extended"; readonly heldNano: Nano }
  | { readonly kind: "refused"; readonly heldNano: Nano }
  /** The hold has ended, or never was. */
  | { readonly kind: "gone" };

export interface Settlement {
  readonly holdId: Uuid;
  /**
   * 0 releases everything; null means what the holder recorded. What goes beyond the hold is not
   * charged but added to the loss.
   */
  readonly chargeNano: Nano | null;
  /** Delivered but not chargeable: the operator's loss. */
  readonly lossNano: Nano;
}

export type SettleVerdict =
  | { readonly kind: "settled"; readonly chargedNano: Nano; readonly releasedNano: Nano }
  | { readonly kind: "already-settled"; readonly chargedNano: Nano }
  | { readonly kind: "unknown-hold" };
