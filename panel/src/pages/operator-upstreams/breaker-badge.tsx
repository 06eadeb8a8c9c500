/** Whether an upstream is asked: its breaker, in a word. */
import type { ReactNode } from "react";
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { Status } from "../../ui/status.tsx";

const TONES = { closed: "good", resting: "warn", open: "bad" } as const;

export function BreakerBadge({ state }: { readonly state: UpstreamHealth["worst"] }): ReactNode {
  const t = useBusinessTexts();
  if (state === null) return "—";
  return <Status tone={TONES[state]}>{t.breakers[state]}</Status>;
}
