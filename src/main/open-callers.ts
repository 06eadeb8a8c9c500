/**
 * Wires how the callers of this process are known: looked up, remembered, forgotten when another
 * process changes them, their last use noted.
 */
import { ACCOUNTS_CHANNEL } from "../accounts/store.ts";
import type { LiveCatalogue } from "../catalogue/live-catalogue.ts";
import { CATALOGUE_CHANNEL } from "../catalogue/store.ts";
import type { Db } from "../db/database.ts";
import { listen } from "../db/listen.ts";
import { createAuthenticator, type Authenticator } from "../serving/admission/authenticate.ts";
import { findCaller, type Caller } from "../serving/admission/find-caller.ts";
import type { SettlePipeline } from "../serving/money/settle-pipeline.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { createLastUsedRecorder } from "../keys/last-used.ts";
import { KEYS_CHANNEL, touchLastUsed } from "../keys/store.ts";

export interface CallersDeps {
  readonly databaseUrl: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly ledger: Pick<SettlePipeline, "silent">;
  /** Changes of it come by the same connection as those of keys and accounts. */
  readonly catalogue: Pick<LiveCatalogue, "refresh">;
  onError(what: string): (error: unknown) => void;
}

export interface Callers {
  readonly authenticator: Authenticator<Caller>;
  /** To be called with every caller that was let in. */
  noteUse(caller: Caller): Caller;
  close(): Promise<void>;
}

export function openCallers({
  databaseUrl,
  db,
  clock,
  ledger,
  catalogue,
  onError,
}: CallersDeps): Callers {
  const authenticator = createAuthenticator({
    async findKey(hash) {
      // Nothing could be held for it anyway; the caller hears of it now and not when the statement
      // gives up.
      if (ledger.silent) throw new Fault("overloaded", { retryAfterSeconds: 1 });
      return findCaller(db, hash);
    },
    clock,
  });
  const lastUsed = createLastUsedRecorder({
    clock,
    write: (uses) => touchLastUsed(db, uses),
    onError: onError("the last use of keys could not be written"),
  });
  const listener = listen({
    url: databaseUrl,
    channels: [KEYS_CHANNEL, ACCOUNTS_CHANNEL, CATALOGUE_CHANNEL],
    onMessage(channel, payload) {
      if (channel === KEYS_CHANNEL) authenticator.forget(payload);
      else if (channel === ACCOUNTS_CHANNEL) authenticator.forgetAccount(payload);
      else void catalogue.refresh();
    },
    onConnected() {
      authenticator.forgetAll();
      void catalogue.refresh();
    },
    onError: onError("the notification connection broke"),
  });
  return {
    authenticator,
    noteUse(caller) {
      lastUsed.note(caller.keyId);
      return caller;
    },
    async close() {
      await listener.close();
      await lastUsed.close();
    },
  };
}
