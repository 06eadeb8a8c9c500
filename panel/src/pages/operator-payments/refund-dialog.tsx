/** Refunds of one payment: what there were, and a new one, whose effect is shown before it is made. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type {
  OperatorPayment,
  PaymentRefunds,
  RefundBody,
} from "../../../../src/contract/panel/operator-payments.ts";
import { useAction, useOperatorData, type Action } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { OperatorPaymentsTexts } from "../../i18n/texts/operator-payments.ru.ts";
import type { Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useForm } from "../../ui/form.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { addAmounts, readAmount } from "../../ui/operator/add-amounts.ts";
import { newReference } from "../../ui/operator/new-reference.ts";
import { Facts } from "../../ui/stat.tsx";
import { Status } from "../../ui/status.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { usePaymentTexts } from "./use-payment-texts.ts";

type Refund = PaymentRefunds["data"][number];

const TONES = {
  created: "live",
  pending: "live",
  succeeded: "good",
  canceled: "bad",
} as const satisfies Readonly<Record<Refund["state"], Tone>>;
const WAITING_MS = 2_000;
const REFUNDS = "/operator/payments/{id}/refunds";

export function RefundButton({ payment }: { readonly payment: OperatorPayment }): ReactNode {
  const t = usePaymentTexts();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  if (payment.state !== "succeeded") return null;
  const { accountName, accountId } = payment;
  return (
    <>
      <Button
        look="ghost"
        small
        onClick={() => {
          // What an earlier opening has read may be spent by now.
          client.removeQueries({ queryKey: [REFUNDS] });
          setOpen(true);
        }}
      >
        {isSome(payment.refundable) ? t.refund : t.refunds}
      </Button>
      <Dialog
        title={t.refundTitle(accountName ?? accountId)}
        description={t.refundText}
        open={open}
        onOpenChange={setOpen}
      >
        <Refunds payment={payment} close={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface RefundsProps {
  readonly payment: OperatorPayment;
  close(): void;
}

function Refunds({ payment, close }: RefundsProps): ReactNode {
  const t = usePaymentTexts();
  const { money } = useFormats();
  const toasts = useToasts();
  const action = useAction(REFUNDS, { params: { id: payment.paymentId } }, ({ state, amount }) => {
    // One that was refused stands in the list, with the reason.
    if (state === "canceled") return;
    toasts.done((state === "succeeded" ? t.refundDone : t.refundBegun)(money(amount)));
    close();
  });
  const query = useOperatorData(REFUNDS, {
    params: { id: payment.paymentId },
    everyMs: (now) => now?.data.some(({ endedAt }) => endedAt === null) === true && WAITING_MS,
  });
  return (
    <Loaded query={query}>
      {(refunds) => (
        <>
          <Facts
            items={[
              [t.paid, <Money key="p" amount={payment.amount} />],
              [t.refundLeft, <Money key="l" amount={refunds.left} />],
              [t.paidLeft, <Money key="b" amount={refunds.paidLeft} />],
            ]}
          />
          {refunds.data.length === 0 ? null : (
            <DataTable
              caption={t.refunds}
              columns={refundColumns(t)}
              rows={refunds.data}
              rowKey={({ refundId }) => refundId}
            />
          )}
          {!refunds.available ? (
            <p className="quiet">{t.refundElsewhere}</p>
          ) : isSome(refunds.left) ? (
            // After another refund what was typed is about what was left before it.
            <RefundForm key={refunds.data.length} action={action} refunds={refunds} close={close} />
          ) : (
            <p className="quiet">{t.refundNothing}</p>
          )}
        </>
      )}
    </Loaded>
  );
}

function refundColumns(t: OperatorPaymentsTexts): readonly Column<Refund>[] {
  return [
    {
      id: "at",
      header: t.refundAt,
      leads: true,
      cell: ({ createdAt, by }) => (
        <TwoLines detail={by}>
          <Time iso={createdAt} />
        </TwoLines>
      ),
    },
    {
      id: "state",
      header: t.state,
      cell: ({ state, failure, reason }) => (
        <TwoLines detail={failure === null ? reason : (t.failures[failure] ?? failure)}>
          <Status tone={TONES[state]}>{t.refundStates[state]}</Status>
        </TwoLines>
      ),
    },
    {
      id: "amount",
      header: t.amount,
      align: "end",
      cell: ({ amount }) => <Money amount={amount} />,
    },
  ];
}

interface RefundFormProps {
  readonly action: Action<RefundBody>;
  readonly refunds: PaymentRefunds;
  close(): void;
}

function RefundForm({
  action,
  refunds: { left, paidLeft, balance },
  close,
}: RefundFormProps): ReactNode {
  const t = usePaymentTexts();
  const { money } = useFormats();
  // Of this form: what is sent again, after a lost answer too, is one refund.
  const [ref] = useState(newReference);
  const form = useForm({ amount: left, reason: "" }, action.error);
  const { amount, reason } = form.values;
  const nano = readAmount(amount);
  const given = nano !== null && nano > 0n;
  const after = given ? addAmounts(balance, `-${amount}`) : null;
  const wrong =
    given && nano > (readAmount(left) ?? 0n)
      ? t.moreThanLeft(money(left))
      : given && nano > (readAmount(paidLeft) ?? 0n)
        ? t.spent(money(paidLeft))
        : null;
  const ready = given && wrong === null && after !== null;
  return (
    <ActionForm
      action={ready ? t.doRefund(money(amount)) : t.refund}
      busy={action.busy}
      error={action.error}
      danger
      effect={ready ? t.willBe(money(balance), money(after)) : null}
      ready={ready && reason.trim() !== ""}
      onSubmit={() => action.send({ amount, left, reason: reason.trim(), ref })}
      onCancel={close}
    >
      <MoneyField
        label={t.refundAmount}
        required
        {...form.of("amount")}
        {...(wrong === null ? {} : { error: wrong })}
      />
      <TextArea
        label={t.refundReason}
        hint={t.refundReasonHint}
        rows={2}
        maxLength={500}
        required
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

function isSome(amount: string): boolean {
  return (readAmount(amount) ?? 0n) > 0n;
}
