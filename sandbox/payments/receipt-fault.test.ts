/** Guards that the sandbox's shop takes and refuses receipts as YooKassa does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { receiptFault } from "./receipt-fault.ts";

const ITEM = {
  description: "Пополнение баланса",
  quantity: "1.00",
  amount: { value: "500.50", currency: "RUB" },
  vat_code: 11,
  payment_subject: "service",
  payment_mode: "advance",
};
const RECEIPT = { customer: { email: "anna@example.com" }, items: [ITEM] };

function faultOf(receipt: unknown, demanded = true): string | null {
  return receiptFault(
    { amount: { value: "500.50", currency: "RUB" }, ...(receipt === undefined ? {} : { receipt }) },
    demanded,
  );
}

test("a receipt in order is taken, and none is missed where none is demanded", () => {
  assert.equal(faultOf(RECEIPT), null);
  assert.equal(faultOf({ ...RECEIPT, tax_system_code: 6 }), null);
  assert.equal(
    faultOf({
      ...RECEIPT,
      items: [{ ...ITEM, quantity: 2, amount: { value: "250.25", currency: "RUB" } }],
    }),
    null,
  );
  assert.equal(faultOf(undefined, false), null);
  assert.equal(faultOf(undefined), "missing");
});

test("each field that is missing or wrong is one", () => {
  const item = (change: object): unknown => ({ ...RECEIPT, items: [{ ...ITEM, ...change }] });
  for (const [receipt, fault] of [
    ["x", "no object"],
    [{ ...RECEIPT, customer: {} }, "customer.email"],
    [{ ...RECEIPT, customer: { email: "anna" } }, "customer.email"],
    [{ ...RECEIPT, items: [] }, "items"],
    [{ ...RECEIPT, tax_system_code: 7 }, "tax_system_code"],
    [item({ description: "x".repeat(129) }), "description"],
    [item({ quantity: 0 }), "quantity"],
    [item({ amount: { value: "500.5", currency: "RUB" } }), "amount"],
    [item({ amount: { value: "500.49", currency: "RUB" } }), "the items are not the amount"],
    [item({ vat_code: 13 }), "vat_code"],
    [item({ vat_code: undefined }), "vat_code"],
    [item({ payment_subject: "money" }), "payment_subject"],
    [item({ payment_mode: "later" }), "payment_mode"],
  ] as const) {
    assert.equal(faultOf(receipt), fault, JSON.stringify(receipt));
    assert.equal(faultOf(receipt, false), fault, "also of a shop that demands none");
  }
});
