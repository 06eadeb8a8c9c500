/**
 * Accounts with money and keys, made in the database: apart from the HTTP endpoint, because most
 * tests that need them load no server.
 */
import { createHash } from "node:crypto";
import type { Db } from "../../src/db/database.ts";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { createKey, type NewKeyRequest } from "../../src/business/keys/create-key.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { NO_RATE_LIMITS } from "../../src/kernel/rate-limits.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";

/** An account with some roubles on it; with 0 it has no entry. */
export async function newAccount(db: Db, roubles = "100"): Promise<string> {
  const created = await createAccount(db, { name: "test", email: null, operator: false });
  const amountNano = parseRoubles(roubles);
  if (created.kind !== "created" || amountNano === null) throw new Error("no account");
  if (amountNano > 0n)
    await topUp(db, { accountId: created.accountId, amountNano, reference: null });
  return created.accountId;
}

/** A key of the account. */
export async function newKey(
  db: Db,
  accountId: string,
  wishes: Partial<NewKeyRequest> = {},
): Promise<{ secret: string; key: KeyRecord }> {
  const request = {
    name: "test",
    limit: null,
    expiresAt: null,
    models: null,
    ips: null,
    ...NO_RATE_LIMITS,
    ...wishes,
    accountId,
  };
  const created = await createKey(db, systemClock, request);
  if (created.kind !== "created") throw new Error("no key");
  return created;
}

/** The hash that names a secret. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
