/** What a line of a batch may ask for beside tokens, with the price of a batch added to it. */
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import { BATCH_VARIANT, batchRaises } from "../../contract/price/batch-variant.ts";
import { variantOf } from "../../contract/price/chat-rate.ts";
import type { ChatTariff } from "../../contract/price/chat-tariff.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";

/** Throws Fault("invalid_request") that names the field at fault. */
export function judgeBatchRaises(
  tariff: ChatTariff,
  raises: readonly PriceRaise[],
  endpoint: ChatEndpoint,
): AskedRaises | null {
  const tier = raises.find((raise) => raise.kind === "variant" && raise.field === "serviceTier");
  if (tier !== undefined)
    throw new Fault("invalid_request", {
      message: `${tier.param}: a batch is a service tier of its own. Leave it out.`,
      param: tier.param,
    });
  const asked = judgeRaises(tariff, raises, endpoint);
  const priced = batchRaises(tariff, asked);
  const own = (priced?.variants ?? []).filter(
    ({ field, value }) => variantOf(tariff, field, value)?.kind === "price",
  );
  const [other] = own.filter(({ field }) => field !== BATCH_VARIANT.field);
  if (own.length > 1 && other !== undefined)
    throw new Fault("invalid_request", {
      message: `"${other.value}" is not available in batches of this model: each has a price list of its own. Leave it out.`,
    });
  return priced;
}
