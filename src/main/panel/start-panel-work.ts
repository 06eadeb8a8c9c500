/** The work behind the panel that nobody waits for: mail, alerts, payments. */
import type { PanelWorkDeps } from "./panel-deps.ts";
import { workAlerts } from "./work-alerts.ts";
import { workMail } from "./work-mail.ts";
import { workTopUps } from "./work-top-ups.ts";

export function startPanelWork(deps: PanelWorkDeps): { stop(): Promise<void> } {
  const works = [workMail(deps), workAlerts(deps), workTopUps(deps)];
  return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
}
