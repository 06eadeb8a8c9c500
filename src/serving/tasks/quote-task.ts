/**
 * What a task would cost if it were ordered now: read and checked as an order is, but nothing is
 * held, written or called.
 */
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { readBalance } from "../money/read-balance.ts";
import { availableTo, shortOf } from "../money/key-funds.ts";
import { readKeySpend, type KeySpend } from "../money/read-key-spend.ts";
import { quotedRefusal, type QuotedRefusal } from "../chat/quoted-refusal.ts";
import { refuseHold } from "../chat/refuse-hold.ts";
import { readOrder, type Order, type OrderCall, type OrderDeps } from "./read-order.ts";

export interface QuoteCall extends OrderCall {
  readonly key: KeyRecord;
}

/** By the account itself, whatever key would order it. */
export interface QuoteDeps extends OrderDeps {
  readonly db: Db;
}

export interface AccountQuoteCall extends Pick<OrderCall, "model" | "body"> {
  readonly accountId: Uuid;
}

export interface QuotedTask {
  readonly order: Order;
  /** What can be held now: of the balance, and of the key's own limit where there is a key. */
  readonly availableNano: Nano;
  /**
   * Why an order would be refused for lack of money, in the words of the refusal; null where it
   * would not be.
   */
  readonly refusal: QuotedRefusal | null;
}

/** Throws what an order would be refused with before its hold. */
export async function quoteTask(deps: QuoteDeps, call: QuoteCall): Promise<QuotedTask> {
  const order = await readOrder(deps, call);
  return judge(deps, order, call.key.accountId, await readKeySpend(deps.db, call.key));
}

/** As quoteTask, for a key that may do everything. */
export async function quoteTaskForAccount(
  deps: QuoteDeps,
  { accountId, model, body }: AccountQuoteCall,
): Promise<QuotedTask> {
  const order = await readOrder(deps, {
    key: { models: null, groupModels: null, ips: null },
    ip: "",
    model,
    body,
    callbackUrl: null,
  });
  return judge(deps, order, accountId, null);
}

async function judge(
  deps: QuoteDeps,
  order: Order,
  accountId: Uuid,
  spend: KeySpend | null,
): Promise<QuotedTask> {
  const funds = { account: await readBalance(deps.db, accountId), spend };
  const { priceNano } = order;
  const availableNano = availableTo(funds);
  if (availableNano >= priceNano) return { order, availableNano, refusal: null };
  const fault = refuseHold(shortOf(funds, priceNano), priceNano);
  return { order, availableNano, refusal: quotedRefusal(fault) };
}
