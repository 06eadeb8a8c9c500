/** How an upstream or a route stands, in a word and a colour: by its breaker and its errors. */
import type { ReactNode } from "react";
import { judgeErrors } from "../../../../src/contract/operator/upstream-judgement.ts";
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { Status } from "../../ui/status.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

const BREAKER_TONES = { closed: "good", resting: "warn", open: "bad" } as const;

interface UpstreamStateProps extends Pick<UpstreamHealth, "worst" | "out" | "figures"> {
  /** It is out because its upstream is. */
  readonly outWithUpstream?: boolean;
}

export function UpstreamState({
  worst,
  out,
  figures,
  outWithUpstream = false,
}: UpstreamStateProps): ReactNode {
  const t = useUpstreamTexts();
  const business = useBusinessTexts();
  const { listTime } = useFormats();
  if (out !== null) {
    return (
      <TwoLines
        detail={t.outUntil(listTime(out.until).text)}
        title={out.reason === null ? out.takenBy : t.outBy(out.takenBy, out.reason)}
      >
        <Status tone="neutral">{t.out}</Status>
      </TwoLines>
    );
  }
  if (outWithUpstream) return <Status tone="neutral">{t.outWithUpstream}</Status>;
  if (worst === "open" || worst === "resting")
    return <Status tone={BREAKER_TONES[worst]}>{business.breakers[worst]}</Status>;
  const judged = judgeErrors(figures.calls, figures.failed);
  if (judged !== null) return <Status tone={judged}>{t.judged[judged]}</Status>;
  if (figures.calls === 0) return <Status tone="neutral">{t.noCalls}</Status>;
  if (worst === null) return "—";
  // Too few calls to judge by: the breaker is all that is known.
  const tone = figures.failed === 0 ? "good" : "neutral";
  return <Status tone={tone}>{business.breakers[worst]}</Status>;
}
