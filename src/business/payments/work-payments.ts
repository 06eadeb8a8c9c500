/**
 * Asks the provider about payments that are due: those that it reported, and all others from time
 * to time, so that a lost report loses nothing.
 */
import { claimPayments } from "./due-payments.store.ts";
import { checkPayment } from "./check-payment.ts";
import { PAYMENT_TIMES, type PaymentDeps } from "./payment-deps.ts";

export interface PaymentWork {
  /** Asks about all that is due now. */
  tick(): Promise<void>;
  /** Breaks off the calls under way; what was not noted is due again soon. */
  stop(): void;
}

const AT_ONCE = 16;

export function createPaymentWork(
  deps: PaymentDeps & { onError(what: string, error: unknown): void },
): PaymentWork {
  const stopping = new AbortController();
  const { claimMs } = deps.times ?? PAYMENT_TIMES;

  return {
    async tick() {
      while (!stopping.signal.aborted) {
        const due = await claimPayments(deps.db, {
          provider: deps.provider.name,
          limit: AT_ONCE,
          claimMs,
        });
        if (due.length === 0) return;
        await Promise.all(
          due.map((key) =>
            // One that fails is due again when its claim runs out, and holds up no other.
            checkPayment(deps, key, stopping.signal).catch((error: unknown) =>
              deps.onError("a payment could not be checked", error),
            ),
          ),
        );
      }
    },
    stop() {
      stopping.abort();
    },
  };
}
