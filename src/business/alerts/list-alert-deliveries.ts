/** The log of what an account's alerts sent, as the panel shows it. */
import type { AlertDelivery } from "../../contract/panel/alert.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { isUuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { readPage, type Page, type PageRequest } from "../../serving/read-page.ts";
import { listDeliveries, type LoggedDelivery } from "./delivery-log.store.ts";

/** Throws Fault("invalid_request") on a limit, cursor or alert that cannot be. */
export async function listAlertDeliveries(
  db: Db,
  accountId: Uuid,
  request: PageRequest & { readonly alertId?: string },
): Promise<Page<AlertDelivery>> {
  const ruleId = request.alertId ?? null;
  if (ruleId !== null && !isUuid(ruleId))
    throw new Fault("invalid_request", {
      message: "alertId: an alert's id is expected.",
      param: "alertId",
    });
  const { rows, next } = await readPage(
    request,
    (page) => listDeliveries(db, { ...page, accountId, ruleId }),
    (delivery) => delivery.deliveryId,
  );
  return { rows: rows.map(deliveryView), next };
}

function deliveryView(delivery: LoggedDelivery): AlertDelivery {
  const {
    deliveryId,
    ruleId,
    kind,
    channel,
    target,
    test,
    state,
    attempts,
    lastStatus,
    lastError,
  } = delivery;
  return {
    deliveryId,
    alertId: ruleId,
    kind,
    channel,
    to: target,
    test,
    state,
    firedAt: delivery.firedAt.toISOString(),
    value: formatRoubles(delivery.valueNano),
    threshold: formatRoubles(delivery.thresholdNano),
    attempts,
    lastAttemptAt: delivery.lastAt?.toISOString() ?? null,
    lastStatus,
    lastError,
    nextAttemptAt: delivery.dueAt?.toISOString() ?? null,
  };
}
