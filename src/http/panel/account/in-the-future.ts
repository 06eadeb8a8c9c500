/**
 * A moment that has not come yet, or null: in the schema of a body, so that a form hears of a past
 * one with everything else that is wrong.
 */
import Type, { type TUnsafe } from "typebox";
import { nullableString } from "../../../contract/nullable.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { parseMoment } from "../../../kernel/parse-moment.ts";

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
