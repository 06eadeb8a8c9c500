/** What one chat run is charged, and what it costs the operator. */
import { costOfChat, lackingCost } from "../../contract/price/cost-of-chat.ts";
import type { ResolvedUse } from "../../contract/price/resolve-use.ts";
import type { Route } from "../../catalogue/catalogue.ts";
import type { Nano } from "../../kernel/money.ts";
import { minNano, ZERO_NANO } from "../../kernel/money.ts";
import { subjectOf } from "./charge-subject.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { ChatRun } from "./chat-run.ts";
import type { FinalCharge } from "./final-charge.ts";
import { finalCharge } from "./final-charge.ts";
import { heldNanoOf } from "./hold-of-run.ts";
import { priceRecorded, recordedUsage } from "./recorded-usage.ts";
import { reportedCost } from "./reported-cost.ts";
import type { Answering } from "./run-phase.ts";
import { usedOf } from "./used-of-run.ts";

/**
 * A hold has to end also where the answer cannot be priced: then at what would be saved of it now,
 * and the suspicion is reported.
 */
export function priceAnswer(
  run: ChatRun,
  answer: Answering | null,
  { usage, delivered }: ChatOutcome,
): FinalCharge | Promise<FinalCharge> {
  const recorded = delivered.anything ? answer : null;
  try {
    const priced = finalCharge(subjectOf(run, answer), usage, delivered, run.deps.countTokens);
    return priced instanceof Promise
      ? priced.catch((error: unknown) => unpricedCharge(run, recorded, error))
      : priced;
  } catch (error) {
    return unpricedCharge(run, recorded, error);
  }
}

/** `answer`: null where nothing of it was delivered. */
function unpricedCharge(run: ChatRun, answer: Answering | null, error: unknown): FinalCharge {
  const { usage, usageSource } = recordedUsage(run, answer);
  const suspicion = `the answer could not be priced: ${error instanceof Error ? error.message : String(error)}`;
  return {
    usage,
    usageSource,
    priceNano: priceRecorded(run, answer, usage),
    disbelievedNano: ZERO_NANO,
    suspicion,
  };
}

/** What of the price is charged, and what the answer costs the operator. */
export interface Figures {
  readonly chargeNano: Nano;
  readonly lossNano: Nano;
  readonly upstreamCostNano: Nano | null;
  /** The key of the route without which it is not known; null where it is, or there is no cost at all. */
  readonly costLacks: string | null;
  /** In the upstream's own words; null where it says nothing. */
  readonly reportedNano: Nano | null;
  readonly use: ResolvedUse;
}

/** `owed`: false for an answer that its caller will ask for again, and pay for then. */
export function figuresOf(
  run: ChatRun,
  answer: Answering | null,
  { usage, priceNano, disbelievedNano }: FinalCharge,
  owed: boolean,
): Figures {
  const chargeNano = owed ? minNano(priceNano, heldNanoOf(run)) : ZERO_NANO;
  const use = usedOf(run, answer);
  const reportedNano = reportedCostOf(run, answer);
  const route = answer?.route ?? null;
  const cost = route?.cost ?? null;
  const upstreamCostNano = reportedNano ?? costOfChat(run.model, cost, usage, use.done);
  return {
    chargeNano,
    lossNano: (priceNano - chargeNano + disbelievedNano) as Nano,
    upstreamCostNano,
    costLacks: upstreamCostNano === null ? lacksOf(run, route, use) : null,
    reportedNano,
    use,
  };
}

function lacksOf({ model }: ChatRun, route: Route | null, { done }: ResolvedUse): string | null {
  if (route === null || route.cost === null) return route?.costLacks ?? null;
  return lackingCost(model, route.cost, done);
}

/** What the upstream itself says of its cost, where the catalogue says what its unit is worth. */
function reportedCostOf({ catalogue }: ChatRun, answer: Answering | null): Nano | null {
  const costText = answer?.reported.used.costText ?? null;
  if (costText === null || answer === null) return null;
  const factor = catalogue.upstreams.get(answer.route.upstream)?.reportedCost;
  return factor === undefined ? null : reportedCost(costText, factor);
}
