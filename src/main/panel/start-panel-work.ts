/**
 * The work behind the panel that no request waits for: mail, alerts, the operator's bot, balances with providers,
 * payments, what days earned,
 * and whether the books add up.
 */
import { runVerification } from "../../business/operate/run-verification.ts";
import { keepMargins } from "../../business/operate/keep-margins.ts";
import { keepDays } from "../../business/panel/account/keep-days.ts";
import { tellOperators } from "../../business/watch/tell-operators.ts";
import { reportParked } from "../../http/report-parked.ts";
import { reportVerification } from "../../http/report-verification.ts";
import { createSeal } from "../../kernel/seal.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import { takeUnreported } from "../../usage/parked.store.ts";
import { countParked } from "../../usage/receipts.store.ts";
import type { Parts } from "../parts.ts";
import { workAlerts } from "./open-alerts.ts";
import { workBalances } from "./work-balances.ts";
import { openPayments } from "./open-payments.ts";
import { workTelegram } from "./open-telegram.ts";
import { workTopUps } from "./open-top-ups.ts";
import { patientWork } from "./patient-work.ts";
import { workMail } from "./work-mail.ts";

/** Days are summed up once they are over. */
const MARGINS_MS = 10 * 60_000;
/** How late a verification that an operator asked for begins; without that, there is one an hour. */
const VERIFY_MS = 5_000;
const PARKED_MS = 5_000;
const COUNT_MS = 15_000;
const WATCH_MS = 10_000;

export function startPanelWork(parts: Parts): Repeater {
  const onVerified = reportVerification(parts);
  const onParked = reportParked(parts);
  let parked = 0;
  parts.metrics.watch({
    name: "receipts_parked",
    help: "Receipts that could not be written and wait in usage.parked; their money is settled.",
    together: "max",
    read: () => parked,
  });
  const works = [
    workMail(parts),
    workAlerts(parts),
    workTelegram(parts),
    workBalances(parts),
    workTopUps(parts, openPayments(parts)),
    repeat(parts.onError, {
      "operators could not be told of troubles": [
        WATCH_MS,
        () => tellOperators({ ...parts, seal: createSeal(parts.sessionSecret) }),
      ],
      "parked receipts could not be reported": [
        PARKED_MS,
        async () => (await takeUnreported(parts.db)).forEach(onParked),
      ],
      "parked receipts could not be counted": [
        COUNT_MS,
        async () => (parked = await countParked(parts.db)),
      ],
    }),
    patientWork(parts, {
      name: "days",
      pauseMs: MARGINS_MS,
      async run(openPatient) {
        const patient = openPatient();
        try {
          await keepDays(patient);
          await keepMargins(patient);
        } finally {
          await patient.close();
        }
      },
    }),
    patientWork(parts, {
      name: "verify",
      pauseMs: VERIFY_MS,
      // Broken off at a stop, it is begun anew by the process that works next.
      run: async (openPatient) =>
        void (await runVerification({ ...parts, openPatient, onVerified })),
    }),
  ];
  return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
}
