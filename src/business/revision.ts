/**
 * From which settings a form was filled in: its change is refused where another came between, so that
 * no change is lost without a word.
 */
import { createHash } from "node:crypto";
import { sayRefusal } from "../contract/sentences/say-refusal.ts";
import { Fault } from "../kernel/faults.ts";

/** Of 256 bits, as many as no two settings of one thing will share. */
const CHARACTERS = 22;

/** The same for the same settings. */
export function revisionOf(settings: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify(settings))
    .digest("base64url")
    .slice(0, CHARACTERS);
}

/**
 * Asked while what it is of is locked. Throws Fault("conflict"); who names no revision changes what
 * there is.
 */
export function checkRevision(expected: string | undefined, now: string): void {
  if (expected !== undefined && expected !== now)
    throw new Fault("conflict", sayRefusal("changed_meanwhile"));
}
