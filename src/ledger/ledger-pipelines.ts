/**
 * The hot path of admission: holds and extensions of many requests go to the database in one batch
 * each, on a connection of their own.
 */
import { randomBytes } from "node:crypto";
import { createGroupCommit } from "../db/group-commit.ts";
import { createHotConnection } from "../db/hot-connection.ts";
import { Fault } from "../kernel/faults.ts";
import {
  checkExtension,
  checkHold,
  extendMany,
  holdMany,
  type TokenedExtension,
} from "./holds.store.ts";
import type { ExtendRequest, ExtendVerdict, HoldRequest, HoldVerdict } from "./hold-verdicts.ts";

export interface LedgerPipelinesOptions {
  readonly url: string;
  /** Shown in pg_stat_activity, with what the connection is for. */
  readonly applicationName: string;
  /** Hears of lost connections and of requests that failed alone. */
  onError(error: unknown): void;
}

export interface LedgerPipelines {
  /**
   * The verdict, once it is committed. Throws Fault("overloaded") when the database is out of
   * reach; then nothing is held, or the hold is an orphan that recovery releases.
   */
  hold(request: HoldRequest): Promise<HoldVerdict>;
  /**
   * The verdict, once it is committed. Throws Fault("overloaded") when the database is out of
   * reach; the hold may have grown or not.
   */
  extend(request: ExtendRequest): Promise<ExtendVerdict>;
  /** New holds are refused at once, because the database has not been heard of for a while. */
  readonly silent: boolean;
  /** A hold that was given up without a verdict may still be made. */
  readonly undecided: boolean;
  /** Requests waiting for their batch. */
  readonly queued: { readonly hold: number; readonly extend: number };
  /** Takes nothing more, finishes what it has. */
  close(): Promise<void>;
}

/** Above this, a batch takes longer without becoming cheaper per row. */
export const MAX_BATCH = 512;
export const MAX_QUEUED = 20_000;
/** New work is refused at once while the database has been silent for this long. */
const REFUSE_AFTER_SILENCE_MS = 1_500;
/**
 * A stream that waits for its extension stands still; after this it may go on and ask again. Longer
 * than a statement waits for a lock.
 */
const GO_ON_AFTER_SILENCE_MS = 3_000;
const TOKEN_SEED_BYTES = 6;

export function createLedgerPipelines(options: LedgerPipelinesOptions): LedgerPipelines {
  const { url, onError } = options;
  const holdConnection = createHotConnection({
    url,
    applicationName: `${options.applicationName} hold`,
    onError,
  });
  const extendConnection = createHotConnection({
    url,
    applicationName: `${options.applicationName} extend`,
    onError,
  });
  const shared = { maxBatch: MAX_BATCH, maxQueued: MAX_QUEUED, onError };
  const holds = createGroupCommit<HoldRequest, HoldVerdict | null>({
    ...shared,
    connection: holdConnection,
    refuseAfterSilenceMs: REFUSE_AFTER_SILENCE_MS,
    run: holdMany,
  });
  const extensions = createGroupCommit<TokenedExtension, ExtendVerdict>({
    ...shared,
    connection: extendConnection,
    refuseAfterSilenceMs: GO_ON_AFTER_SILENCE_MS,
    run: extendMany,
  });
  // Only a hold's owner extends it, so tokens need to differ within one process, and from those of
  // one that reused a hold's id.
  let token = randomBytes(TOKEN_SEED_BYTES).readUIntBE(0, TOKEN_SEED_BYTES);

  return {
    async hold(request) {
      checkHold(request);
      const verdict = await holds.submit(request);
      // Only after an outage longer than a lease: the hold was made, no process heard of it, and
      // recovery has released it since.
      if (verdict === null)
        throw new Fault("overloaded", {
          retryAfterSeconds: 1,
          cause: new Error("the hold was recovered before its verdict arrived"),
        });
      return verdict;
    },
    async extend(request) {
      checkExtension(request);
      token += 1;
      return extensions.submit({ ...request, token: BigInt(token) });
    },
    get silent() {
      return holdConnection.silentForMs() > REFUSE_AFTER_SILENCE_MS;
    },
    get undecided() {
      return holdConnection.undecided;
    },
    get queued() {
      return { hold: holds.queued, extend: extensions.queued };
    },
    async close() {
      await Promise.all([holds.close(), extensions.close()]);
      await Promise.all([holdConnection.close(), extendConnection.close()]);
    },
  };
}
