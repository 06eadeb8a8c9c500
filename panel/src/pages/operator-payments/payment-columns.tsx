/** What the list of payments tells of each. */
import type { OperatorPayment } from "../../../../src/contract/panel/operator-payments.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { OperatorPaymentsTexts } from "../../i18n/texts/operator-payments.ru.ts";
import type { Tone } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { Status } from "../../ui/status.tsx";
import { RowTime } from "../../ui/time.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { RefundButton } from "./refund-dialog.tsx";

const TONES = {
  created: "neutral",
  pending: "live",
  succeeded: "good",
  canceled: "neutral",
  failed: "bad",
} as const satisfies Readonly<Record<OperatorPayment["state"], Tone>>;

export function paymentColumns(
  t: OperatorPaymentsTexts,
  { zone, moneyBrief }: Formats,
): readonly Column<OperatorPayment>[] {
  return [
    {
      id: "at",
      header: t.at(zone()),
      leads: true,
      cell: ({ createdAt }) => <RowTime iso={createdAt} />,
    },
    {
      id: "account",
      header: t.account,
      share: 24,
      cell: ({ accountId, accountName, createdBy }) => (
        <TwoLines title={accountName ?? accountId} detail={createdBy ?? t.somebody}>
          <AccountLink accountId={accountId} name={accountName} />
        </TwoLines>
      ),
    },
    {
      id: "state",
      header: t.state,
      share: 20,
      cell: ({ state, reason }) => (
        <TwoLines
          detail={reason === null ? "" : (t.reasons[reason] ?? reason)}
          title={reason === "mismatch" ? t.mismatchNote : undefined}
        >
          <Status tone={TONES[state]}>{t.states[state]}</Status>
        </TwoLines>
      ),
    },
    {
      id: "method",
      header: t.method,
      cell: ({ method, provider }) => (
        <TwoLines detail={provider === "sandbox" ? t.sandbox : provider}>
          {t.methods[method] ?? method}
        </TwoLines>
      ),
    },
    {
      id: "number",
      header: t.providerNumber,
      share: 22,
      cell: ({ providerPaymentId }) =>
        providerPaymentId === null ? (
          <span className="quiet">{t.noNumber}</span>
        ) : (
          <span className="operator-number" title={providerPaymentId}>
            <CopyButton text={providerPaymentId} label={t.providerNumber} bare />
            <code>{providerPaymentId}</code>
          </span>
        ),
    },
    {
      id: "amount",
      header: t.amount,
      align: "end",
      cell: ({ amount, refunded, refundedElsewhere }) => (
        <span className="operator-pair">
          <Money amount={amount} />
          {/[1-9]/.test(refunded) ? (
            <span className="small nowrap">{t.refunded(moneyBrief(refunded, "up"))}</span>
          ) : null}
          {/[1-9]/.test(refundedElsewhere) ? (
            <span className="status-warn small nowrap" title={t.refundedNote}>
              {t.refundedElsewhere(moneyBrief(refundedElsewhere, "up"))}
            </span>
          ) : null}
        </span>
      ),
    },
    {
      id: "refund",
      header: "",
      align: "end",
      cell: (payment) => <RefundButton payment={payment} />,
    },
  ];
}
