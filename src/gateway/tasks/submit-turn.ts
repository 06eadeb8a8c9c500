/** Keeps to how many tasks an upstream takes in a time, in all processes together, and lets those that wait come back one by one. */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Tx } from "../../db/database.ts";
import { takeTurn } from "../../tasks/submit-turns.store.ts";

/** Submissions do not all take equally long to arrive: so much the upstream's time is stretched. */
const STRETCHED = 1.05;
/** Of that time; whoever has just come looks again as soon as this after the next turn. */
const LEAST_SPREAD = 0.1;
const LONGEST_SPREAD_MS = 60_000;

/** 0: it may be submitted when `tx` commits. Else the milliseconds until it should be tried again. */
export async function turnMs(
  tx: Tx,
  { name, submitRate }: Pick<UpstreamConfig, "name" | "submitRate">,
  { phaseMs, random }: { readonly phaseMs: number; readonly random: () => number },
): Promise<number> {
  if (submitRate === undefined) return 0;
  const windowMs = submitRate.seconds * 1_000 * STRETCHED;
  const ms = await takeTurn(tx, { upstream: name, count: submitRate.count, windowMs });
  if (ms === 0) return 0;
  // All who wait would come at the next turn. Who has waited long may wait a while more, so that a long queue costs few looks.
  return ms + random() * Math.min(LONGEST_SPREAD_MS, Math.max(windowMs * LEAST_SPREAD, phaseMs));
}
