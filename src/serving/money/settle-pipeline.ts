/**
 * The hot money path whole: hold, extend, and settle with the receipt in the same transaction, each
 * in batches.
 */
import { createGroupCommit } from "../../db/group-commit.ts";
import { createHotConnection } from "../../db/hot-connection.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { checkSettlement } from "../../ledger/holds.store.ts";
import {
  createLedgerPipelines,
  MAX_BATCH,
  MAX_QUEUED,
  type LedgerPipelines,
  type LedgerPipelinesOptions,
} from "../../ledger/ledger-pipelines.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { settleWithReceipts, type Settled, type SettleRequest } from "./settlement.store.ts";

export interface SettlePipelineOptions extends LedgerPipelinesOptions {
  /**
   * Hears of a receipt that could not be written; its money was settled. To be counted and alerted.
   */
  onParked(requestId: Uuid): void;
}

export interface SettlePipeline extends Pick<
  LedgerPipelines,
  "hold" | "extend" | "silent" | "undecided"
> {
  /**
   * The verdict, once it is committed, receipt included. Throws Fault("overloaded") when the
   * database is out of reach for long; then call again: a settlement that was committed after all
   * answers `already-settled`.
   */
  settle(request: SettleRequest): Promise<SettleVerdict>;
  /** Requests waiting for their batch, for /metrics. */
  readonly queued: { readonly hold: number; readonly extend: number; readonly settle: number };
  /** Takes nothing more, finishes what it has. */
  close(): Promise<void>;
}

export function createSettlePipeline(options: SettlePipelineOptions): SettlePipeline {
  const ledger = createLedgerPipelines(options);
  const connection = createHotConnection({
    url: options.url,
    applicationName: `${options.applicationName} settle`,
    onError: options.onError,
  });
  const settlements = createGroupCommit<SettleRequest, Settled>({
    connection,
    maxBatch: MAX_BATCH,
    maxQueued: MAX_QUEUED,
    run: settleWithReceipts,
    onError: options.onError,
  });

  return {
    hold: (request) => ledger.hold(request),
    extend: (request) => ledger.extend(request),
    async settle(request) {
      checkSettlement(request);
      const { verdict, parked } = await settlements.submit(request);
      if (parked) options.onParked(request.holdId);
      return verdict;
    },
    get silent() {
      return ledger.silent;
    },
    get undecided() {
      return ledger.undecided;
    },
    get queued() {
      return { ...ledger.queued, settle: settlements.queued };
    },
    async close() {
      await Promise.all([ledger.close(), settlements.close()]);
      await connection.close();
    },
  };
}
