/**
 * Makes the customers of a measured gateway through its use cases: accounts with money, and the
 * files of their keys.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../src/db/database.ts";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { createKey } from "../../src/business/keys/create-key.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { nano, NANO_PER_ROUBLE } from "../../src/kernel/money.ts";
import { NO_RATE_LIMITS } from "../../src/kernel/rate-limits.ts";

export interface Customers {
  /** Files with a key a line: of all accounts but one, and of that one. */
  readonly many: string;
  readonly hot: string;
}

const ACCOUNTS = 200;
const KEYS_EACH = 5;
const AT_ONCE = 8;
/** No customer runs out of money in a benchmark. */
const CREDIT_NANO = nano(100_000_000n * NANO_PER_ROUBLE);

export async function makeCustomers(db: Db, folder: string): Promise<Customers> {
  const secrets: string[][] = [];
  const waiting = Array.from({ length: ACCOUNTS }, (_, index) => index);
  async function work(): Promise<void> {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop())
      secrets.push(await makeCustomer(db, KEYS_EACH));
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [hot] = await makeCustomer(db, 1);
  // One key of each account after the other, so that neighbours in time are different accounts.
  const many = Array.from({ length: KEYS_EACH }, (_, turn) =>
    secrets.map((keys) => keys[turn]),
  ).flat();
  const files = { many: join(folder, "keys-many"), hot: join(folder, "keys-hot") };
  writeFileSync(files.many, many.join("\n"), { mode: 0o600 });
  writeFileSync(files.hot, hot ?? "", { mode: 0o600 });
  return files;
}

async function makeCustomer(db: Db, keys: number): Promise<string[]> {
  const account = await createAccount(db, { name: "benchmark", email: null, operator: false });
  if (account.kind !== "created") throw new Error("no account");
  const { accountId } = account;
  await topUp(db, { accountId, amountNano: CREDIT_NANO, reference: null });
  const secrets: string[] = [];
  while (secrets.length < keys) {
    const key = await createKey(db, systemClock, {
      accountId,
      name: "key",
      limit: null,
      expiresAt: null,
      models: null,
      ips: null,
      ...NO_RATE_LIMITS,
    });
    if (key.kind !== "created") throw new Error("no key");
    secrets.push(key.secret);
  }
  return secrets;
}
