/**
 * One account with all that an operator wants to know of it: members, keys, money, limits and its
 * last requests.
 */
import { findAccount, membersOf } from "../../accounts/store.ts";
import type { OperatorAccountDetail } from "../../contract/panel/operator-accounts.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { rateLimitsOf } from "../../kernel/rate-limits.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { creditByClass } from "../../ledger/credit-classes.store.ts";
import { listKeys, type ListedKey } from "../keys/list-keys.ts";
import type { Books } from "../past/books.ts";
import { NO_NOTES, notesOf } from "./account-notes.store.ts";
import { limitsRevision, notesRevision } from "./account-revisions.ts";
import { withMoney } from "./list-any-accounts.ts";
import { listAnyRequests } from "./list-any-requests.ts";

const MOST_KEYS = 200;
const LAST_REQUESTS = 10;

/** Throws Fault("not_found"). */
export async function readAnyAccount(
  deps: { readonly db: Db; readonly books: Books; readonly clock: Pick<Clock, "now"> },
  accountId: Uuid,
): Promise<OperatorAccountDetail> {
  const { db } = deps;
  const account = await findAccount(db, accountId);
  if (account === null) throw new Fault("not_found");
  const [members, keys, money, left, notes, requests] = await Promise.all([
    membersOf(db, [accountId]),
    listKeys(db, accountId, { limit: MOST_KEYS }),
    balance(db, accountId),
    creditByClass(db, accountId),
    notesOf(db, [accountId]),
    listAnyRequests(deps, { accountId, limit: LAST_REQUESTS }),
  ]);
  const [head] = await withMoney(db, [
    { ...account, emails: members.slice(0, 3).map(({ email }) => email) },
  ]);
  if (head === undefined) throw new Fault("not_found");
  const noted = notes.get(accountId) ?? NO_NOTES;
  return {
    ...head,
    credited: formatRoubles(money?.creditedNano ?? ZERO_NANO),
    charged: formatRoubles(money?.chargedNano ?? ZERO_NANO),
    left: {
      paid: formatRoubles(left?.paid ?? ZERO_NANO),
      trial: formatRoubles(left?.trial ?? ZERO_NANO),
      bonus: formatRoubles(left?.bonus ?? ZERO_NANO),
    },
    limits: rateLimitsOf(account),
    limitsRevision: limitsRevision(rateLimitsOf(account)),
    note: noted.note,
    notesRevision: notesRevision(noted),
    members: members.map(({ memberId, email, role, operator, createdAt }) => ({
      memberId,
      email,
      role,
      operator,
      createdAt: createdAt.toISOString(),
    })),
    keys: keys.kind === "page" ? keys.rows.map(keyView) : [],
    requests: requests.data,
  };
}

function keyView({ key, budget }: ListedKey): OperatorAccountDetail["keys"][number] {
  const limitNano = budget?.limitNano ?? null;
  return {
    hash: key.hash,
    mask: key.mask,
    name: key.name,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    frozenAt: key.frozenAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    spent: formatRoubles(budget?.chargedNano ?? ZERO_NANO),
    limit:
      budget === null || limitNano === null
        ? null
        : { amount: formatRoubles(limitNano), period: budget.period },
  };
}
