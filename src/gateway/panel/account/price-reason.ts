/** Why a request or a task cost what it did, in words and figures of the list that it was priced by. */
import type { Decimal } from "../../../catalogue/catalogue.ts";
import { decimalText } from "../../../catalogue/decimal.ts";
import { explainChatPrice, explainTaskPrice, type ExplainedPrice } from "../../../catalogue/explain-price.ts";
import type { PriceReason } from "../../../contract/panel/panel-request.ts";
import { formatRoubles, type Nano } from "../../../kernel/money.ts";
import type { TokenUsage } from "../../../kernel/token-usage.ts";
import type { TaskRecord } from "../../../tasks/task-record.ts";
import { FILES_PARAMETER } from "../../tasks/read-order.ts";
import type { PriceList } from "./price-history.ts";

/** Null where the list, or the model in it, is not known any more. */
export function chatPriceReason(list: PriceList, model: string, usage: TokenUsage, chargedNano: Nano): PriceReason | null {
  const found = list.catalogue?.models.get(model);
  return found?.type === "chat" ? reasonOf(list, explainChatPrice(found.price, usage), chargedNano) : null;
}

/** As it was settled: where the number of files counts, for those that were made. */
export function taskPriceReason(list: PriceList, task: TaskRecord): PriceReason | null {
  const found = list.catalogue?.models.get(task.model);
  if (found?.type !== "task") return null;
  const made = task.priceByFilesNano === null || task.result === null ? {} : { [FILES_PARAMETER]: task.result.files.length };
  const explained = explainTaskPrice(found.price, { ...task.parameters, ...made });
  return explained === null ? null : reasonOf(list, explained, task.chargedNano ?? (0n as Nano));
}

function reasonOf(list: PriceList, { lines, multipliers, exact, priceNano }: ExplainedPrice, chargedNano: Nano): PriceReason {
  return {
    version: list.version,
    appliedAt: list.appliedAt.toISOString(),
    lines: lines.map(({ what, quantity, unitNano, per, amount }) => ({
      what,
      quantity: decimalText(quantity),
      unitPrice: formatRoubles(unitNano),
      per,
      amount: decimalText(inRoubles(amount)),
    })),
    multipliers: multipliers.map(({ by, when }) => ({ by: decimalText(by), when: Object.fromEntries(when) })),
    exact: decimalText(inRoubles(exact)),
    price: formatRoubles(priceNano),
    charged: formatRoubles(chargedNano),
  };
}

function inRoubles({ digits, scale }: Decimal): Decimal {
  return { digits, scale: scale + 9 };
}
