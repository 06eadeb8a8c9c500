/**
 * Counts a guess at a password, a code or a passkey before it is looked at, by the device that it comes from
 * or, for strangers, by place and person.
 */
import type { Uuid } from "../../kernel/ids.ts";
import { readDeviceToken } from "./device-token.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import type { Attempt } from "./throttle.ts";

export interface Guess {
  readonly at: "logIn" | "code" | "passkey";
  /** Names the person that is aimed at; need not exist. */
  readonly whom: string;
  /** Null: no member has that name. */
  readonly memberId: Uuid | null;
  readonly visitor: Visitor;
}

/**
 * A stranger who guesses from many places slows down strangers to this person, never the person at
 * a device where it logged in before: that has a count of its own. Throws
 * Fault("rate_limit_exceeded"). Returns what is to be called when the guess was right.
 */
export async function countGuess(
  { throttle, hashToken }: Pick<MembersDeps, "throttle" | "hashToken">,
  guess: Guess,
): Promise<() => Promise<void>> {
  const { at, whom, memberId, visitor } = guess;
  const device =
    memberId === null || visitor.device === null
      ? null
      : readDeviceToken(hashToken, memberId, visitor.device);
  if (device === null) await throttle.takeFrom(visitor.address);
  const attempts: readonly Attempt[] =
    device === null
      ? [
          { kind: `${at}From`, whom, from: visitor.address },
          { kind: at, whom },
        ]
      : [{ kind: `${at}Device`, whom: device }];
  for (const attempt of attempts) await throttle.take(attempt);
  return () => throttle.forget(...attempts);
}
