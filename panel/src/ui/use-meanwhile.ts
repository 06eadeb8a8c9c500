/**
 * A form over what others change too: where another change came between, what it is now takes the
 * place of what the form was filled in from, and what has become different is told.
 */
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { differencesOf, type Difference, type Setting } from "./differences.ts";

export interface Meanwhile<Thing> {
  /** As the form was filled in from it. */
  readonly thing: Thing;
  readonly differences: readonly Difference[];
  /**
   * After a refusal: what it was filled in from, and what it is now. Null where it was refused for
   * another reason.
   */
  lookAgain(
    error: unknown,
    read: () => Promise<Thing | undefined>,
  ): Promise<{ readonly before: Thing; readonly now: Thing } | null>;
}

export function useMeanwhile<Thing>(
  first: Thing,
  settingsOf: (thing: Thing) => readonly Setting[],
): Meanwhile<Thing> {
  const [thing, setThing] = useState(first);
  const [differences, setDifferences] = useState<readonly Difference[]>([]);
  return {
    thing,
    differences,
    async lookAgain(error, read) {
      if (!(error instanceof ApiError) || error.reason !== "changed_meanwhile") return null;
      const now = await read();
      if (now === undefined) return null;
      setDifferences(differencesOf(settingsOf(thing), settingsOf(now)));
      setThing(now);
      return { before: thing, now };
    },
  };
}
