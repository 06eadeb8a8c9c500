/** What a provider's answer says of the balance. */
import type { BalanceFailure } from "../../contract/enums/balance-kind.ts";
import { billionthsOf, decimalOf } from "../../protocol/json/decimal-of.ts";
import { scalarText, valueAt } from "../tasks/json-pointer.ts";
import type { BalanceShape } from "./balance-shapes.ts";

export interface ReportedBalance {
  /** In billionths of the currency; below zero where something is owed. */
  readonly amountNano: bigint;
  /** Such as USD, or `credits`. */
  readonly currency: string;
}

export type BalanceReading =
  | ({ readonly kind: "balance" } & ReportedBalance)
  | {
      readonly kind: "failed";
      readonly why: Extract<BalanceFailure, "not_understood" | "unlimited">;
    };

const CURRENCY = /^[A-Za-z]{1,12}$/;
/** A billion: what is above it is no prepaid balance, and the column takes no more than nine. */
const MOST_NANO = 1_000_000_000n * 1_000_000_000n;
const NOT_UNDERSTOOD = { kind: "failed", why: "not_understood" } as const;

/** `host`: who was asked, without a port. */
export function readBalance(shape: BalanceShape, host: string, json: unknown): BalanceReading {
  const { list } = shape;
  if (list === undefined) return readOne(shape, host, json);
  const entries = valueAt(json, list);
  if (!Array.isArray(entries) || entries.length === 0) return NOT_UNDERSTOOD;
  const readings = entries.map((entry) => readOne(shape, host, entry));
  return (
    readings.find((one) => one.kind === "balance" && one.amountNano !== 0n) ??
    readings[0] ??
    NOT_UNDERSTOOD
  );
}

function readOne(shape: BalanceShape, host: string, json: unknown): BalanceReading {
  const reported = valueAt(json, shape.amount);
  if (reported === null && shape.nullIsUnlimited === true)
    return { kind: "failed", why: "unlimited" };
  const amount = decimalOf(reported);
  const used = shape.used === undefined ? ZERO : decimalOf(valueAt(json, shape.used));
  if (amount === null || used === null) return NOT_UNDERSTOOD;
  const [all, gone] = [billionthsOf(amount, shape.parts), billionthsOf(used, shape.parts)];
  const currency = currencyOf(shape, host, json);
  if (currency === null || !isSane(all) || !isSane(gone)) return NOT_UNDERSTOOD;
  return { kind: "balance", amountNano: all - gone, currency };
}

function isSane(amountNano: bigint): boolean {
  return amountNano <= MOST_NANO && amountNano >= -MOST_NANO;
}

const ZERO = { digits: 0n, scale: 0 };

function currencyOf({ currency }: BalanceShape, host: string, json: unknown): string | null {
  if (currency.at === undefined) return currency.hosts?.[host] ?? currency.is;
  const reported = scalarText(valueAt(json, currency.at));
  return reported !== null && CURRENCY.test(reported) ? reported : null;
}
