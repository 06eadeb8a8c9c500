/** Credits an account or corrects its balance: once, however often the button is pressed. */
import { useState } from "react";
import type { ReactNode } from "react";
import { CREDIT_CLASSES, type CreditClass } from "../../../../src/contract/enums/credit-class.ts";
import { useAction } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useForm } from "../../ui/form.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { addAmounts, readAmount, sizeOfAmount } from "../../ui/operator/add-amounts.ts";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { newReference } from "../../ui/operator/new-reference.ts";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { ActionProps } from "./action-props.ts";
import { useAccountTexts } from "./use-account-texts.ts";

export function MoneyForm({
  kind,
  account,
  close,
}: ActionProps & { readonly kind: "credit" | "adjust" }): ReactNode {
  const t = useAccountTexts();
  const { money } = useFormats();
  const toasts = useToasts();
  // Of this opening of the dialog: what is sent again, after a lost answer too, is booked once.
  const [ref] = useState(newReference);
  const [creditClass, setCreditClass] = useState<CreditClass>("paid");
  const action = useAction(
    `/operator/accounts/{id}/${kind}`,
    { params: { id: account.accountId } },
    ({ outcome }, sent) => {
      const moved = money(sent.amount);
      toasts.done(
        outcome === "repeated"
          ? t.repeated
          : kind === "credit"
            ? t.creditDone(moved)
            : t.adjustDone(moved),
      );
      close();
    },
  );
  const form = useForm({ amount: "", reason: "" }, action.error);
  const { amount, reason } = form.values;
  const nano = readAmount(amount);
  const after = addAmounts(account.balance, amount);
  const most = leastOf(account.available, account.left[creditClass]);
  const left = readAmount(addAmounts(most, amount) ?? "0") ?? 0n;
  const tooMuch = nano !== null && nano < 0n && left < 0n;
  const given = nano !== null && nano !== 0n && after !== null;
  const size = given ? money(sizeOfAmount(amount)) : "";
  const wording =
    kind === "credit"
      ? t.doCredit(size)
      : nano !== null && nano < 0n
        ? t.doTake(size)
        : t.doGive(size);
  return (
    <ActionForm
      action={wording.trim()}
      busy={action.busy}
      error={action.error}
      danger={nano !== null && nano < 0n}
      effect={given && !tooMuch ? t.willBe(money(account.balance), money(after)) : null}
      ready={given && !tooMuch && reason.trim() !== ""}
      onSubmit={() => action.send({ amount, class: creditClass, reason: reason.trim(), ref })}
      onCancel={close}
    >
      <MoneyField
        label={kind === "credit" ? t.amount : t.amountSigned}
        negative={kind === "adjust"}
        required
        {...form.of("amount")}
        hint={kind === "adjust" ? t.amountSignedHint : undefined}
        {...(tooMuch ? { error: t.tooMuch(money(most)) } : {})}
      />
      <Select<CreditClass>
        label={t.creditClass}
        hint={t.creditClassHint}
        value={creditClass}
        onChange={setCreditClass}
        options={CREDIT_CLASSES.map((value) => ({ value, label: t.creditClasses[value] }))}
      />
      <TextArea
        label={t.reason}
        hint={t.reasonInLog}
        rows={2}
        maxLength={500}
        required
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

function leastOf(one: string, other: string): string {
  return (readAmount(one) ?? 0n) < (readAmount(other) ?? 0n) ? one : other;
}
