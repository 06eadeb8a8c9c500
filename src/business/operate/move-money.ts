/**
 * An operator's credits and corrections: each an entry of its own in the ledger, once per
 * reference, with its row in the audit log.
 */
import type { CreditClass } from "../../contract/enums/credit-class.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Static } from "typebox";
import { recordAction } from "./audit.store.ts";
import type { AdjustBody, CreditBody, MoneyMoved } from "../../contract/panel/operator-accounts.ts";
import type { Db, Tx } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { formatRoubles, parseRoubles, type Nano } from "../../kernel/money.ts";
import { balance, type Balance } from "../../ledger/accounts.store.ts";
import { postAll } from "../../ledger/journals.store.ts";
import { withRoom } from "../../ledger/recall.ts";
import { adjust } from "../../ledger/transfers.store.ts";
import {
  HIGHEST_TRANSFER,
  readReference,
  topUpIn,
  type TopUpOutcome,
  type TopUpRequest,
} from "../accounts/top-up.ts";
import { actorOf, type Actor, type Operator } from "./operator.ts";

type Moved = Static<typeof MoneyMoved>;

/**
 * Money that was paid in from outside, booked as a top-up: the same reference never credits twice,
 * whether it comes from here, from the command line or from a payment. Throws Fault:
 * `invalid_request`, `not_found`, `conflict` where the reference names another top-up.
 */
export async function creditAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  body: Static<typeof CreditBody>,
): Promise<Moved> {
  const amountNano = readAmount(body.amount);
  const outcome = await bookTopUp(db, actorOf(operator), {
    accountId,
    amountNano,
    reference: body.ref,
    creditClass: body.class ?? "paid",
    note: body.reason,
  });
  if (outcome.kind === "unknown-account") throw new Fault("not_found");
  if (outcome.kind === "reference-taken") throw referenceTaken();
  const { entryId, reference } = outcome;
  return {
    ...movedView(outcome.balance),
    outcome: outcome.kind === "credited" ? "booked" : "repeated",
    entryId,
    ref: reference,
  };
}

/** An operator's top-up, from wherever it is asked for. Throws as `topUp` does. */
export async function bookTopUp(
  db: Db,
  actor: Actor,
  request: TopUpRequest & { readonly accountId: Uuid },
): Promise<TopUpOutcome> {
  await postAll(db);
  return db.transaction(async (tx) => {
    const { accountId, amountNano, creditClass = "paid", note = null } = request;
    const before = await balance(tx, accountId);
    const outcome = await topUpIn(tx, request);
    if (outcome.kind === "credited") {
      const { entryId, reference } = outcome;
      await record(tx, actor, {
        action: "account.credit",
        accountId,
        entryId,
        reference,
        reason: note,
        amountNano,
        creditClass,
        before,
      });
    }
    return outcome;
  });
}

/**
 * A correction between the account and the operator's own book of adjustments. A negative one takes
 * at most what is left of its class of credit and is not held: what is held for running work is
 * spoken for. What is paid back is taken from what was paid, never from what was given. Throws Fault
 * as `creditAccount` does, and `insufficient_balance`.
 */
export function adjustAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  body: Static<typeof AdjustBody>,
): Promise<Moved> {
  return withRoom(db, accountId, () =>
    db.transaction((tx) => adjustIn(tx, operator, accountId, body)),
  );
}

async function adjustIn(
  tx: Tx,
  operator: Operator,
  accountId: Uuid,
  body: Static<typeof AdjustBody>,
): Promise<Moved> {
  const amountNano = readAmount(body.amount);
  if (amountNano === 0n || amountNano > HIGHEST_TRANSFER || -amountNano > HIGHEST_TRANSFER) {
    throw new Fault("invalid_request", {
      ...sayRefusal("correction_amount", { limit: formatRoubles(HIGHEST_TRANSFER) }),
      param: "amount",
    });
  }
  const reference = body.ref === undefined ? `adjust:${newUuid()}` : readReference(body.ref);
  const creditClass = body.class ?? "paid";
  const before = await balance(tx, accountId);
  const wish = { accountId, amountNano, reference, creditClass, note: body.reason };
  const verdict = await adjust(tx, wish);
  if (verdict.kind === "unknown-account") throw new Fault("not_found");
  if (verdict.kind === "insufficient-balance") {
    const available = formatRoubles(verdict.availableNano);
    throw new Fault("insufficient_balance", {
      ...sayRefusal("available_only", { available, of: creditClass }),
      param: "amount",
    });
  }
  const { entryId } = verdict;
  if (verdict.kind === "duplicate") {
    if (
      verdict.accountId !== accountId ||
      verdict.amountNano !== amountNano ||
      verdict.creditClass !== creditClass
    )
      throw referenceTaken();
  } else {
    await record(tx, actorOf(operator), {
      action: "account.adjust",
      accountId,
      entryId,
      reference,
      reason: body.reason,
      amountNano,
      creditClass,
      before,
    });
  }
  const after = await balance(tx, accountId);
  assert(after !== null, "an account that was adjusted is there");
  return {
    ...movedView(after),
    outcome: verdict.kind === "duplicate" ? "repeated" : "booked",
    entryId,
    ref: reference,
  };
}

interface Booking {
  readonly action: "account.credit" | "account.adjust";
  readonly accountId: Uuid;
  readonly entryId: Uuid;
  readonly reference: string;
  readonly reason: string | null;
  readonly amountNano: Nano;
  readonly creditClass: CreditClass;
  readonly before: Balance | null;
}

async function record(tx: Tx, actor: Actor, booking: Booking): Promise<void> {
  const { action, accountId, entryId, reference, reason, amountNano, creditClass, before } =
    booking;
  const after = await balance(tx, accountId);
  await recordAction(tx, {
    ...actor,
    action,
    accountId,
    subject: entryId,
    reason: reason?.trim() ?? null,
    before: before === null ? null : movedView(before),
    after: {
      ...(after === null ? {} : movedView(after)),
      amount: formatRoubles(amountNano),
      class: creditClass,
      ref: reference,
    },
  });
}

function movedView({ balanceNano, availableNano }: Balance): Pick<Moved, "balance" | "available"> {
  return { balance: formatRoubles(balanceNano), available: formatRoubles(availableNano) };
}

function readAmount(text: string): Nano {
  const amount = parseRoubles(text);
  if (amount === null)
    throw new Fault("invalid_request", { ...sayRefusal("no_amount"), param: "amount" });
  return amount;
}

function referenceTaken(): Fault {
  return new Fault("conflict", { ...sayRefusal("reference_taken"), param: "ref" });
}
