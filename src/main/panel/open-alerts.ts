/** Spend alerts: put together for the panel, and the work that looks whether one is due. */
import type { AlertDeps } from "../../business/alerts/alert-deps.ts";
import { createAlertWebhooks } from "../../business/alerts/alert-webhooks.ts";
import { createAlertWork } from "../../business/alerts/alert-work.ts";
import { sweepDeliveries } from "../../business/alerts/deliveries.store.ts";
import { sweepSpend } from "../../business/alerts/looks.store.ts";
import type { ManageDeps } from "../../business/alerts/manage-alerts.ts";
import { countBy } from "../../http/count-by.ts";
import { createSeal } from "../../kernel/seal.ts";
import { checkUrl } from "../../net/check-url.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import type { Parts } from "../parts.ts";

type AlertParts = Pick<
  Parts,
  | "config"
  | "db"
  | "clock"
  | "metrics"
  | "sessionSecret"
  | "baseUrl"
  | "safeFetch"
  | "signing"
  | "onError"
>;

const LOOK_MS = 5_000;
const WEBHOOKS_MS = 2_500;
const SWEEP_MS = 3_600_000;
/** As long as mail is remembered. */
const KEPT_DAYS = 30;

export function openAlerts(parts: AlertParts): ManageDeps {
  return {
    ...alertDeps(parts, () => undefined),
    checkUrl: (text) => checkUrl(text, { allow: parts.config.fetchAllow }),
  };
}

/**
 * Looks for crossings and delivers webhooks of alerts; their mails go with all others. To be
 * stopped; what is under way is finished.
 */
export function workAlerts(
  parts: AlertParts,
  { lookMs }: { readonly lookMs: number } = { lookMs: LOOK_MS },
): Repeater {
  const { db, metrics, onError } = parts;
  const fired = countBy(metrics, {
    name: "alerts_fired",
    help: "Spend alerts that fired, by kind.",
    label: "kind",
  });
  const work = createAlertWork({ ...alertDeps(parts, fired), onError });
  const webhooks = createAlertWebhooks({
    ...parts,
    onTried: countBy(metrics, {
      name: "alert_webhooks",
      help: "Tries to deliver webhooks of alerts, by outcome.",
      label: "outcome",
    }),
  });
  const repeater = repeat(onError, {
    "accounts could not be looked at for their alerts": [lookMs, () => work.tick()],
    "webhooks of alerts could not be looked for": [WEBHOOKS_MS, () => webhooks.tick()],
    "old alerts could not be removed": [
      SWEEP_MS,
      async () => {
        await sweepSpend(db);
        await sweepDeliveries(db, KEPT_DAYS);
      },
    ],
  });
  return {
    async stop() {
      work.stop();
      await repeater.stop();
      await webhooks.stop();
    },
  };
}

function alertDeps(
  { db, clock, sessionSecret, baseUrl }: AlertParts,
  onFired: AlertDeps["onFired"],
): AlertDeps {
  return { db, clock, seal: createSeal(sessionSecret), baseUrl, onFired };
}
