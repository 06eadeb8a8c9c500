/**
 * Why a request or a task cost what it did, in words and figures of the list that it was priced by.
 */
import { explainTaskPrice, type ExplainedPrice } from "../../../contract/price/explain-price.ts";
import type { PriceReason } from "../../../contract/panel/panel-request.ts";
import { formatRoubles, type Nano } from "../../../kernel/money.ts";
import type { StoredReceipt } from "../../../usage/receipt-row.ts";
import type { TaskRecord } from "../../../tasks/task-record.ts";
import {
  explainReceipt,
  lineViews,
  multiplierViews,
  roublesText,
} from "../../requests/explain-receipt.ts";
import { FILES_PARAMETER } from "../../../serving/tasks/read-order.ts";
import type { PriceList } from "../../requests/price-history.ts";

/** Null where the list, or the model in it, is not known any more. */
export function chatPriceReason(list: PriceList, receipt: StoredReceipt): PriceReason | null {
  const explained = explainReceipt(list, receipt);
  return explained === null ? null : reasonOf(list, explained, receipt.chargedNano);
}

/** As it was settled: where the number of files counts, for those that were made. */
export function taskPriceReason(list: PriceList, task: TaskRecord): PriceReason | null {
  const found = list.catalogue?.models.get(task.model);
  if (found?.type !== "task") return null;
  const made =
    task.priceByFilesNano === null || task.result === null
      ? {}
      : { [FILES_PARAMETER]: task.result.files.length };
  const explained = explainTaskPrice(found.price, { ...task.parameters, ...made });
  return explained === null ? null : reasonOf(list, explained, task.chargedNano ?? (0n as Nano));
}

function reasonOf(
  list: PriceList,
  { lines, multipliers, tier, exact, priceNano }: ExplainedPrice,
  chargedNano: Nano,
): PriceReason {
  return {
    version: list.version,
    appliedAt: list.appliedAt.toISOString(),
    lines: lineViews(lines),
    multipliers: multiplierViews(multipliers),
    tier,
    exact: roublesText(exact),
    price: formatRoubles(priceNano),
    charged: formatRoubles(chargedNano),
  };
}
