/**
 * The work behind the panel that no request waits for: mail, alerts, payments, sums, and whether
 * the books add up.
 */
import { keepMargins } from "../../business/operate/keep-margins.ts";
import { createSpendFolder } from "../../business/panel/account/fold-spend.ts";
import { every } from "../every.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";
import { patientWork } from "./patient-work.ts";
import { workAlerts } from "./work-alerts.ts";
import { workMail } from "./work-mail.ts";
import { workTopUps } from "./work-top-ups.ts";
import { workVerify } from "./work-verify.ts";

/** So far the sums are behind, at most; pages add what is missing by themselves. */
const SPEND_MS = 2_000;
/** Days are summed up once they are over. */
const MARGINS_MS = 10 * 60_000;

export function startPanelWork(deps: PanelWorkDeps): { stop(): Promise<void> } {
  const spend = createSpendFolder(deps.db);
  const works = [
    workMail(deps),
    workAlerts(deps),
    workTopUps(deps),
    every(
      SPEND_MS,
      async () => void (await spend.round()),
      (error) => deps.onError("spend could not be counted", error),
    ),
    patientWork(deps, {
      name: "margins",
      pauseMs: MARGINS_MS,
      async run(openPatient) {
        const patient = openPatient();
        try {
          await keepMargins(patient);
        } finally {
          await patient.close();
        }
      },
    }),
    workVerify(deps),
  ];
  return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
}
