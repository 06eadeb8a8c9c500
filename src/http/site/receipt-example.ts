/** A request and the receipt that it would get, at the current price of a real model. */
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { compileTariff } from "../../contract/price/compile-tariff.ts";
import { decimalText, type Decimal } from "../../contract/price/decimal.ts";
import { explainChatPrice } from "../../contract/price/explain-price.ts";
import { priceChatAtMost } from "../../contract/price/price-chat.ts";
import { formatRoubles, nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";

/** As the texts of the page say. */
const USAGE = { ...NO_USAGE, inputTokens: 53, outputTokens: 62 };
/** What the example's request asks for at most. */
export const MOST_TOKENS = 1000;
const NANO_DIGITS = 9;

export interface ExampleReceipt {
  readonly model: PanelModel;
  /** Amounts are decimal roubles, exact. */
  readonly lines: readonly {
    readonly what: string;
    readonly quantity: string;
    /** For a million tokens; null: for one of it. */
    readonly perMillion: string | null;
    readonly amount: string;
  }[];
  readonly charged: string;
  /** The most that the request could cost, which no hold is above. */
  readonly heldAtMost: string;
  readonly returnedAtMost: string;
  /** Of the two before, 0 to 1. */
  readonly share: number;
}

/** Null: no model answers chats. */
export function exampleReceipt(models: readonly PanelModel[]): ExampleReceipt | null {
  const model = models.find(({ endpoints }) => endpoints.includes("chat.completions"));
  if (model === undefined || model.price.kind !== "chat") return null;
  const { kind: _kind, ...price } = model.price;
  const tariff = compileTariff(price);
  const { lines, priceNano } = explainChatPrice(tariff, USAGE);
  const bound = { inputTokens: USAGE.inputTokens, images: 0, cacheTtl: "none" } as const;
  const most = priceChatAtMost(tariff, bound, MOST_TOKENS);
  return {
    model,
    lines: lines.map(({ what, quantity, unitNano, per, amount }) => ({
      what,
      quantity: decimalText(quantity),
      perMillion: per === "1M tokens" ? formatRoubles(unitNano) : null,
      amount: roublesOf(amount),
    })),
    charged: formatRoubles(priceNano),
    heldAtMost: formatRoubles(most),
    returnedAtMost: formatRoubles(nano(most - priceNano)),
    // not money: how long a bar is
    share: most === 0n ? 1 : Number((priceNano * 10_000n) / most) / 10_000,
  };
}

/** Of nano-roubles, exact. */
function roublesOf({ digits, scale }: Decimal): string {
  return decimalText({ digits, scale: scale + NANO_DIGITS });
}
