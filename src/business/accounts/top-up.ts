/** Credits roubles to an account, once per reference. */
import type { CreditClass } from "../../contract/enums/credit-class.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { isUuid, newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles, nano, NANO_PER_ROUBLE } from "../../kernel/money.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { credit } from "../../ledger/transfers.store.ts";

export interface TopUpRequest {
  readonly accountId: string;
  /** Above zero. */
  readonly amountNano: Nano;
  /**
   * Names the payment, over all accounts: the same one again credits nothing. Null makes one up, so
   * every call credits.
   */
  readonly reference: string | null;
  /** Absent: paid. What is given is used up before what was paid, and is not paid back. */
  readonly creditClass?: CreditClass;
  /** Shown beside the entry. */
  readonly note?: string;
}

export type TopUpOutcome =
  | {
      readonly kind: "credited";
      readonly entryId: Uuid;
      readonly reference: string;
      readonly balance: Balance;
    }
  /** This very top-up was made before; nothing changed. */
  | {
      readonly kind: "duplicate";
      readonly entryId: Uuid;
      readonly reference: string;
      readonly balance: Balance;
    }
  /**
   * The reference belongs to another top-up: of this amount and class, to this account. Nothing
   * changed.
   */
  | {
      readonly kind: "reference-taken";
      readonly accountId: Uuid;
      readonly amountNano: Nano;
      readonly creditClass: CreditClass;
    }
  | { readonly kind: "unknown-account" };

/** Of one transfer from outside. */
export const HIGHEST_TRANSFER = nano(1_000_000_000n * NANO_PER_ROUBLE);
const LONGEST_REFERENCE = 200;

/** Throws Fault("invalid_request") on an amount or reference that cannot be. */
export function topUp(db: Db, request: TopUpRequest): Promise<TopUpOutcome> {
  return db.transaction((tx) => topUpIn(tx, request));
}

/** The same, together with what else happens in the caller's transaction. */
export async function topUpIn(tx: Queryable, request: TopUpRequest): Promise<TopUpOutcome> {
  const { accountId, amountNano, note, creditClass = "paid" } = request;
  if (amountNano <= 0n || amountNano > HIGHEST_TRANSFER) {
    throw new Fault("invalid_request", {
      ...sayRefusal("top_up_amount", { limit: formatRoubles(HIGHEST_TRANSFER) }),
      param: "amount",
    });
  }
  const reference =
    request.reference === null ? `topup:${newUuid()}` : readReference(request.reference);
  if (!isUuid(accountId)) return { kind: "unknown-account" };
  const verdict = await credit(tx, {
    accountId,
    amountNano,
    reference,
    kind: "topup",
    creditClass,
    ...(note === undefined ? {} : { note }),
  });
  if (verdict.kind === "unknown-account") return verdict;
  if (
    verdict.kind === "duplicate" &&
    (verdict.accountId !== accountId ||
      verdict.amountNano !== amountNano ||
      verdict.creditClass !== creditClass)
  ) {
    return {
      kind: "reference-taken",
      accountId: verdict.accountId,
      amountNano: verdict.amountNano,
      creditClass: verdict.creditClass,
    };
  }
  const after = await balance(tx, accountId);
  return after === null
    ? { kind: "unknown-account" }
    : { kind: verdict.kind, entryId: verdict.entryId, reference, balance: after };
}

/** Names a transfer from outside. Throws Fault("invalid_request") on what cannot be one. */
export function readReference(text: string): string {
  const reference = text.trim();
  if (reference !== "" && reference.length <= LONGEST_REFERENCE && !/\p{Cc}/u.test(reference))
    return reference;
  throw new Fault("invalid_request", {
    ...sayRefusal("reference_expected", { limit: LONGEST_REFERENCE }),
    param: "ref",
  });
}
