/** The last calls of an upstream that failed, in the words that their receipts have. */
import type { UpstreamErrors } from "../../contract/panel/operator-upstreams.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import { codedWords } from "../requests/coded-words.ts";
import { firstIdAt } from "../requests/first-id-at.ts";
import { timeOf } from "../../usage/id-spans.ts";
import { accountNames } from "./find-accounts.store.ts";
import { newestFrom } from "./request-hours.store.ts";
import { shortened } from "./upstream-figures.ts";
import { lastFailedCalls } from "./upstreams.store.ts";

/** As many as the figures beside them are of. */
const MOST_REQUESTS = 20_000;
const SHOWN = 50;

/** Chats and calls; what tasks failed with stands on their own pages. */
export async function readUpstreamErrors(
  { db, clock }: { readonly db: Queryable; readonly clock: Pick<Clock, "now"> },
  wish: {
    readonly upstream: string;
    /** Null: of any. */
    readonly upstreamModel: string | null;
    readonly windowMs: number;
  },
): Promise<UpstreamErrors> {
  const { upstream, upstreamModel, windowMs } = wish;
  const from = firstIdAt(new Date(clock.now().getTime() - windowMs));
  const start = await newestFrom(db, from, MOST_REQUESTS);
  const failed = await lastFailedCalls(db, {
    start,
    newest: MOST_REQUESTS,
    upstream,
    upstreamModel,
    limit: SHOWN,
  });
  const names = await accountNames(db, [...new Set(failed.map(({ accountId }) => accountId))]);
  return {
    data: failed.map((call) => ({
      at: new Date(timeOf(call.requestId)).toISOString(),
      requestId: formatRequestId(call.requestId),
      accountId: call.accountId,
      accountName: names.get(call.accountId) ?? null,
      upstreamModel: call.upstreamModel,
      status: call.status,
      reason: call.reason,
      coded: shortened(codedWords(call.coded)),
      durationMs: call.ms,
      servedBy: call.servedBy,
    })),
  };
}
