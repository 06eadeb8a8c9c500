/**
 * What is wrong with the fiscal receipt of a payment, held against what YooKassa demands of one
 * (https://yookassa.ru/developers/54fz/parameters-values).
 */
import type { JsonObject } from "../is-object.ts";
import { isObject } from "../is-object.ts";

const VALUE = /^\d{1,10}\.\d\d$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const SUBJECTS =
  /^(commodity|excise|job|service|gambling_bet|gambling_prize|lottery|lottery_prize|intellectual_activity|payment|agent_commission|property_right|non_operating_gain|composite|another)$/;
const MODES =
  /^(full_prepayment|partial_prepayment|advance|full_payment|partial_payment|credit|credit_payment)$/;
const LONGEST_DESCRIPTION = 128;
const MOST_ITEMS = 100;

/** Null: all is well, or none is there and none is demanded. */
export function receiptFault(body: JsonObject, demanded: boolean): string | null {
  const { receipt, amount } = body;
  if (receipt === undefined) return demanded ? "missing" : null;
  if (!isObject(receipt) || !isObject(amount)) return "no object";
  const { customer, tax_system_code: taxSystem } = receipt;
  const items: unknown = receipt["items"];
  if (
    !isObject(customer) ||
    typeof customer["email"] !== "string" ||
    !EMAIL.test(customer["email"])
  )
    return "customer.email";
  if (taxSystem !== undefined && !isWithin(taxSystem, 1, 6)) return "tax_system_code";
  if (!Array.isArray(items) || items.length === 0 || items.length > MOST_ITEMS) return "items";
  let totalKopecks = 0;
  for (const item of items as unknown[]) {
    const fault = itemFault(item);
    if (fault !== null) return fault;
    totalKopecks += totalOf(item);
  }
  return kopecksOf(amount["value"]) === totalKopecks ? null : "the items are not the amount";
}

function itemFault(item: unknown): string | null {
  if (!isObject(item)) return "item";
  const {
    description,
    quantity,
    amount,
    vat_code: vat,
    payment_subject: subject,
    payment_mode: mode,
  } = item;
  if (
    typeof description !== "string" ||
    description === "" ||
    description.length > LONGEST_DESCRIPTION
  )
    return "description";
  if (!(Number(quantity) > 0)) return "quantity";
  if (!isObject(amount) || kopecksOf(amount["value"]) === null || amount["currency"] !== "RUB")
    return "amount";
  if (!isWithin(vat, 1, 12)) return "vat_code";
  if (typeof subject !== "string" || !SUBJECTS.test(subject)) return "payment_subject";
  return typeof mode === "string" && MODES.test(mode) ? null : "payment_mode";
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function kopecksOf(value: unknown): number | null {
  return typeof value === "string" && VALUE.test(value) ? Number(value.replace(".", "")) : null;
}

function totalOf(item: unknown): number {
  const { quantity, amount } = isObject(item) ? item : {};
  return Math.round((isObject(amount) ? (kopecksOf(amount["value"]) ?? 0) : 0) * Number(quantity));
}
