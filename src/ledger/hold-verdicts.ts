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
  /** The budget around that one, as far as is known: the database corrects it. */
  readonly groupId: Uuid | null;
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

/** What a process holds for a request of its own, which its journal ends. */
export interface RequestHold extends Omit<HoldRequest, "reference" | "detail"> {
  /** JSON of the holder, or what makes it: most requests end before it is needed. */
  readonly detail: string | (() => string);
}

export type HoldTier = "full" | "slice" | "minimum";

export type HoldVerdict =
  | { readonly kind: "held"; readonly heldNano: Nano; readonly tier: HoldTier }
  /** heldNano: by this account's other holds. */
  | { readonly kind: "insufficient-balance"; readonly availableNano: Nano; readonly heldNano: Nano }
  /** The budget's figures, not the account's. */
  | { readonly kind: "limit-exceeded"; readonly availableNano: Nano; readonly heldNano: Nano }
  /** The group's figures. */
  | { readonly kind: "group-limit-exceeded"; readonly availableNano: Nano; readonly heldNano: Nano }
  /** Closed, or not a budget of this account. */
  | { readonly kind: "budget-closed" }
  /** The budget's group is. */
  | { readonly kind: "group-closed" }
  | { readonly kind: "account-blocked" }
  | { readonly kind: "unknown-account" };

export type RefusedHold = Exclude<HoldVerdict, { kind: "held" }>;

/** There is too little, for now: what others hold without need may help. */
export function isShort({ kind }: { readonly kind: string }): boolean {
  return SHORT.has(kind);
}

const SHORT: ReadonlySet<string> = new Set<HoldVerdict["kind"]>([
  "insufficient-balance",
  "limit-exceeded",
  "group-limit-exceeded",
]);

/** What a process asks of the database for one request: a lease to admit it by, or its own hold. */
export interface GrantRequest {
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
  /** The one in which the hold stands that grows, else the one in which the budget is thought to lie. */
  readonly groupId: Uuid | null;
  /** Of the hold that is made for this request alone, or that is raised. */
  readonly holdId: Uuid;
  /** Null: no lease is wanted. */
  readonly lease: { readonly leaseId: Uuid; readonly wantNano: Nano } | null;
  readonly fullNano: Nano | null;
  readonly sliceNano: Nano;
  readonly minimumNano: Nano;
  /** Raises the hold by the minimum, also in a closed budget and a blocked account. */
  readonly grows: boolean;
  /** Of a task's hold; null for a process's. */
  readonly task: {
    readonly priceVersion: number;
    readonly reference: string;
    readonly detail: string;
  } | null;
}

/** The budget lies in another group than was said. */
export interface Moved {
  readonly kind: "moved";
}

export type GrantVerdict =
  | HoldVerdict
  | Moved
  /** By so much the lease is larger now; so much was free before. */
  | { readonly kind: "leased"; readonly grantedNano: Nano; readonly roomNano: Nano }
  /** There is no such hold to raise. */
  | { readonly kind: "gone" }
  /** The process was judged dead: its journal takes nothing more. */
  | { readonly kind: "fenced" };

export interface ExtendRequest {
  readonly holdId: Uuid;
  /** 0 only records. */
  readonly addNano: Nano;
  /** Price of what was delivered so far; noted at most as high as the hold. */
  readonly recordedNano: Nano;
  /** Replaces the hold's detail. */
  readonly detail: string;
}

export type ExtendVerdict =
  | { readonly kind: "extended"; readonly heldNano: Nano }
  | { readonly kind: "refused"; readonly heldNano: Nano }
  /** The hold has ended, or never was. */
  | { readonly kind: "gone" };

export interface Settlement {
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  /** 0 releases everything. What goes beyond the hold is not charged but added to the loss. */
  readonly chargeNano: Nano;
  /** Delivered but not chargeable: the operator's loss. */
  readonly lossNano: Nano;
}

export type SettleVerdict =
  | { readonly kind: "settled"; readonly chargedNano: Nano; readonly releasedNano: Nano }
  | { readonly kind: "already-settled"; readonly chargedNano: Nano }
  | { readonly kind: "unknown-hold" };
