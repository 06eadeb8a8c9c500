/**
 * Looks whether spend alerts are due, and delivers their webhooks; their mails go with all others.
 */
import { sweepDeliveries } from "../../business/alerts/deliveries.store.ts";
import { sweepSpend } from "../../business/alerts/looks.store.ts";
import { createAlertWebhooks } from "../../business/alerts/alert-webhooks.ts";
import { createAlertWork } from "../../business/alerts/alert-work.ts";
import { countBy } from "../../http/count-by.ts";
import { every } from "../every.ts";
import { watchedAlertDeps, type AlertParts } from "./open-alerts.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";

const LOOK_MS = 5_000;
const WEBHOOKS_MS = 1_000;
const SWEEP_MS = 3_600_000;
/** As long as mail is remembered. */
const KEPT_DAYS = 30;

/** To be stopped; what is under way is finished. */
export function workAlerts(
  deps: AlertParts & Pick<PanelWorkDeps, "safeFetch" | "signing" | "onError">,
  { lookMs }: { readonly lookMs: number } = { lookMs: LOOK_MS },
): { stop(): Promise<void> } {
  const { db, clock, metrics, safeFetch, signing, onError } = deps;
  const work = createAlertWork({ ...watchedAlertDeps(deps), onError });
  const webhooks = createAlertWebhooks({
    db,
    clock,
    safeFetch,
    signing,
    onTried: countBy(metrics, {
      name: "alert_webhooks",
      help: "Tries to deliver webhooks of alerts, by outcome.",
      label: "outcome",
    }),
    onError,
  });
  const repeaters = [
    every(
      lookMs,
      () => work.tick(),
      (error) => onError("accounts could not be looked at for their alerts", error),
    ),
    every(
      WEBHOOKS_MS,
      () => webhooks.tick(),
      (error) => onError("webhooks of alerts could not be looked for", error),
    ),
    every(
      SWEEP_MS,
      async () => {
        await sweepSpend(db);
        await sweepDeliveries(db, KEPT_DAYS);
      },
      (error) => onError("old alerts could not be removed", error),
    ),
  ];
  return {
    async stop() {
      work.stop();
      await Promise.all(repeaters.map((repeater) => repeater.stop()));
      await webhooks.stop();
    },
  };
}
