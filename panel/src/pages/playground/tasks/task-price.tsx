/** What a task will cost, whether the money is there, and the button that orders it. */
import type { ReactNode } from "react";
import { useFormats } from "../../../i18n/locale.tsx";
import { Button } from "../../../ui/button.tsx";
import { Money } from "../../../ui/money.tsx";
import { PriceBar } from "../price-bar.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { TaskOrder } from "./use-task-order.ts";

export function TaskPrice({ order }: { readonly order: TaskOrder }): ReactNode {
  const t = usePlaygroundTexts();
  const { money } = useFormats();
  const { quote, mistakes, refusal } = order;
  const missing = mistakes.length > 0 && mistakes.every(({ code }) => code === "required");
  return (
    <PriceBar
      refusal={refusal}
      notAdmitted={quote?.refusal ?? null}
      words={
        quote === undefined ? (
          <span className="quiet">
            {mistakes.length === 0 ? t.priceWaiting : missing ? t.priceMissing : t.priceWrong}
          </span>
        ) : (
          <>
            <span>
              {t.price}:{" "}
              <b>
                <Money amount={quote.amount} />
              </b>
            </span>
            <span className="quiet small">
              {t.priceIfDone} {t.available}: <Money amount={quote.available} />
            </span>
          </>
        )
      }
    >
      <Button look="primary" type="submit" icon="play" busy={order.sending}>
        {quote === undefined ? t.order : t.orderFor(money(quote.amount))}
      </Button>
    </PriceBar>
  );
}
