/** A model that an upstream lists, as it may be written down in a catalogue: a draft to be read and changed. */
import type { Decimal } from "../contract/price/decimal.ts";
import { divideUp, formatRoubles, nano, type Nano } from "../kernel/money.ts";
import type { ListedKind, ListedModel } from "../protocol/model-list/read-model-list.ts";
import { MODEL_ID } from "./model-schema.ts";
import { HIGHEST_NANO } from "./single-values.ts";

/** As prices are written in the file. */
const ORDER = [
  "input",
  "cachedInput",
  "cacheWrite5m",
  "output",
  "reasoning",
  "request",
] as const satisfies readonly ListedKind[];

/** Null where the list does not tell all that a model needs. Ends with a line break. */
export function proposedModel(
  { id, name, contextTokens, maxOutputTokens }: ListedModel,
  costs: ReadonlyMap<ListedKind, Nano>,
  { upstream, markup }: { readonly upstream: string; readonly markup: Decimal },
): string | null {
  const complete = costs.has("input") && costs.has("output");
  if (!complete || contextTokens === null || !MODEL_ID.test(id)) return null;
  const longest = Math.min(maxOutputTokens ?? contextTokens, contextTokens);
  const price = new Map([...costs].map(([kind, cost]) => [kind, marked(cost, markup)]));
  if ([...price.values()].some((amount) => amount > HIGHEST_NANO)) return null;
  const lines = [
    `  ${JSON.stringify(id)}:`,
    "    type: chat",
    ...(name === null ? [] : [`    displayName: ${JSON.stringify(name)}`]),
    "    endpoints: [chat.completions, messages]",
    `    contextTokens: ${contextTokens}`,
    `    maxOutputTokens: ${longest}`,
    `    price: ${amountsText(price)}`,
    "    routes:",
    `      - upstream: ${JSON.stringify(upstream)}`,
    `        model: ${JSON.stringify(id)}`,
    `        cost: ${amountsText(costs)}`,
  ];
  return `${lines.join("\n")}\n`;
}

function amountsText(amounts: ReadonlyMap<ListedKind, Nano>): string {
  const parts = ORDER.flatMap((kind) => {
    const amount = amounts.get(kind);
    return amount === undefined ? [] : [`${kind}: "${formatRoubles(amount)}"`];
  });
  return `{ ${parts.join(", ")} }`;
}

/** So many percent more, rounded up. */
function marked(cost: Nano, { digits, scale }: Decimal): Nano {
  const whole = 10n ** BigInt(scale) * 100n;
  return nano(divideUp(cost * (whole + digits), whole));
}
