/** What became of the payment from whose page the browser came back, as it happens. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TopUp } from "../../../../src/contract/panel/top-up.ts";
import { billingQuery, isOpen, useTopUp } from "../../api/billing.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button, ButtonAnchor, ButtonLink } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { isWebAddress } from "./go-to-payment.ts";
import { useBillingTexts } from "./use-billing-texts.ts";

const TONES = {
  created: "",
  pending: "",
  succeeded: "banner-good",
  canceled: "banner-warn",
  failed: "banner-danger",
} as const;

interface TopUpNoticeProps {
  readonly topUpId: string;
  /** Absent on the page of the top-up itself. */
  readonly onClose?: () => void;
}

export function TopUpNotice({ topUpId, onClose }: TopUpNoticeProps): ReactNode {
  const t = useBillingTexts();
  const { query, resting, askAgain } = useTopUp(topUpId);
  if (query.data === undefined) {
    return query.error === null ? (
      <Skeleton height={96} />
    ) : (
      <ErrorState error={query.error} onRetry={askAgain} />
    );
  }
  const topUp = query.data;
  return (
    <section className={`banner billing-notice ${TONES[topUp.state]}`.trim()} aria-live="polite">
      <Words topUp={topUp} resting={resting} />
      <div className="row">
        {topUp.redirectUrl !== null && isWebAddress(topUp.redirectUrl) ? (
          <ButtonAnchor look="primary" small href={topUp.redirectUrl}>
            {t.goOnPaying}
          </ButtonAnchor>
        ) : null}
        {resting ? (
          <Button small icon="again" busy={query.isFetching} onClick={askAgain}>
            {t.check}
          </Button>
        ) : null}
        {onClose === undefined ? null : (
          <>
            <ButtonLink small look="ghost" to="/billing/top-ups/$id" params={{ id: topUpId }}>
              {t.details}
            </ButtonLink>
            {isOpen(topUp) ? null : (
              <Button small onClick={onClose}>
                {t.close}
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function Words({
  topUp,
  resting,
}: {
  readonly topUp: TopUp;
  readonly resting: boolean;
}): ReactNode {
  const t = useBillingTexts();
  const { money, moneyBrief } = useFormats();
  const billing = useQuery(billingQuery);
  const amount = money(topUp.amount);
  if (isOpen(topUp))
    return (
      <Notice
        title={t.waitingTitle(amount)}
        text={resting ? t.restingText : t.waitingText}
        busy={!resting}
      />
    );
  if (topUp.state === "succeeded") {
    const text =
      billing.data === undefined ? "" : t.creditedText(moneyBrief(billing.data.balance, "down"));
    return <Notice title={t.creditedTitle(amount)} text={text} />;
  }
  const title = topUp.state === "canceled" ? t.canceledTitle(amount) : t.failedTitle(amount);
  return (
    <Notice
      title={title}
      text={[t.reasons[topUp.reason ?? ""], t.nothingCredited].filter(Boolean).join(" ")}
    />
  );
}

function Notice({
  title,
  text,
  busy = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly busy?: boolean;
}): ReactNode {
  return (
    <div>
      <p className="billing-notice-title">
        {busy ? <span className="spinner" aria-hidden="true" /> : null}
        {title}
      </p>
      <p>{text}</p>
    </div>
  );
}
