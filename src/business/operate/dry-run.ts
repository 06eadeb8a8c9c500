/**
 * What the chat requests of the last seven days would bring and cost under another catalogue: a
 * guide, not a bill.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { mistakeLine } from "../../catalogue/live-catalogue.ts";
import { rateOf } from "../../contract/price/chat-rate.ts";
import type { ChatTariff } from "../../contract/price/chat-tariff.ts";
import { isCostKnown } from "../../contract/price/cost-of-chat.ts";
import { priceAtRate, toolSum } from "../../contract/price/price-chat.ts";
import type { CatalogueDryRun } from "../../contract/panel/operator-catalogue.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { formatRoubles, nano, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import { VARIANT_FIELDS } from "../../kernel/price-raises.ts";
import { firstIdAt } from "../requests/first-id-at.ts";
import { parseFromPanel } from "./catalogue-rules.ts";
import { newestFrom } from "./request-hours.store.ts";
import { hasMoreThan, useByModel, type ModelUse } from "./dry-run.store.ts";

const DAYS_MS = 7 * 24 * 3_600_000;
/** Read in a second or two. */
const MOST_REQUESTS = 200_000;

/** Throws Fault("invalid_request") on a catalogue with mistakes. */
export async function dryRun(
  {
    db,
    clock,
    env,
  }: { readonly db: Queryable; readonly clock: Pick<Clock, "now">; readonly env: Environment },
  source: string,
): Promise<CatalogueDryRun> {
  const reading = parseFromPanel(source, env);
  if (!reading.ok) {
    throw new Fault("invalid_request", {
      ...sayRefusal("catalogue_mistakes"),
      errors: reading.mistakes.map((mistake) => ({
        param: mistake.path,
        code: "catalogue",
        message: mistakeLine(mistake),
      })),
    });
  }
  const { catalogue } = reading;
  const to = clock.now();
  const from = new Date(to.getTime() - DAYS_MS);
  const start = firstIdAt(from);
  const thresholds = thresholdsOf(catalogue);
  const newest = { start: await newestFrom(db, start, MOST_REQUESTS), newest: MOST_REQUESTS };
  const [used, sampled] = await Promise.all([
    useByModel(db, { ...newest, thresholds }),
    hasMoreThan(db, start, MOST_REQUESTS),
  ]);
  const sums = new Map<string, Sum>();
  for (const use of used) {
    const model = catalogue.models.get(use.model);
    const part = sumOf(use, model?.type === "chat" ? model : null, thresholds[use.model] ?? []);
    const known = sums.get(use.model);
    sums.set(use.model, known === undefined ? part : added(known, part));
  }
  const models = [...sums].toSorted(([, a], [, b]) => (a.chargedNano < b.chargedNano ? 1 : -1));
  const total = [...sums.values()].reduce(added, NOTHING);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    sampled,
    models: models.map(([model, sum]) => ({ model, ...figuresOf(sum) })),
    total: figuresOf(total),
  };
}

interface Sum {
  readonly requests: bigint;
  readonly chargedNano: Nano;
  /** Null: none of it is sold any more. */
  readonly wouldBeNano: Nano | null;
  /** Null: of none of it the cost is known. */
  readonly costNano: Nano | null;
  readonly unknownCostNano: Nano;
}

const NOTHING: Sum = {
  requests: 0n,
  chargedNano: ZERO_NANO,
  wouldBeNano: null,
  costNano: null,
  unknownCostNano: ZERO_NANO,
};

function added(a: Sum, b: Sum): Sum {
  const both = (one: Nano | null, other: Nano | null): Nano | null =>
    one === null || other === null ? (one ?? other) : nano(one + other);
  return {
    requests: a.requests + b.requests,
    chargedNano: nano(a.chargedNano + b.chargedNano),
    wouldBeNano: both(a.wouldBeNano, b.wouldBeNano),
    costNano: both(a.costNano, b.costNano),
    unknownCostNano: nano(a.unknownCostNano + b.unknownCostNano),
  };
}

function figuresOf({
  requests,
  chargedNano,
  wouldBeNano,
  costNano,
  unknownCostNano,
}: Sum): CatalogueDryRun["total"] {
  const margin =
    costNano === null ? null : nano((wouldBeNano ?? ZERO_NANO) - unknownCostNano - costNano);
  return {
    requests: Number(requests),
    charged: formatRoubles(chargedNano),
    wouldBe: wouldBeNano === null ? null : formatRoubles(wouldBeNano),
    cost: costNano === null ? null : formatRoubles(costNano),
    margin: margin === null ? null : formatRoubles(margin),
    unknownCostRevenue: formatRoubles(unknownCostNano),
    belowCost: margin !== null && margin < 0n,
  };
}

/** Prompt tokens above which a price or a cost of the model changes, by model. */
function thresholdsOf({ models }: Catalogue): Record<string, number[]> {
  const chats = [...models.values()].filter((model) => model.type === "chat");
  return Object.fromEntries(chats.map((model) => [model.id, thresholdsOfModel(model)]));
}

function thresholdsOfModel(model: ChatModel): number[] {
  const tariffs: ChatTariff[] = [model, ...model.routes.flatMap(({ cost }) => cost ?? [])];
  const all = tariffs.flatMap(({ tiers = [], surcharges }) => {
    const own = VARIANT_FIELDS.flatMap((field) => [
      ...(surcharges?.variants.get(field)?.values() ?? []),
    ]);
    return [
      ...tiers,
      ...own.flatMap((variant) => (variant.kind === "price" ? variant.tiers : [])),
    ].map((tier) => tier.abovePromptTokens);
  });
  return [...new Set(all)].toSorted((a, b) => a - b);
}

/** All at once: the rounding of each request, a nano-rouble at most, is left out. */
function sumOf(use: ModelUse, model: ChatModel | null, thresholds: readonly number[]): Sum {
  const { requests, chargedNano } = use;
  if (model === null) return { ...NOTHING, requests, chargedNano };
  const price = (tariff: ChatTariff): Nano => priceTogether(tariff, use, thresholds);
  const wouldBeNano = price(model);
  const route = model.routes.find(({ upstream }) => upstream === use.upstream) ?? model.routes[0];
  const cost = route?.cost ?? null;
  const known = cost !== null && (use.use === null || isCostKnown(model, cost, use.use));
  const costNano = known ? price(cost) : null;
  return {
    requests,
    chargedNano,
    wouldBeNano,
    costNano,
    unknownCostNano: costNano === null ? wouldBeNano : ZERO_NANO,
  };
}

function priceTogether(
  tariff: ChatTariff,
  { usage, requests, step, use }: ModelUse,
  thresholds: readonly number[],
): Nano {
  const promptTokens = step === 0 ? 0 : (thresholds[step - 1] ?? 0) + 1;
  const tools = use === null ? 0n : toolSum(tariff, use.tools);
  return nano(
    priceAtRate(rateOf(tariff, promptTokens, use?.variants ?? null), usage, requests) +
      requests * tools,
  );
}
