/**
 * The requests of all accounts, newest first, for operators. A page may be short, even empty, and
 * yet not the last.
 */
import { promptTokensOf } from "../../kernel/token-usage.ts";
import type {
  OperatorRequest,
  OperatorRequestList,
} from "../../contract/panel/operator-requests.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { formatRequestId, type Uuid } from "../../kernel/ids.ts";
import { findKeyMasks } from "../../keys/masks.store.ts";
import { findKeyByHash } from "../../keys/store.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import type { Books } from "../past/books.ts";
import { firstIdAt } from "../requests/first-id-at.ts";
import { readPage } from "../../serving/read-page.ts";
import { operatorReceiptView } from "../requests/receipt-view.ts";
import { findAnyRequests } from "./any-requests.store.ts";
import { accountNames } from "./find-accounts.store.ts";

/** What is absent or null narrows nothing. */
export interface AnyRequestQuery {
  readonly accountId?: Uuid | null;
  readonly keyHash?: string | null;
  readonly model?: string | null;
  readonly state?: string | null;
  /** One that was tried for it. */
  readonly upstream?: string | null;
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly cursor?: Uuid | null;
  readonly limit?: number;
}

/**
 * Without an account, and without a beginning, no further back than this: most searches look
 * through the rows one by one.
 */
const LOOK_BACK_MS = 31 * 24 * 3_600_000;

export async function listAnyRequests(
  { books, clock }: { readonly books: Books; readonly clock: Pick<Clock, "now"> },
  query: AnyRequestQuery,
): Promise<OperatorRequestList> {
  const {
    accountId = null,
    keyHash = null,
    model = null,
    state = null,
    upstream = null,
    to = null,
  } = query;
  const key = keyHash === null ? null : await findKeyByHash(books, keyHash);
  if (keyHash !== null && key === null) return { data: [], nextCursor: null };
  const owner = accountId ?? key?.accountId ?? null;
  const from =
    query.from ?? (owner === null ? new Date(clock.now().getTime() - LOOK_BACK_MS) : null);
  const start = from === null ? null : firstIdAt(from);
  const end = to === null ? null : firstIdAt(to);
  let lookedBackTo: Uuid | null = null;
  const page = await readPage(
    { cursor: query.cursor ?? null, ...(query.limit === undefined ? {} : { limit: query.limit }) },
    async ({ before, limit }) => {
      const last = end !== null && (before === null || end < before) ? end : before;
      const keyId = key?.keyId ?? null;
      const found = await findAnyRequests(books, {
        accountId: owner,
        keyId,
        model,
        state,
        upstream,
        start,
        before: last,
        limit,
      });
      ({ lookedBackTo } = found);
      return found.rows;
    },
    ({ requestId }) => requestId,
  );
  const masks = await findKeyMasks(
    books,
    page.rows.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])),
  );
  const names = await accountNames(books, [...new Set(page.rows.map((row) => row.accountId))]);
  const maskOf = ({ keyId }: StoredReceipt): string | null =>
    keyId === null ? null : (masks.get(keyId) ?? null);
  const next = page.next ?? lookedBackTo;
  return {
    data: page.rows.map((row) => requestView(row, maskOf(row), names.get(row.accountId) ?? null)),
    nextCursor: next === null ? null : formatRequestId(next),
  };
}

function requestView(
  row: StoredReceipt,
  mask: string | null,
  accountName: string | null,
): OperatorRequest {
  const receipt = operatorReceiptView(row, { keyMask: mask }, ZERO_NANO);
  const { usage = null, completedAt = null, attempts } = receipt;
  return {
    id: receipt.id,
    accountId: receipt.accountId,
    accountName,
    keyMask: mask,
    endpoint: receipt.endpoint,
    model: receipt.model,
    modelRequested: receipt.modelRequested,
    state: receipt.state,
    stream: receipt.stream,
    startedAt: receipt.startedAt,
    durationMs: completedAt === null ? null : Date.parse(completedAt) - row.startedAt.getTime(),
    upstream: attempts.findLast(({ outcome }) => outcome === "delivered")?.upstream ?? null,
    failedAttempts: attempts.filter(({ outcome }) => outcome !== "delivered").length,
    inputTokens: usage === null ? 0 : promptTokensOf(usage),
    outputTokens: usage?.outputTokens ?? 0,
    charged: receipt.charged,
    upstreamCost: receipt.upstreamCost,
  };
}
