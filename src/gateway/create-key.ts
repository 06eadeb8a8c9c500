/** Makes an API key: the secret goes to the caller once, its hash to the store, its spend limit to the ledger, in one transaction. */
import { findAccount } from "../accounts/store.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { isUuid, newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import { hashKeySecret, maskKeySecret, newKeySecret } from "../kernel/secrets.ts";
import { parseIpRange } from "../keys/ip-ranges.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import { insertKey } from "../keys/store.ts";
import type { BudgetPeriod } from "../ledger/budgets.store.ts";
import { openBudget } from "../ledger/budgets.store.ts";
import { readName } from "./read-name.ts";
import { readRateLimits } from "./read-rate-limits.ts";

export interface NewKeyRequest extends RateLimits {
  readonly accountId: string;
  /** 1 to 100 characters. */
  readonly name: string;
  /** The most that may be spent with the key in each period; null: no limit of its own. */
  readonly limit: { readonly amountNano: Nano; readonly period: BudgetPeriod } | null;
  readonly expiresAt: Date | null;
  /** Ids of the only models it may call; null: all. */
  readonly models: readonly string[] | null;
  /** Address ranges (CIDR) or addresses it may be used from; null: anywhere. */
  readonly ips: readonly string[] | null;
}

export type NewKeyOutcome =
  /** The secret is nowhere else; it cannot be shown again. */
  { readonly kind: "created"; readonly secret: string; readonly key: KeyRecord } | { readonly kind: "unknown-account" };

const LONGEST_NAME = 100;
const LONGEST_LIST = 100;
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** Throws Fault("invalid_request") naming the field that is not valid. */
export async function createKey(db: Db, clock: Clock, request: NewKeyRequest): Promise<NewKeyOutcome> {
  const { limit, expiresAt } = request;
  const name = readName(request.name, LONGEST_NAME);
  const models = readList(request.models, "models", "the id of a model", (text) => MODEL_ID.test(text));
  const ips = readList(
    request.ips,
    "ips",
    "an address or a range such as 10.0.0.0/8 or 2001:db8::/32",
    (text) => parseIpRange(text) !== null,
  );
  if (limit !== null && limit.amountNano <= 0n) throw invalid("limit", "A limit above 0 roubles is expected; leave it out for none.");
  // Also false for a date that is none.
  if (expiresAt !== null && !(expiresAt > clock.now())) throw invalid("expires", "A time in the future is expected.");
  const rateLimits = readRateLimits(request);
  const { accountId } = request;
  if (!isUuid(accountId)) return { kind: "unknown-account" };
  const secret = newKeySecret();
  const keyId = newUuid();
  return db.transaction<NewKeyOutcome>(async (tx) => {
    if ((await findAccount(tx, accountId)) === null) return { kind: "unknown-account" };
    await openBudget(tx, { budgetId: keyId, accountId, limitNano: limit?.amountNano ?? null, period: limit?.period ?? "total" });
    const hash = hashKeySecret(secret);
    const key = await insertKey(tx, {
      keyId,
      accountId,
      hash,
      mask: maskKeySecret(secret),
      name,
      expiresAt,
      models,
      ips,
      ...rateLimits,
    });
    return { kind: "created", secret, key };
  });
}

/** A list without repetitions; an empty one would be a key for nothing, so it is refused. */
function readList(given: readonly string[] | null, param: string, expected: string, valid: (text: string) => boolean): string[] | null {
  if (given === null) return null;
  const list = [...new Set(given.map((text) => text.trim()))];
  if (list.length === 0 || list.length > LONGEST_LIST)
    throw invalid(param, `1 to ${LONGEST_LIST} entries are expected; leave it out for no restriction.`);
  const wrong = list.find((text) => !valid(text));
  if (wrong !== undefined) throw invalid(param, `"${wrong.slice(0, 100)}" is not ${expected}.`);
  return list;
}

function invalid(param: string, message: string): Fault {
  return new Fault("invalid_request", { message: `${param}: ${message}`, param });
}
