/**
 * The work behind the panel that no request waits for: mail, alerts, payments, sums, and whether
 * the books add up.
 */
import type { PanelWorkDeps } from "./panel-deps.ts";
import { workAlerts } from "./work-alerts.ts";
import { workMargins } from "./work-margins.ts";
import { workMail } from "./work-mail.ts";
import { workSpend } from "./work-spend.ts";
import { workTopUps } from "./work-top-ups.ts";
import { workVerify } from "./work-verify.ts";

export function startPanelWork(deps: PanelWorkDeps): { stop(): Promise<void> } {
  const works = [
    workMail(deps),
    workAlerts(deps),
    workTopUps(deps),
    workSpend(deps),
    workMargins(deps),
    workVerify(deps),
  ];
  return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
}
