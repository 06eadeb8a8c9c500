/** What a call can cost at most, what it was counted by, and the button that makes it. */
import type { ReactNode } from "react";
import { useFormats } from "../../../i18n/locale.tsx";
import { Button } from "../../../ui/button.tsx";
import { Money } from "../../../ui/money.tsx";
import { useReceiptTexts } from "../../../ui/receipt/use-receipt-texts.ts";
import { PriceBar } from "../price-bar.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { useCallsTexts } from "./use-calls-texts.ts";
import type { Call } from "./use-call.ts";

export function CallPrice({ call }: { readonly call: Call }): ReactNode {
  const t = usePlaygroundTexts();
  const own = useCallsTexts();
  const { units } = useReceiptTexts();
  const { money, decimal } = useFormats();
  const { quote, lacks, refusal, running } = call;
  const waiting =
    lacks === null
      ? refusal === null
        ? t.priceWaiting
        : t.noPrice
      : lacks === "values"
        ? t.priceMissing
        : t.priceWrong;
  return (
    <PriceBar
      refusal={refusal}
      notAdmitted={quote?.refusal ?? null}
      words={
        quote === undefined ? (
          <span className="quiet">{waiting}</span>
        ) : (
          <>
            <span>
              {own.atMost}{" "}
              <b>
                <Money amount={quote.hold} />
              </b>
            </span>
            <span className="quiet small">
              {quote.lines.map(
                ({ what, quantity }) => `${units[what] ?? what}: ${decimal(quantity)} · `,
              )}
              {t.available}: <Money amount={quote.available} brief="down" />
            </span>
          </>
        )
      }
    >
      <div className="row">
        {running ? (
          <Button icon="stop" onClick={() => call.stop()}>
            {t.stopAnswer}
          </Button>
        ) : null}
        {/* It stays in its place: the second press of a double click must hit nothing else. */}
        <Button look="primary" type="submit" icon="send" busy={running}>
          {quote === undefined ? t.send : own.sendFor(money(quote.hold))}
        </Button>
      </div>
    </PriceBar>
  );
}
