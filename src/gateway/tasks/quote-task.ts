/** What a task would cost if it were ordered now: read and checked as an order is, but nothing is held, written or called. */
import { minNano, type Nano } from "../../kernel/money.ts";
import { readBalance } from "../read-balance.ts";
import { readKeySpend } from "../read-key-spend.ts";
import { refuseHold } from "../chat/refuse-hold.ts";
import { readOrder, type Order, type OrderCall, type OrderDeps } from "./read-order.ts";

export interface QuotedTask {
  readonly order: Order;
  /** What the key can hold now: of the balance, and of its own limit. */
  readonly availableNano: Nano;
  /** Why an order would be refused for lack of money, in the words of the refusal; null where it would not be. */
  readonly refusal: { readonly code: string; readonly message: string } | null;
}

/** Throws what an order would be refused with before its hold. */
export async function quoteTask(deps: OrderDeps, call: OrderCall): Promise<QuotedTask> {
  const order = await readOrder(deps, call);
  const [account, budget] = await Promise.all([readBalance(deps.db, call.key.accountId), readKeySpend(deps.db, call.key)]);
  const { priceNano } = order;
  const ofKey = budget.availableNano;
  const availableNano = ofKey === null ? account.availableNano : minNano(account.availableNano, ofKey);
  if (availableNano >= priceNano) return { order, availableNano, refusal: null };
  const fault =
    account.availableNano < priceNano
      ? refuseHold({ kind: "insufficient-balance", availableNano: account.availableNano, heldNano: account.heldNano }, priceNano)
      : refuseHold({ kind: "limit-exceeded", availableNano, heldNano: budget.heldNano }, priceNano);
  return { order, availableNano, refusal: { code: fault.code, message: fault.message } };
}
