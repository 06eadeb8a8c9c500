/**
 * What a key may use now, of the balance, its own limit and its group's; and by which of them the
 * ledger would refuse.
 */
import { minNano, type Nano } from "../../kernel/money.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import type { RefusedHold } from "../../ledger/hold-verdicts.ts";
import type { KeySpend } from "./read-key-spend.ts";

export interface KeyFunds {
  readonly account: Balance;
  /** Null: of the account itself. */
  readonly spend: KeySpend | null;
}

export function availableTo({ account, spend }: KeyFunds): Nano {
  let availableNano = account.availableNano;
  for (const budget of [spend?.own, spend?.group])
    availableNano = minNano(availableNano, budget?.availableNano ?? availableNano);
  return availableNano;
}

/** Whatever is asked for; null: nothing is closed. */
export function stoppedBy({ account, spend }: KeyFunds): RefusedHold | null {
  if (account.state === "blocked") return { kind: "account-blocked" };
  if (spend?.own.state === "closed") return { kind: "budget-closed" };
  return spend?.group?.state === "closed" ? { kind: "group-closed" } : null;
}

/** Of what is more than is available: the balance, else the tighter limit. */
export function shortOf({ account, spend }: KeyFunds, neededNano: Nano): RefusedHold {
  const { availableNano, heldNano } = account;
  const ofKey = spend?.own.availableNano ?? null;
  const ofGroup = spend?.group?.availableNano ?? null;
  if (neededNano > availableNano || spend === null)
    return { kind: "insufficient-balance", availableNano, heldNano };
  if (spend.group !== null && ofGroup !== null && (ofKey === null || ofGroup < ofKey))
    return {
      kind: "group-limit-exceeded",
      availableNano: ofGroup,
      heldNano: spend.group.heldNano,
    };
  return {
    kind: "limit-exceeded",
    availableNano: ofKey ?? availableNano,
    heldNano: spend.own.heldNano,
  };
}
