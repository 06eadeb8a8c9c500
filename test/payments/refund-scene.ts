/** What operators do with a payment in tests: it is paid, refunded, and looked at from all sides. */
import assert from "node:assert/strict";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type { PaymentRefund, PaymentRefunds } from "../../src/contract/panel/operator-payments.ts";
import type { TopUpBegun } from "../../src/contract/panel/top-up.ts";
import type { Db } from "../../src/db/database.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { newAccount } from "../support/new-customer.ts";
import { panelMember, type PanelAnswer } from "../support/panel-endpoint.ts";
import { until } from "../support/until.ts";
import { payOnPage } from "./pay-on-page.ts";
import type { PaymentWorld } from "./payment-world.ts";

export interface Paid {
  readonly member: MemberCaller;
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  readonly redirectUrl: string;
}

export const OPERATOR_EMAIL = "staff@example.com";

export function operatorOf(accountId: Uuid): MemberCaller {
  return panelMember({ accountId, email: OPERATOR_EMAIL, operator: true });
}

/** Absent: of a new account with one rouble besides. */
export async function payTopUp(
  db: Db,
  world: PaymentWorld,
  amount: string,
  ofAccount?: Uuid,
): Promise<Paid> {
  const accountId = ofAccount ?? (await newAccount(db, "1"));
  const member = panelMember({ accountId });
  const answer = await world.endpoint.ask(member, "POST", "/panel/api/top-ups", {
    amount,
    method: "sbp",
  });
  assert.equal(answer.status, 201, answer.text);
  const { topUpId, redirectUrl } = answer.json<TopUpBegun>();
  await payOnPage(redirectUrl, "pay");
  await until("the top-up succeeds", async () => {
    const rows = await db.query(
      "SELECT 1 FROM payments.payments WHERE payment_id = $1 AND state = 'succeeded'",
      [topUpId],
    );
    return rows.length === 1;
  });
  return { member, accountId, paymentId: topUpId, redirectUrl };
}

/** `left`: as it is now, unless something else is said. */
export async function askRefund(
  world: PaymentWorld,
  { accountId, paymentId }: Pick<Paid, "accountId" | "paymentId">,
  amount: string,
  { left, ref = newUuid() }: { readonly left?: string; readonly ref?: string } = {},
): Promise<PanelAnswer> {
  const path = `/panel/api/operator/payments/${paymentId}/refunds`;
  return world.endpoint.ask(operatorOf(accountId), "POST", path, {
    amount,
    left: left ?? (await lookAtRefunds(world, { accountId, paymentId })).left,
    reason: "She asked for it",
    ref,
  });
}

/** Throws where it was refused. */
export async function refund(
  world: PaymentWorld,
  paid: Pick<Paid, "accountId" | "paymentId">,
  amount: string,
): Promise<PaymentRefund> {
  const answer = await askRefund(world, paid, amount);
  assert.equal(answer.status, 201, answer.text);
  return answer.json<PaymentRefund>();
}

export async function lookAtRefunds(
  world: PaymentWorld,
  { accountId, paymentId }: Pick<Paid, "accountId" | "paymentId">,
): Promise<PaymentRefunds> {
  const path = `/panel/api/operator/payments/${paymentId}/refunds`;
  const answer = await world.endpoint.ask(operatorOf(accountId), "GET", path);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<PaymentRefunds>();
}

export async function moneyOf(db: Db, accountId: Uuid): Promise<string> {
  const found = await balance(db, accountId);
  return found === null ? "" : formatRoubles(found.balanceNano);
}

/** Names of the entries that no top-up made, and what each did, in their order. */
export function movesOf(db: Db, accountId: Uuid): Promise<{ reference: string; nano: bigint }[]> {
  return db.query(
    `SELECT split_part(reference, ':', 1) AS reference, amount_nano AS nano FROM ledger.entries
     WHERE account_id = $1 AND kind = 'adjust' ORDER BY entry_no`,
    [accountId],
  );
}

/** What the provider says that it paid back of a payment, in roubles. */
export async function refundedThere(db: Db, sandboxUrl: string, paymentId: Uuid): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    "SELECT provider_payment_id AS id FROM payments.payments WHERE payment_id = $1",
    [paymentId],
  );
  const answer = await fetch(`${sandboxUrl}/payments/v3/payments/${row?.id ?? ""}`, {
    headers: { authorization: `Basic ${Buffer.from("a:b").toString("base64")}` },
  });
  const { refunded_amount: amount } = (await answer.json()) as {
    refunded_amount: { value: string };
  };
  return amount.value;
}
