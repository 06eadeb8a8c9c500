/**
 * What an API key may do, as its account wishes it: checked, and the same for a new key and for a
 * change of one.
 */
import type { BudgetPeriod } from "../../contract/enums/budget-period.ts";
import { sayFieldRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import type { RateLimits } from "../../kernel/rate-limits.ts";
import { parseIpRange } from "../../keys/ip-ranges.ts";
import { readName } from "../accounts/read-name.ts";
import { readRateLimits } from "../accounts/read-rate-limits.ts";

export interface SpendLimit {
  readonly amountNano: Nano;
  readonly period: BudgetPeriod;
}

export interface KeySettings extends RateLimits {
  /** 1 to 100 characters. */
  readonly name: string;
  /** The most that may be spent with the key in each period; null: no limit of its own. */
  readonly limit: SpendLimit | null;
  readonly expiresAt: Date | null;
  /** Ids of the only models it may call; null: all. */
  readonly models: readonly string[] | null;
  /** Address ranges (CIDR) or addresses it may be used from; null: anywhere. */
  readonly ips: readonly string[] | null;
}

const LONGEST_NAME = 100;
const LONGEST_LIST = 100;
const LONGEST_SHOWN = 100;
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** Throws Fault("invalid_request") naming the field that is not valid. */
export function readKeySettings(clock: Clock, wishes: KeySettings): KeySettings {
  const { expiresAt } = wishes;
  const { name, limit, models } = readGroupSettings(wishes);
  const ips = readList(wishes.ips, "ips", "no_ip_range", (text) => parseIpRange(text) !== null);
  // Also false for a date that is none.
  if (expiresAt !== null && !(expiresAt > clock.now()))
    throw new Fault("invalid_request", sayFieldRefusal("expires", "moment_ahead"));
  return { name, limit, expiresAt, models, ips, ...readRateLimits(wishes) };
}

/** What a group of keys is asked for, as each of its keys is. */
export type GroupSettings = Pick<KeySettings, "name" | "limit" | "models">;

/** The same of a group. */
export function readGroupSettings(wishes: GroupSettings): GroupSettings {
  const { limit } = wishes;
  const name = readName(wishes.name, LONGEST_NAME);
  const models = readList(wishes.models, "models", "no_model_id", (text) => MODEL_ID.test(text));
  if (limit !== null && limit.amountNano <= 0n)
    throw new Fault("invalid_request", sayFieldRefusal("limit", "spend_limit_above_zero"));
  return { name, limit, models };
}

/** A list without repetitions; an empty one would be a key for nothing, so it is refused. */
function readList(
  given: readonly string[] | null,
  param: string,
  refusal: "no_model_id" | "no_ip_range",
  valid: (text: string) => boolean,
): string[] | null {
  if (given === null) return null;
  const list = [...new Set(given.map((text) => text.trim()))];
  if (list.length === 0 || list.length > LONGEST_LIST)
    throw new Fault(
      "invalid_request",
      sayFieldRefusal(param, "entries_expected", { limit: LONGEST_LIST }),
    );
  const wrong = list.find((text) => !valid(text));
  if (wrong !== undefined)
    throw new Fault(
      "invalid_request",
      sayFieldRefusal(param, refusal, { got: wrong.slice(0, LONGEST_SHOWN) }),
    );
  return list;
}
