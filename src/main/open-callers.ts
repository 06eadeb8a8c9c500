/**
 * Wires how the callers of this process are known: looked up, remembered, forgotten when another
 * process changes them, their last use noted.
 */
import { ACCOUNTS_CHANNEL } from "../accounts/store.ts";
import { CATALOGUE_CHANNEL } from "../catalogue/store.ts";
import { listen } from "../db/listen.ts";
import { createAuthenticator, type Authenticator } from "../serving/admission/authenticate.ts";
import { findCaller, findCallers, type Caller } from "../serving/admission/find-caller.ts";
import type { SettlePipeline } from "../serving/money/settle-pipeline.ts";
import { Fault } from "../kernel/faults.ts";
import { RECALL_CHANNEL } from "../ledger/recalls.store.ts";
import { createLastUsedRecorder } from "../keys/last-used.ts";
import { KEYS_CHANNEL, touchLastUsed } from "../keys/store.ts";
import { repeat } from "../process/repeat.ts";
import type { Parts } from "./parts.ts";

const REFRESH_PAUSE_MS = 1_000;

export interface Callers {
  readonly authenticator: Authenticator<Caller>;
  /** To be called with every caller that was let in. */
  noteUse(caller: Caller): Caller;
  close(): Promise<void>;
}

export function openCallers(
  { databaseUrl, db, clock, catalogue, onError }: Parts,
  ledger: Pick<SettlePipeline, "silent" | "recall">,
): Callers {
  const authenticator = createAuthenticator({
    async findKey(hash) {
      // Nothing could be held for it anyway; the caller hears of it now and not when the statement
      // gives up.
      if (ledger.silent) throw new Fault("overloaded", { retryAfterSeconds: 1 });
      return findCaller(db, hash);
    },
    clock,
  });
  const refresher = repeat(onError, {
    "keys could not be read anew": [
      REFRESH_PAUSE_MS,
      () => ledger.silent || authenticator.refresh((hashes) => findCallers(db, hashes)),
    ],
  });
  const lastUsed = createLastUsedRecorder({
    clock,
    write: (uses) => touchLastUsed(db, uses),
    onError: (error) => onError("the last use of keys could not be written", error),
  });
  // Changes of the catalogue come by the same connection as those of keys and accounts.
  const listener = listen({
    url: databaseUrl,
    channels: [KEYS_CHANNEL, ACCOUNTS_CHANNEL, CATALOGUE_CHANNEL, RECALL_CHANNEL],
    onMessage(channel, payload) {
      if (channel === KEYS_CHANNEL) authenticator.forget(payload);
      else if (channel === ACCOUNTS_CHANNEL) authenticator.forgetAccount(payload);
      else if (channel === RECALL_CHANNEL) ledger.recall(payload);
      else void catalogue.refresh();
    },
    onConnected() {
      ledger.recall(null);
      authenticator.forgetAll();
      void catalogue.refresh();
    },
    onError: (error) => onError("the notification connection broke", error),
  });
  return {
    authenticator,
    noteUse(caller) {
      lastUsed.note(caller);
      return caller;
    },
    async close() {
      await refresher.stop();
      await listener.close();
      await lastUsed.close();
    },
  };
}
