/**
 * Reads what a key shall be as a form sends it: what is left out stays out, amounts and times are
 * checked.
 */
import Type, { type TUnsafe } from "typebox";
import { nullableString } from "../../../contract/nullable.ts";
import type { PanelKeyChange } from "../../../contract/panel/panel-key.ts";
import type { SpendLimit } from "../../../business/keys/read-key-settings.ts";
import type { KeyWishes } from "../../../business/panel/account/change-account-key.ts";
import { sayFieldRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { parseMoment } from "../../../kernel/parse-moment.ts";
import { parseRoubles } from "../../../kernel/money.ts";
import { readMoment } from "../../read-moment.ts";

/**
 * A moment that has not come yet, or null: in the schema of a body, so that a form hears of a past
 * one with everything else that is wrong.
 */
export function inTheFuture(clock: Pick<Clock, "now">): TUnsafe<string | null> {
  const check = (value: string | null): boolean => {
    if (typeof value !== "string") return true;
    const moment = parseMoment(value);
    return moment !== null && moment > clock.now();
  };
  return Type.Refine(
    nullableString({ description: "ISO 8601, in the future; null: never." }),
    check,
    () => "must be a moment in the future",
  );
}

/** Throws Fault("invalid_request") naming the field. */
export function readKeyWishes({
  limit,
  expiresAt,
  group,
  owner,
  ...rest
}: PanelKeyChange): KeyWishes {
  return {
    ...rest,
    ...readLimitWish({ limit }),
    ...(group === undefined ? {} : { groupId: group }),
    ...(owner === undefined ? {} : { ownerId: owner }),
    ...(expiresAt === undefined
      ? {}
      : { expiresAt: expiresAt === null ? null : readMoment("expiresAt", expiresAt) }),
  };
}

/** Throws Fault("invalid_request") naming the field. */
export function readLimitWish({
  limit,
}: {
  readonly limit?: PanelKeyChange["limit"] | undefined;
}): Pick<KeyWishes, "limit"> {
  return limit === undefined ? {} : { limit: limit === null ? null : readLimit(limit) };
}

function readLimit({ amount, period }: NonNullable<PanelKeyChange["limit"]>): SpendLimit {
  const amountNano = parseRoubles(amount);
  if (amountNano === null)
    throw new Fault("invalid_request", sayFieldRefusal("limit", "no_amount"));
  return { amountNano, period };
}
