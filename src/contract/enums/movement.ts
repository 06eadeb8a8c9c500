/**
 * What a movement of an account's money is called: the kind of its entry, or a refund, which is a
 * correction with a name of its own.
 */
import type { EntryKind } from "./entry-kind.ts";

type Movement = EntryKind | "refund" | "refund_returned";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const REFUND = "refund:";
const RETURNED = "refund-returned:";

/** Of the entry that takes what a refund pays back. */
export function refundReference(refundId: string): string {
  return `${REFUND}${refundId}`;
}

/** Of the entry that gives it back where the provider refused the refund. */
export function returnReference(refundId: string): string {
  return `${RETURNED}${refundId}`;
}

export function movementOf({
  kind,
  reference,
}: {
  readonly kind: EntryKind;
  readonly reference: string;
}): Movement {
  if (kind !== "adjust") return kind;
  if (named(reference, REFUND)) return "refund";
  return named(reference, RETURNED) ? "refund_returned" : kind;
}

function named(reference: string, prefix: string): boolean {
  return reference.startsWith(prefix) && UUID.test(reference.slice(prefix.length));
}
