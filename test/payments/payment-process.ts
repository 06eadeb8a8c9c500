/**
 * A process of the gateway that hears and asks about payments, for tests that run several of them
 * and kill one when the provider has said "paid".
 */
import { openPaymentWorld } from "./payment-world.ts";

/** What it is told on its command line, as JSON. */
export interface PaymentProcessOptions {
  readonly databaseUrl: string;
  readonly sandboxUrl: string;
  /** Tells its parent when a payment was paid, and goes no further. */
  readonly stopsWhenPaid: boolean;
  readonly claimMs: number;
}

const { databaseUrl, sandboxUrl, stopsWhenPaid, claimMs } = JSON.parse(
  process.argv[2] ?? "{}",
) as PaymentProcessOptions;
process.on("disconnect", () => process.exit(0));

const world = await openPaymentWorld({
  databaseUrl,
  sandboxUrl,
  times: { claimMs },
  wrap: (provider) => ({
    ...provider,
    async readPayment(id, signal) {
      const outcome = await provider.readPayment(id, signal);
      if (!stopsWhenPaid || outcome.kind !== "found" || outcome.payment.status !== "succeeded")
        return outcome;
      process.send?.({ paid: id });
      return new Promise(() => undefined);
    },
  }),
});
process.send?.({ url: world.endpoint.url });
