/** Credits roubles to an account, once per reference. */
import type { Db } from "../db/database.ts";
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { isUuid, newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { formatRoubles, nano, NANO_PER_ROUBLE } from "../kernel/money.ts";
import type { Balance } from "../ledger/accounts.store.ts";
import { balance } from "../ledger/accounts.store.ts";
import { credit } from "../ledger/transfers.store.ts";

export interface TopUpRequest {
  readonly accountId: string;
  /** Above zero. */
  readonly amountNano: Nano;
  /** Names the payment, over all accounts: the same one again credits nothing. Null makes one up, so every call credits. */
  readonly reference: string | null;
}

export type TopUpOutcome =
  | { readonly kind: "credited"; readonly entryId: Uuid; readonly reference: string; readonly balance: Balance }
  /** This very top-up was made before; nothing changed. */
  | { readonly kind: "duplicate"; readonly entryId: Uuid; readonly reference: string; readonly balance: Balance }
  /** The reference belongs to another top-up: of this amount, to this account. Nothing changed. */
  | { readonly kind: "reference-taken"; readonly accountId: Uuid; readonly amountNano: Nano }
  | { readonly kind: "unknown-account" };

const HIGHEST = nano(1_000_000_000n * NANO_PER_ROUBLE);
const LONGEST_REFERENCE = 200;

/** Throws Fault("invalid_request") on an amount or reference that cannot be. */
export async function topUp(db: Db, request: TopUpRequest): Promise<TopUpOutcome> {
  const { accountId, amountNano } = request;
  if (amountNano <= 0n || amountNano > HIGHEST) {
    throw new Fault("invalid_request", {
      message: `An amount above 0 and up to ${formatRoubles(HIGHEST)} roubles is expected.`,
      param: "amount",
    });
  }
  const reference = request.reference === null ? `topup:${newUuid()}` : readReference(request.reference);
  if (!isUuid(accountId)) return { kind: "unknown-account" };
  return db.transaction<TopUpOutcome>(async (tx) => {
    const verdict = await credit(tx, { accountId, amountNano, reference, kind: "topup" });
    if (verdict.kind === "unknown-account") return verdict;
    if (verdict.kind === "duplicate" && (verdict.accountId !== accountId || verdict.amountNano !== amountNano)) {
      return { kind: "reference-taken", accountId: verdict.accountId, amountNano: verdict.amountNano };
    }
    const after = await balance(tx, accountId);
    return after === null ? { kind: "unknown-account" } : { kind: verdict.kind, entryId: verdict.entryId, reference, balance: after };
  });
}

function readReference(text: string): string {
  const reference = text.trim();
  if (reference !== "" && reference.length <= LONGEST_REFERENCE && !/\p{Cc}/u.test(reference)) return reference;
  throw new Fault("invalid_request", {
    message: `A reference of 1 to ${LONGEST_REFERENCE} characters on one line is expected.`,
    param: "ref",
  });
}
