/** How much and how: then the browser goes to the payment service's page, and comes back here. */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useId } from "react";
import type { ReactNode } from "react";
import type { Billing, PaymentMethod, TopUpOrder } from "../../../../src/contract/panel/top-up.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { goToPayment } from "./go-to-payment.ts";
import { useBillingTexts } from "./use-billing-texts.ts";

interface TopUpFormProps {
  readonly billing: Billing;
  /** What is to be topped up by; null: nothing was said of it. */
  readonly asked: string | null;
}

export function TopUpForm({ billing, asked }: TopUpFormProps): ReactNode {
  const t = useBillingTexts();
  const { moneyWhole } = useFormats();
  const begin = useMutation({
    gcTime: 0,
    mutationFn: (order: TopUpOrder) => postApi("/top-ups", { body: order }),
    onSuccess: ({ redirectUrl }) => goToPayment(redirectUrl),
  });
  const { reset } = begin;
  useEffect(() => {
    // Back from the payment page, a browser may show this page as it was left: busy.
    const onShown = (event: PageTransitionEvent): void => {
      if (event.persisted) reset();
    };
    addEventListener("pageshow", onShown);
    return () => removeEventListener("pageshow", onShown);
  }, [reset]);
  const form = useForm(
    {
      amount: asked ?? billing.suggestedAmounts[0] ?? "",
      method: billing.methods[0] ?? "bank_card",
    },
    begin.error,
  );
  const { amount, method } = form.values;
  const [least, most] = [moneyWhole(billing.minAmount), moneyWhole(billing.maxAmount)];
  const own = ownWords(begin.error, {
    upstream_error: t.providerSilent,
    rate_limit_exceeded: t.tooManyOpen,
  });
  return (
    <Form
      onSubmit={() => {
        // Until the browser is gone, a second press would begin a second payment.
        if (!begin.isPending && !begin.isSuccess) begin.mutate({ amount, method });
      }}
      error={own === null ? begin.error : null}
    >
      {billing.sandbox ? <p className="banner banner-warn">{t.sandboxNote}</p> : null}
      {own === null ? null : (
        <p className="banner banner-danger" role="alert">
          {own}
        </p>
      )}
      <div className="columns">
        <div className="form">
          <div className="billing-amounts" role="group" aria-label={t.amounts}>
            {billing.suggestedAmounts.map((one) => (
              <Button
                key={one}
                aria-pressed={amount === one}
                onClick={() => form.set("amount", one)}
              >
                {moneyWhole(one)}
              </Button>
            ))}
          </div>
          <MoneyField
            label={t.amount}
            hint={t.amountHint(least, most)}
            required
            autoComplete="off"
            {...form.of("amount")}
            error={form.of("amount").error === undefined ? undefined : t.amountMistake(least, most)}
          />
        </div>
        <div className="form">
          <Methods
            methods={billing.methods}
            value={method}
            onChange={(chosen) => form.set("method", chosen)}
          />
          <div className="form-actions">
            <Button
              look="primary"
              type="submit"
              icon="wallet"
              busy={begin.isPending || begin.isSuccess}
            >
              {t.pay}
            </Button>
          </div>
          <p className="quiet small">{t.payNote}</p>
        </div>
      </div>
    </Form>
  );
}

interface MethodsProps {
  readonly methods: readonly PaymentMethod[];
  readonly value: PaymentMethod;
  onChange(method: PaymentMethod): void;
}

function Methods({ methods, value, onChange }: MethodsProps): ReactNode {
  const t = useBillingTexts();
  const name = useId();
  return (
    <fieldset className="field">
      <legend className="field-label">{t.method}</legend>
      <div className="billing-methods">
        {methods.map((method) => (
          <label key={method} className="billing-method">
            <input
              type="radio"
              name={name}
              checked={value === method}
              onChange={() => onChange(method)}
            />
            {t.methods[method] ?? method}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Null: the fault is told as any other. */
function ownWords(error: unknown, words: Readonly<Record<string, string>>): string | null {
  return error instanceof ApiError ? (words[error.code] ?? null) : null;
}
