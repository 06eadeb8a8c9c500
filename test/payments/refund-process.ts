/**
 * A process of the gateway in which an operator refunds payments, for tests that run several of
 * them and kill one between two steps.
 */
import type { Uuid } from "../../src/kernel/ids.ts";
import { openPaymentWorld } from "./payment-world.ts";
import { askRefund } from "./refund-scene.ts";

/** Where it tells its parent that it is there, and goes no further before it is let on. */
export type Stop = "before the provider is asked" | "before its answer is noted" | null;

/** What it is given on its command line, as JSON. */
export interface RefundProcessOptions {
  readonly databaseUrl: string;
  readonly sandboxUrl: string;
  readonly stop: Stop;
  readonly claimMs: number;
}

export interface RefundOrder {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  readonly amount: string;
}

const { databaseUrl, sandboxUrl, stop, claimMs } = JSON.parse(
  process.argv[2] ?? "{}",
) as RefundProcessOptions;
process.on("disconnect", () => process.exit(0));

const going = Promise.withResolvers<void>();
function stay(): Promise<void> {
  process.send?.({ stopped: true });
  return going.promise;
}

const world = await openPaymentWorld({
  databaseUrl,
  sandboxUrl,
  works: false,
  times: { claimMs },
  wrap: (provider) => ({
    ...provider,
    async createRefund(wish, signal) {
      if (stop === "before the provider is asked") await stay();
      const outcome = await provider.createRefund(wish, signal);
      if (stop === "before its answer is noted") await stay();
      return outcome;
    },
  }),
});
process.on("message", (message: RefundOrder | "go") => {
  if (message === "go") return going.resolve();
  const { accountId, paymentId, amount } = message;
  void askRefund(world, { accountId, paymentId }, amount).then(({ status, text }) =>
    process.send?.({ answered: status, text }),
  );
  return undefined;
});
process.send?.({ ready: true });
