/**
 * A process of the gateway that looks for alerts and charges an account all the while, for tests
 * that run several.
 */
import { charge, openAlertWorld } from "./alert-world.ts";

/** What it is told on its command line, as JSON. */
export interface AlertProcessOptions {
  readonly databaseUrl: string;
}

/** What its parent asks for. */
export interface ChargeOrder {
  readonly accountId: string;
  readonly roubles: string;
  readonly count: number;
}

const LANES = 4;

const { databaseUrl } = JSON.parse(process.argv[2] ?? "{}") as AlertProcessOptions;
process.on("disconnect", () => process.exit(0));
const world = await openAlertWorld({ databaseUrl });
process.on("message", ({ accountId, roubles, count }: ChargeOrder) => {
  let left = count;
  // No more at a time than have a connection each: who waits too long for one is refused.
  const lane = async (): Promise<void> => {
    while (left-- > 0) await charge(world.db, accountId, roubles);
  };
  void Promise.all(Array.from({ length: LANES }, lane)).then(
    () => process.send?.({ charged: count }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.send?.({ ready: true });
