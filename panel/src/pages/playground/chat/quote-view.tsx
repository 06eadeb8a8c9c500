/** The price of a message before it is sent, and why it would be refused. */
import type { ReactNode } from "react";
import { useFormats } from "../../../i18n/locale.tsx";
import { useFaults } from "../../../i18n/use-faults.ts";
import { Money } from "../../../ui/money.tsx";
import { RefusalBanner } from "../refusal-banner.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { ChatQuote } from "./use-chat-quote.ts";
import { useChatTexts } from "./use-chat-texts.ts";

interface QuoteProps {
  readonly quote: ChatQuote;
}

/** Beside the button that sends. */
export function QuoteWords({ quote }: QuoteProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const { count } = useFormats();
  const { state, models, estimate, inputTokens, available } = quote;
  return (
    <p className="chat-quote small" aria-live="polite">
      {state === "waiting" ? <span className="quiet">{t.priceWaiting}</span> : null}
      {state === "failed" ? <span className="quiet">{t.noPrice}</span> : null}
      {state === "priced" ? (
        <>
          <span title={t.estimateNote}>
            {models > 1 ? own.estimateOfTwo : t.estimate}{" "}
            <b>
              <Money amount={estimate} />
            </b>
          </span>
          <span className="quiet">
            {t.inputTokens(inputTokens, count(inputTokens))}
            <span className="only-wide">
              {" · "}
              {t.available}: <Money amount={available} brief="down" />
            </span>
          </span>
        </>
      ) : null}
    </p>
  );
}

export function QuoteRefusals({ quote: { state, refusal, notAdmitted } }: QuoteProps): ReactNode {
  const t = usePlaygroundTexts();
  const faults = useFaults();
  return (
    <>
      {state === "failed" && refusal !== null ? <RefusalBanner error={refusal} /> : null}
      {state === "priced" && notAdmitted !== null ? (
        <p className="banner banner-warn" role="status">
          {t.notAdmitted} {faults.reason(notAdmitted)}
        </p>
      ) : null}
    </>
  );
}
