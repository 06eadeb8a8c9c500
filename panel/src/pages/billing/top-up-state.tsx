/** The state of a top-up in a word. */
import type { ReactNode } from "react";
import type { TopUp } from "../../../../src/contract/panel/top-up.ts";
import { useBillingTexts } from "./use-billing-texts.ts";
import { Status } from "../../ui/status.tsx";

const TONES = {
  created: "neutral",
  pending: "live",
  succeeded: "good",
  canceled: "neutral",
  failed: "bad",
} as const;

export function TopUpState({ state }: Pick<TopUp, "state">): ReactNode {
  const t = useBillingTexts();
  return <Status tone={TONES[state]}>{t.states[state] ?? state}</Status>;
}
