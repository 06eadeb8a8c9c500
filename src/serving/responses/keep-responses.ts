/**
 * Keeps answers before their last bytes leave: many in one transaction, so that the row of an
 * account's room is not waited for by each of its requests.
 */
import type { Db } from "../../db/database.ts";
import { createGroupCommit } from "../../db/group-commit.ts";
import { createHotConnection, type PipelinedTx } from "../../db/hot-connection.ts";
import { keepResponse } from "../../responses/responses.store.ts";
import type { KeepVerdict, NewResponse } from "../../responses/stored-response.ts";

export interface ResponseKeeperOptions {
  readonly url: string;
  /** For large ones: they would hold up the others. */
  readonly db: Db;
  /** Shown in pg_stat_activity, with what the connection is for. */
  readonly applicationName: string;
  /** Hears of lost connections and of answers that failed alone. */
  onError(error: unknown): void;
}

export interface ResponseKeeper {
  /** The verdict, once it is committed. Throws Fault("overloaded") when the database is out of reach. */
  keep(response: NewResponse): Promise<KeepVerdict>;
  close(): Promise<void>;
}

const MAX_BATCH = 64;
const MAX_QUEUED = 2_000;
/** The last bytes of an answer wait so long for it to be kept. */
const PATIENCE_MS = 5_000;
/** As with holds: nothing is waited for while the database has been silent for this long. */
const REFUSE_AFTER_SILENCE_MS = 1_500;
const LARGE_BYTES = 256 * 1024;

export function createResponseKeeper(options: ResponseKeeperOptions): ResponseKeeper {
  const connection = createHotConnection({
    url: options.url,
    applicationName: `${options.applicationName} responses`,
    onError: options.onError,
  });
  const keeps = createGroupCommit<NewResponse, KeepVerdict>({
    connection,
    maxBatch: MAX_BATCH,
    maxQueued: MAX_QUEUED,
    patienceMs: PATIENCE_MS,
    refuseAfterSilenceMs: REFUSE_AFTER_SILENCE_MS,
    run: keepAll,
    onError: options.onError,
  });
  return {
    keep: (response) =>
      sizeOf(response) > LARGE_BYTES ? keepResponse(options.db, response) : keeps.submit(response),
    async close() {
      await keeps.close();
      await connection.close();
    },
  };
}

function sizeOf({ sealedInput, sealedResponse }: NewResponse): number {
  return sealedInput.length + sealedResponse.length;
}

/**
 * Account by account, so that two processes wait for each other instead of deadlocking. What an
 * earlier run has kept is kept already.
 */
async function keepAll(
  tx: PipelinedTx,
  responses: readonly NewResponse[],
): Promise<readonly KeepVerdict[]> {
  const verdicts = new Map<NewResponse, Promise<KeepVerdict>>();
  for (const response of responses.toSorted(byAccount))
    verdicts.set(response, keepResponse(tx, response));
  return Promise.all(responses.map((response) => verdicts.get(response) as Promise<KeepVerdict>));
}

function byAccount(one: NewResponse, other: NewResponse): number {
  return one.accountId < other.accountId ? -1 : one.accountId > other.accountId ? 1 : 0;
}
