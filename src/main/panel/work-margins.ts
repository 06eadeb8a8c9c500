/**
 * Sums up what was earned on each day once it is over, so that a report over months reads a few
 * rows.
 */
import { keepMargins } from "../../business/operate/keep-margins.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";
import { patientWork } from "./patient-work.ts";

const LOOK_MS = 10 * 60_000;

/** To be stopped; the day under way is broken off. */
export function workMargins(deps: PanelWorkDeps): { stop(): Promise<void> } {
  return patientWork(deps, {
    name: "margins",
    pauseMs: LOOK_MS,
    async run(openPatient) {
      const patient = openPatient();
      try {
        await keepMargins(patient);
      } finally {
        await patient.close();
      }
    },
  });
}
