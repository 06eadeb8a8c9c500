/**
 * The first start on an empty database: an account with an operator, a key and some money, so that
 * the first curl works.
 */
import { oldestAccount } from "../../accounts/store.ts";
import type { Db } from "../../db/database.ts";
import { createAccount } from "../accounts/create-account.ts";
import { createKey } from "../keys/create-key.ts";
import { listKeys } from "../keys/list-keys.ts";
import { topUp } from "../accounts/top-up.ts";
import { systemClock } from "../../kernel/clock.ts";
import { nano, NANO_PER_ROUBLE } from "../../kernel/money.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../../kernel/rate-limits.ts";

export interface FirstStart {
  readonly accountId: Uuid;
  readonly secret: string;
  readonly operatorEmail: string;
  readonly oneTimePassword: string;
  readonly creditRoubles: string;
}

/**
 * The account that the first start made, not a customer's who came later; `keyMask` is null when
 * the account's keys are all deleted.
 */
export interface LaterStart {
  readonly accountId: Uuid;
  readonly keyMask: string | null;
}

const OPERATOR_EMAIL = "operator@tollgate.local";
/** Names that read alike in both languages of the panel and of the mails. */
const FIRST_ACCOUNT = "Tollgate";
const FIRST_KEY = "key-1";
const CREDIT_ROUBLES = 1000n;
const WELCOME_REFERENCE = "welcome:first-start";

/**
 * Creates only where there is no account at all, and once, however many servers start on an empty
 * database together. A start that died half-way is finished by hand: the command line can do every
 * part.
 */
export async function bootstrap(
  db: Db,
): Promise<{ readonly first: FirstStart } | { readonly later: LaterStart }> {
  const before = await laterStart(db);
  if (before !== null) return { later: before };
  const account = await createAccount(db, {
    name: FIRST_ACCOUNT,
    email: OPERATOR_EMAIL,
    operator: true,
  });
  if (account.kind === "email-taken") {
    // Another server has made it since; its key may still be to come.
    const meanwhile = await laterStart(db);
    if (meanwhile !== null) return { later: meanwhile };
  }
  if (account.kind !== "created" || account.oneTimePassword === null)
    throw new Error("the first account could not be created");
  const { accountId } = account;
  await topUp(db, {
    accountId,
    amountNano: nano(CREDIT_ROUBLES * NANO_PER_ROUBLE),
    reference: WELCOME_REFERENCE,
  });
  const created = await createKey(db, systemClock, {
    accountId,
    name: FIRST_KEY,
    limit: null,
    expiresAt: null,
    models: null,
    ips: null,
    ...NO_RATE_LIMITS,
  });
  if (created.kind !== "created") throw new Error("the first key could not be created");
  return {
    first: {
      accountId,
      secret: created.secret,
      operatorEmail: OPERATOR_EMAIL,
      oneTimePassword: account.oneTimePassword,
      creditRoubles: String(CREDIT_ROUBLES),
    },
  };
}

async function laterStart(db: Db): Promise<LaterStart | null> {
  const oldest = await oldestAccount(db);
  if (oldest === null) return null;
  const page = await listKeys(db, oldest.accountId, { limit: 1 });
  return {
    accountId: oldest.accountId,
    keyMask: page.kind === "page" ? (page.rows[0]?.key.mask ?? null) : null,
  };
}
