/** What the chat requests of the last seven days would have been charged under other prices: a guide, not a bill. */
import type { ChatPrice } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { mistakeLine } from "../../catalogue/live-catalogue.ts";
import { priceChat } from "../../catalogue/price.ts";
import type { CatalogueDryRun } from "../../contract/panel/operator-catalogue.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { formatRoubles, nano, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import { firstIdAt } from "../first-id-at.ts";
import { parseFromPanel } from "./catalogue-rules.ts";
import { hasMoreThan, useByModel, type ModelUse } from "./dry-run.store.ts";

const DAYS_MS = 7 * 24 * 3_600_000;
/** Read in a second or two. */
const MOST_REQUESTS = 200_000;

/** Throws Fault("invalid_request") on a catalogue with mistakes. */
export async function dryRun(
  { db, clock, env }: { readonly db: Queryable; readonly clock: Pick<Clock, "now">; readonly env: Environment },
  source: string,
): Promise<CatalogueDryRun> {
  const reading = parseFromPanel(source, env);
  if (!reading.ok) {
    throw new Fault("invalid_request", {
      message: "The catalogue has mistakes.",
      errors: reading.mistakes.map((mistake) => ({ param: mistake.path, code: "catalogue", message: mistakeLine(mistake) })),
    });
  }
  const to = clock.now();
  const from = new Date(to.getTime() - DAYS_MS);
  const start = firstIdAt(from);
  const [used, sampled] = await Promise.all([useByModel(db, start, MOST_REQUESTS), hasMoreThan(db, start, MOST_REQUESTS)]);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    sampled,
    models: used.map((use) => {
      const model = reading.catalogue.models.get(use.model);
      return {
        model: use.model,
        requests: Number(use.requests),
        charged: formatRoubles(use.chargedNano),
        wouldBe: model?.type === "chat" ? formatRoubles(priceTogether(model.price, use)) : null,
      };
    }),
  };
}

/** All at once: the rounding of each request, a nano-rouble at most, is left out. */
function priceTogether(price: ChatPrice, { usage, requests }: ModelUse): Nano {
  return nano(priceChat({ ...price, request: ZERO_NANO }, usage) + requests * price.request);
}
