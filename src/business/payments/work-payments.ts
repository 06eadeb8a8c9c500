/**
 * Asks the provider about payments and refunds that are due: those that it reported, and all others
 * from time to time, so that a lost report loses nothing.
 */
import { claimPayments } from "./due-payments.store.ts";
import { claimRefunds } from "./due-refunds.store.ts";
import { checkPayment } from "./check-payment.ts";
import { checkRefund } from "./check-refund.ts";
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
  const claim = { provider: deps.provider.name, limit: AT_ONCE, claimMs };

  async function workOff<Key>(
    what: string,
    takeDue: () => Promise<readonly Key[]>,
    check: (deps: PaymentDeps, key: Key, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    while (!stopping.signal.aborted) {
      const due = await takeDue();
      if (due.length === 0) return;
      await Promise.all(
        due.map((key) =>
          // One that fails is due again when its claim runs out, and holds up no other.
          check(deps, key, stopping.signal).catch((error: unknown) => deps.onError(what, error)),
        ),
      );
    }
  }

  return {
    async tick() {
      // A refund that ends has its payment read again.
      await workOff(
        "a refund could not be checked",
        () => claimRefunds(deps.db, claim),
        checkRefund,
      );
      await workOff(
        "a payment could not be checked",
        () => claimPayments(deps.db, claim),
        checkPayment,
      );
    },
    stop() {
      stopping.abort();
    },
  };
}
