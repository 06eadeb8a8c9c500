/** Grants and pages of a process, one statement at a time, for tests of what they do to the books. */
import assert from "node:assert/strict";
import type { Db, Queryable, Tx } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { grantMany, type TokenedGrant } from "../../src/ledger/grants.store.ts";
import type { GrantVerdict } from "../../src/ledger/hold-verdicts.ts";
import { fenceJournal, JOURNAL_STATE, OPEN_JOURNAL } from "../../src/ledger/journals.store.ts";
import { appendPage } from "../../src/serving/money/journal.store.ts";
import type {
  EndedRequest,
  GivenLease,
  NotedRequest,
  PageElement,
} from "../../src/serving/money/page-elements.ts";

/** A journal of a process that is alive. */
export async function openJournal(db: Queryable, ownerId: Uuid = newUuid()): Promise<Uuid> {
  const journalId = newUuid();
  await db.run(OPEN_JOURNAL, [journalId, ownerId]);
  return journalId;
}

/** As another process does it with one that was not heard of for a lease. */
export async function judgeDead(tx: Tx, journalId: Uuid): Promise<void> {
  await tx.query(
    "UPDATE ledger.journals SET alive_until = clock_timestamp() WHERE journal_id = $1",
    [journalId],
  );
  assert.equal(await fenceJournal(tx, journalId), "fenced");
}

let lastToken = 0n;

/** Of a hold of its own that takes `amount` or nothing; a new token each. */
export function ownGrant(
  accountId: Uuid,
  amount: bigint,
  rest: Partial<TokenedGrant> = {},
): TokenedGrant {
  lastToken += 1n;
  return {
    accountId,
    budgetId: null,
    groupId: null,
    holdId: newUuid(),
    lease: null,
    fullNano: null,
    sliceNano: amount as Nano,
    minimumNano: amount as Nano,
    grows: false,
    task: null,
    token: lastToken,
    ...rest,
  };
}

/** Of a lease of `want`, for a request that asks for `amount`. */
export function leaseGrant(
  accountId: Uuid,
  want: bigint,
  amount: bigint,
  rest: Partial<TokenedGrant> = {},
): TokenedGrant {
  return ownGrant(accountId, amount, {
    lease: { leaseId: newUuid(), wantNano: want as Nano },
    ...rest,
  });
}

/** Raises a hold, or a lease, by `amount` or not at all. */
export function growGrant(
  accountId: Uuid,
  holdId: Uuid,
  amount: bigint,
  rest: Partial<TokenedGrant> = {},
): TokenedGrant {
  return ownGrant(accountId, amount, { holdId, grows: true, ...rest });
}

export async function grantOne(
  db: Queryable,
  journalId: Uuid | null,
  request: TokenedGrant,
): Promise<GrantVerdict> {
  const [verdict] = await grantMany(db, journalId, [request], false);
  if (verdict === undefined) throw new Error("there was one row");
  return verdict;
}

/** A request as its elements name it. */
export interface PagedRequest {
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  readonly heldNano: Nano;
}

export function ended(
  request: PagedRequest,
  charge: bigint,
  rest: Partial<EndedRequest> = {},
): EndedRequest {
  return {
    kind: "ended",
    ...request,
    chargeNano: charge as Nano,
    lossNano: 0n as Nano,
    priceVersion: 1,
    noted: false,
    receipt: null,
    ...rest,
  };
}

export function noted(
  request: PagedRequest,
  recorded: bigint,
  rest: Partial<NotedRequest> = {},
): NotedRequest {
  return {
    kind: "noted",
    ...request,
    recordedNano: recorded as Nano,
    priceVersion: 1,
    detail: "{}",
    ...rest,
  };
}

export function given(accountId: Uuid, holdId: Uuid, amount: bigint | null): GivenLease {
  return { kind: "given", accountId, holdId, amountNano: amount as Nano | null };
}

export interface PageWriter {
  readonly journalId: Uuid;
  /** False where the journal takes nothing more. */
  write(...elements: readonly PageElement[]): Promise<boolean>;
}

/** The pages of a journal, numbered as its process numbers them. */
export function createPageWriter(db: Db, journalId: Uuid): PageWriter {
  let last = 0n;
  return {
    journalId,
    async write(...elements) {
      const { text, parameters } = appendPage({ journalId, pageNo: last + 1n, elements });
      await db.query(text, parameters);
      const [state] = await db.run(JOURNAL_STATE, [journalId]);
      const kept = state?.pageNo === last + 1n;
      if (kept) last += 1n;
      return kept;
    },
  };
}

export interface Leased {
  readonly leaseId: Uuid;
  readonly writer: PageWriter;
  /** A new request that is admitted by the lease; the database does not hear of it. */
  request(held: bigint): PagedRequest;
}

/** A lease of a new journal, of exactly `amount`; the account has twenty times as much, or more. */
export async function leased(
  db: Db,
  accountId: Uuid,
  amount: bigint,
  budgetId: Uuid | null = null,
): Promise<Leased> {
  const journalId = await openJournal(db);
  const leaseId = newUuid();
  const verdict = await grantOne(
    db,
    journalId,
    leaseGrant(accountId, amount, 1n, { budgetId, lease: { leaseId, wantNano: amount as Nano } }),
  );
  if (verdict.kind !== "leased" || verdict.grantedNano !== amount)
    throw new Error(`there was no room for a lease of ${amount}: ${verdict.kind}`);
  return {
    leaseId,
    writer: createPageWriter(db, journalId),
    request: (held) => ({
      requestId: newUuid(),
      accountId,
      holdId: leaseId,
      heldNano: held as Nano,
    }),
  };
}

export interface HoldRow {
  readonly hold_id: Uuid;
  readonly held_nano: bigint;
  readonly shared: boolean;
  readonly recalled: boolean;
}

/** The rows of an account's holds, by amount. */
export function holdRows(db: Db, accountId: Uuid): Promise<HoldRow[]> {
  return db.query<HoldRow>(
    "SELECT hold_id, held_nano, shared, recalled FROM ledger.holds WHERE account_id = $1 ORDER BY held_nano, shared",
    [accountId],
  );
}

export interface RowTotals {
  readonly credited: bigint;
  readonly charged: bigint;
  readonly held: bigint;
}

/** An account's row as it stands: with what leases hold, without what is not posted. */
export async function rowTotals(db: Db, accountId: Uuid): Promise<RowTotals> {
  const [row] = await db.query<RowTotals>(
    "SELECT credited_nano AS credited, charged_nano AS charged, held_nano AS held FROM ledger.accounts WHERE account_id = $1",
    [accountId],
  );
  if (row === undefined) throw new Error(`there is no account ${accountId}`);
  return row;
}
