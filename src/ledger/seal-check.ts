/** Adds up the rows of a month, account by account, and holds the sums against its seals. */
import type { EntryKind } from "../contract/enums/entry-kind.ts";
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Month } from "./months.store.ts";
import { type BudgetSeal, budgetSealsOfMonth, type Seal, sealsOfMonth } from "./seals.store.ts";

/** What of an entry the seals speak of. */
export interface SealedRow {
  readonly accountId: Uuid;
  readonly entryNo: bigint;
  /** Microseconds since 1970. */
  readonly at: bigint;
  readonly amountNano: bigint;
  readonly kind: EntryKind | (string & {});
  readonly creditClass: string | null;
  readonly budgetId: Uuid | null;
  readonly budget2Id: Uuid | null;
  readonly budget3Id: Uuid | null;
}

export interface SealCheck {
  /** Rows by account, in order. Null: so far all agrees; else what does not. */
  add(rows: readonly SealedRow[]): Promise<string | null>;
  /** Once all were added. */
  end(): Promise<string | null>;
}

/** Accounts whose seals are read at a time. */
const ACCOUNTS_AT_ONCE = 500;

/** As a seal has it, but for what a seal writes as a text. */
type Sums = { -readonly [Key in keyof Omit<Seal, "lostNano" | "numbers">]: Seal[Key] } & {
  lostNano: bigint;
  numbers: bigint;
};

export function createSealCheck(q: Queryable, month: Month): SealCheck {
  let open: Sums | null = null;
  let sums: Sums[] = [];
  let charged = new Map<string, bigint>();
  /** The last account that was compared. */
  let behind: Uuid | null = null;

  function addRow(row: SealedRow): void {
    if (open?.accountId !== row.accountId) {
      open = sumsOf(row);
      sums.push(open);
    } else addTo(open, row);
    if (row.kind !== "charge") return;
    for (const budgetId of [row.budgetId, row.budget2Id, row.budget3Id]) {
      if (budgetId === null) continue;
      const key = `${row.accountId} ${budgetId}`;
      charged.set(key, (charged.get(key) ?? 0n) + row.amountNano);
    }
  }

  async function compare(): Promise<string | null> {
    const after = behind;
    const upTo = sums.at(-1)?.accountId ?? null;
    const seals = await sealsOfMonth(q, month, { after, limit: sums.length });
    for (const [nth, found] of sums.entries()) {
      const wrong = differenceOf(seals[nth], found);
      if (wrong !== null) return wrong;
    }
    const wrong = differenceOfBudgets(await budgetSealsOfMonth(q, month, { after, upTo }), charged);
    sums = [];
    charged = new Map<string, bigint>();
    open = null;
    behind = upTo;
    return wrong;
  }

  return {
    async add(rows) {
      for (const row of rows) {
        // Only between two accounts, so that none is compared before it is complete.
        if (sums.length >= ACCOUNTS_AT_ONCE && row.accountId !== open?.accountId) {
          const wrong = await compare();
          if (wrong !== null) return wrong;
        }
        addRow(row);
      }
      return null;
    },
    async end() {
      const wrong = sums.length === 0 ? null : await compare();
      if (wrong !== null) return wrong;
      const [missing] = await sealsOfMonth(q, month, { after: behind, limit: 1 });
      return missing === undefined ? null : `account ${missing.accountId} is missing`;
    },
  };
}

function sumsOf(row: SealedRow): Sums {
  const none: Sums = {
    accountId: row.accountId,
    entries: 0n,
    toppedUpNano: 0n,
    adjustedNano: 0n,
    chargedNano: 0n,
    lostNano: 0n,
    trialNano: 0n,
    bonusNano: 0n,
    firstNo: row.entryNo,
    lastNo: row.entryNo,
    numbers: 0n,
    firstAt: row.at,
    lastAt: row.at,
  };
  addTo(none, row);
  return none;
}

function addTo(sums: Sums, { entryNo, at, amountNano, kind, creditClass }: SealedRow): void {
  sums.entries += 1n;
  sums.numbers += entryNo;
  if (entryNo < sums.firstNo) sums.firstNo = entryNo;
  if (entryNo > sums.lastNo) sums.lastNo = entryNo;
  if (at < sums.firstAt) sums.firstAt = at;
  if (at > sums.lastAt) sums.lastAt = at;
  if (kind === "topup") sums.toppedUpNano += amountNano;
  else if (kind === "adjust") sums.adjustedNano += amountNano;
  else if (kind === "charge") sums.chargedNano += amountNano;
  else if (kind === "loss") sums.lostNano += amountNano;
  if (creditClass === "trial") sums.trialNano += amountNano;
  else if (creditClass === "bonus") sums.bonusNano += amountNano;
}

function differenceOf(seal: Seal | undefined, found: Sums): string | null {
  if (seal === undefined) return `account ${found.accountId} has no seal`;
  for (const key of Object.keys(found) as (keyof Seal)[])
    if (String(seal[key]) !== String(found[key]))
      return `${key} of account ${found.accountId}: ${found[key]} instead of ${seal[key]}`;
  return null;
}

function differenceOfBudgets(
  seals: readonly BudgetSeal[],
  charged: ReadonlyMap<string, bigint>,
): string | null {
  for (const { accountId, budgetId, chargedNano } of seals) {
    const found = charged.get(`${accountId} ${budgetId}`);
    if (found !== chargedNano)
      return `chargedNano of budget ${budgetId}: ${found ?? "none"} instead of ${chargedNano}`;
  }
  return seals.length === charged.size
    ? null
    : `${charged.size} budgets are charged instead of ${seals.length}`;
}
