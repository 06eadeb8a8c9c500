/**
 * Ends a batch whose lines are all over: writes its result files, and gives back what is left of its
 * hold. Each step may be repeated by another process.
 */
import { Readable } from "node:stream";
import type { BatchRecord } from "../../batches/batch-record.ts";
import { endedLines, type LinesOf } from "../../batches/lines.store.ts";
import { endBatchIn, setFileIn } from "../../batches/work.store.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { releaseRestIn } from "../../ledger/parts.store.ts";
import type { Intake } from "../files/intake.ts";
import { formatBatchId } from "./batch-ids.ts";
import { RESULTS_LIVE_SECONDS } from "./batch-limits.ts";
import { resultLine } from "./result-lines.ts";

export interface FinalizationDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Results were paid for, so no quota refuses them; they count all the same. */
  readonly resultIntake: Intake;
}

/** Answers in memory at once; they may be megabytes each. */
const ROWS_AT_ONCE = 20;

/** Throws what no batch is to blame for; then it is done again. */
export async function finalizeBatch(
  deps: FinalizationDeps,
  batch: BatchRecord,
  leaseId: Uuid,
  signal: AbortSignal,
): Promise<void> {
  const { shape, succeeded, errored, canceled, expired } = batch;
  const failures = errored + canceled + expired;
  const write = (of: LinesOf): Promise<void> => writeFile(deps, batch, leaseId, of, signal);
  if (shape === "anthropic") {
    if (batch.outputFileId === null) await write("all");
  } else {
    if (batch.outputFileId === null && succeeded > 0) await write("output");
    if (batch.errorFileId === null && failures > 0) await write("errors");
  }
  await deps.db.transaction(async (tx) => {
    if (!(await endBatchIn(tx, batch, leaseId))) return;
    const restNano = await releaseRestIn(tx, batch.accountId, batch.batchId);
    assert(restNano !== null, "a batch that has not ended has its hold");
  });
}

async function writeFile(
  deps: FinalizationDeps,
  batch: BatchRecord,
  leaseId: Uuid,
  of: LinesOf,
  signal: AbortSignal,
): Promise<void> {
  const { accountId, keyId, shape, batchId } = batch;
  const name = formatBatchId(shape, batchId);
  const file = await deps.resultIntake.receive({
    accountId,
    keyId,
    origin: "result",
    purpose: shape === "anthropic" ? "batch_part" : "batch_output",
    fileName: `${name}_${of === "errors" ? "error" : "output"}.jsonl`,
    limitBytes: Number.MAX_SAFE_INTEGER,
    source: Readable.from(linesOf(deps.db, batch, of)),
    signal,
  });
  await file.commit(
    async (tx, { fileId }) => {
      const kept = await setFileIn(tx, batch, leaseId, {
        of: of === "errors" ? "errors" : "output",
        fileId,
      });
      // The file is discarded with the transaction.
      if (!kept) throw new Error("the batch is another process's by now");
    },
    livesSeconds(batch, deps.clock.now()),
  );
}

/** Undefined: as long as files are kept. */
function livesSeconds(
  { shape, createdAt, outputSeconds }: BatchRecord,
  now: Date,
): number | undefined {
  if (shape === "openai") return outputSeconds ?? undefined;
  const ageSeconds = Math.max(0, (now.getTime() - createdAt.getTime()) / 1000);
  return Math.max(0, RESULTS_LIVE_SECONDS - ageSeconds);
}

async function* linesOf(db: Queryable, batch: BatchRecord, of: LinesOf): AsyncGenerator<Buffer> {
  for (let after = 0; ;) {
    const page = await endedLines(db, batch, { of, after, limit: ROWS_AT_ONCE });
    for (const line of page) {
      after = line.lineNo;
      yield resultLine(batch.shape, batch.batchId, line);
    }
    if (page.length < ROWS_AT_ONCE) return;
  }
}
