/**
 * Slows down a visitor who tries too often: passwords, codes, passkeys and mails, by the person aimed at and
 * by the address that it comes from.
 */
import { forgetAttempts, takeAttempt, type AttemptLimit } from "../../accounts/attempts.store.ts";
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import { addressBlock } from "../../net/address-block.ts";
import { isReachable } from "../../net/public-address.ts";

const MINUTE = 60;

/**
 * What is counted: those "From" by person and address together, those "Device" by a browser that
 * the person logged in with before, so that they slow down only the one who tries there.
 */
const LIMITS = {
  logInDevice: { burst: 10, everySeconds: MINUTE / 2 },
  logInFrom: { burst: 10, everySeconds: MINUTE / 2 },
  logIn: { burst: 50, everySeconds: MINUTE / 2 },
  codeDevice: { burst: 10, everySeconds: MINUTE },
  code: { burst: 20, everySeconds: 5 * MINUTE },
  codeFrom: { burst: 10, everySeconds: MINUTE },
  passkeyDevice: { burst: 10, everySeconds: MINUTE / 2 },
  passkeyFrom: { burst: 10, everySeconds: MINUTE / 2 },
  passkey: { burst: 50, everySeconds: MINUTE / 2 },
  /** A challenge is good once, as long as it is good at all. */
  passkeyChallenge: { burst: 1, everySeconds: 6 * MINUTE },
  password: { burst: 10, everySeconds: MINUTE },
  mailFrom: { burst: 5, everySeconds: 2 * MINUTE },
  mailTo: { burst: 10, everySeconds: 5 * MINUTE },
  invite: { burst: 20, everySeconds: 10 * MINUTE },
  signUpCode: { burst: 10, everySeconds: MINUTE },
  /** A proof of work is good once, as long as it is good at all. */
  captcha: { burst: 1, everySeconds: 15 * MINUTE },
  address: { burst: 60, everySeconds: 5 },
} as const satisfies Record<string, AttemptLimit>;

/** Behind a private address there is a proxy or a whole office. */
const PRIVATE_FACTOR = 20;

export type Attempt = {
  readonly kind: Exclude<keyof typeof LIMITS, "address">;
  readonly whom: string;
  readonly from?: string;
};

export interface Throttle {
  /**
   * Counts it. Throws Fault("rate_limit_exceeded") with the seconds after which another is let
   * through.
   */
  take(attempt: Attempt): Promise<void>;
  /** Counts it. False: it is too many. */
  tryTake(attempt: Attempt): Promise<boolean>;
  /** Counts whatever comes from an address without a session. Throws like `take`. */
  takeFrom(address: string): Promise<void>;
  /** It was the right person after all. */
  forget(...attempts: readonly Attempt[]): Promise<void>;
}

export function createThrottle(deps: {
  readonly db: Queryable;
  readonly hashToken: TokenHash;
}): Throttle {
  const subjectOf = ({ kind, whom, from }: Attempt): Buffer =>
    deps.hashToken(`attempts ${kind}`, from === undefined ? whom : `${whom} ${addressBlock(from)}`);

  function refuseUntil(seconds: number | null): void {
    if (seconds === null) return;
    throw new Fault("rate_limit_exceeded", {
      message: "Too many attempts. Wait a little.",
      retryAfterSeconds: seconds,
    });
  }

  return {
    async take(attempt) {
      refuseUntil(await takeAttempt(deps.db, subjectOf(attempt), LIMITS[attempt.kind]));
    },
    async tryTake(attempt) {
      return (await takeAttempt(deps.db, subjectOf(attempt), LIMITS[attempt.kind])) === null;
    },
    async takeFrom(address) {
      const { burst, everySeconds } = LIMITS.address;
      const factor = isReachable(address, { allow: [], deny: [] }) ? 1 : PRIVATE_FACTOR;
      const limit = { burst: burst * factor, everySeconds: everySeconds / factor };
      refuseUntil(
        await takeAttempt(
          deps.db,
          deps.hashToken("attempts address", addressBlock(address)),
          limit,
        ),
      );
    },
    forget: (...attempts) => forgetAttempts(deps.db, attempts.map(subjectOf)),
  };
}
