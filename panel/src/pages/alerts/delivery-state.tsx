/** Whether what was sent arrived, in a word. */
import type { ReactNode } from "react";
import type { AlertDelivery } from "../../../../src/contract/panel/alert.ts";
import { useAlertsTexts } from "./use-alerts-texts.ts";
import { Status } from "../../ui/status.tsx";

const TONES = { pending: "live", delivered: "good", given_up: "bad" } as const;

export function DeliveryState({ state }: Pick<AlertDelivery, "state">): ReactNode {
  const t = useAlertsTexts();
  return <Status tone={TONES[state]}>{t.deliveries[state]}</Status>;
}
