/**
 * Tells whether two rules would send the same to the same recipients at the same crossing, switched
 * on or off.
 */
import type { Rule } from "./rules.store.ts";

export type Comparable = Pick<
  Rule,
  | "kind"
  | "thresholdNano"
  | "percent"
  | "factor"
  | "subjectId"
  | "mailTo"
  | "telegramTo"
  | "memberIds"
  | "webhookUrl"
>;

export function isTwin(a: Comparable, b: Comparable): boolean {
  const asked = new Set(b.memberIds);
  return (
    a.kind === b.kind &&
    a.thresholdNano === b.thresholdNano &&
    a.percent === b.percent &&
    a.factor === b.factor &&
    a.subjectId === b.subjectId &&
    a.mailTo === b.mailTo &&
    a.telegramTo === b.telegramTo &&
    a.webhookUrl === b.webhookUrl &&
    a.memberIds.length === asked.size &&
    a.memberIds.every((id) => asked.has(id))
  );
}
