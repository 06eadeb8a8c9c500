/** The foot of a form that spends: why it would be refused, the price before, and the button. */
import type { ReactNode } from "react";
import type { PlaygroundTaskQuote } from "../../../../src/contract/panel/playground.ts";
import type { ApiError } from "../../api/api-error.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { RefusalBanner } from "./refusal-banner.tsx";
import { usePlaygroundTexts } from "./use-playground-texts.ts";

interface PriceBarProps {
  /** Of the price or of the request itself. */
  readonly refusal: ApiError | null;
  /** Why the request would not be admitted now. */
  readonly notAdmitted: PlaygroundTaskQuote["refusal"];
  readonly words: ReactNode;
  /** What is pressed. */
  readonly children: ReactNode;
}

export function PriceBar({ refusal, notAdmitted, words, children }: PriceBarProps): ReactNode {
  const t = usePlaygroundTexts();
  const faults = useFaults();
  return (
    <div className="playground-price">
      {refusal === null ? null : <RefusalBanner error={refusal} />}
      {notAdmitted === null ? null : (
        <p className="banner banner-warn" role="status">
          {t.notAdmitted} {faults.reason(notAdmitted)}
        </p>
      )}
      <div className="playground-price-row">
        <div className="playground-price-words" aria-live="polite">
          {words}
        </div>
        {children}
      </div>
    </div>
  );
}
