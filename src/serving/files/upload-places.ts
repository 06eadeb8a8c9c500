/**
 * The uploads that run in this process: how many there may be for one account, and how they end when
 * the process does.
 */
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { within } from "../within.ts";

export interface UploadPlace {
  /**
   * Aborted, with a Fault as its reason, when this process cannot wait for the upload any longer.
   */
  readonly cut: AbortSignal;
  leave(): void;
}

export interface UploadPlaces {
  /**
   * Throws Fault: `rate_limit_exceeded` when the account has too many, `overloaded` when this
   * process is ending. How many there are altogether is its endpoint's to say.
   */
  take(accountId: Uuid): UploadPlace;
  readonly taken: number;
  /**
   * Gives no more places, waits so long for those that are taken, cuts off the rest, and resolves
   * when the last one is left.
   */
  drain(deadlineMs: number): Promise<void>;
}

/**
 * Each takes a temporary file or some parts of a multipart upload; an account could fill a disk
 * with files that never end.
 */
const PER_ACCOUNT = 32;
/** How long uploads that were cut off may take to clear away what they had written. */
const CLEAR_MS = 5_000;

export function createUploadPlaces(): UploadPlaces {
  const ofAccounts = new Map<Uuid, number>();
  const cut = new AbortController();
  let taken = 0;
  let draining = false;
  const empty = Promise.withResolvers<void>();

  return {
    take(accountId) {
      if (draining) throw restarting();
      const before = ofAccounts.get(accountId) ?? 0;
      if (before >= PER_ACCOUNT) {
        throw new Fault("rate_limit_exceeded", {
          message: `This account sends ${PER_ACCOUNT} files at once already. Wait until one of them is done.`,
          retryAfterSeconds: 1,
        });
      }
      ofAccounts.set(accountId, before + 1);
      taken += 1;
      let left = false;
      return {
        cut: cut.signal,
        leave() {
          if (left) return;
          left = true;
          taken -= 1;
          const others = (ofAccounts.get(accountId) ?? 1) - 1;
          if (others === 0) ofAccounts.delete(accountId);
          else ofAccounts.set(accountId, others);
          if (draining && taken === 0) empty.resolve();
        },
      };
    },
    get taken() {
      return taken;
    },
    async drain(deadlineMs) {
      draining = true;
      if (taken === 0) return;
      await within(empty.promise, deadlineMs);
      if (taken === 0) return;
      cut.abort(restarting());
      await within(empty.promise, CLEAR_MS);
    },
  };
}

function restarting(): Fault {
  return new Fault("overloaded", {
    message: "The gateway is restarting. Send the file again.",
    retryAfterSeconds: 1,
  });
}
