/** What the use cases of members and sessions are made of. */
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { PasswordWork } from "./password-work.ts";
import type { MemberMail } from "./member-mail.ts";
import type { Throttle } from "./throttle.ts";

export interface MembersDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly hashToken: TokenHash;
  readonly passwords: PasswordWork;
  readonly throttle: Throttle;
  readonly mail: MemberMail;
}

/** Where a request comes from. */
export interface Visitor {
  readonly address: string;
  /** At most 400 characters. */
  readonly userAgent: string;
  /** What the browser kept of a log-in before; null: nothing. */
  readonly device: string | null;
}
