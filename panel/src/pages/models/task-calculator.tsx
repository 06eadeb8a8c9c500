/**
 * What a task costs by the parameters that its price depends on: asked of the gateway, which would
 * charge just that.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type {
  PanelTaskField,
  PanelTaskForm,
  PanelTaskQuote,
} from "../../../../src/contract/panel/panel-model.ts";
import { ApiError } from "../../api/api-error.ts";
import { postRaw } from "../../api/call-api.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { mistakeSentence } from "../../i18n/mistake-sentence.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Money } from "../../ui/money.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Select } from "../../ui/select.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import type { TaskPrice } from "./model-price.ts";
import { useModelsTexts } from "./use-models-texts.ts";

interface TaskCalculatorProps {
  readonly id: string;
  readonly price: TaskPrice;
  readonly form: PanelTaskForm;
}

type Values = Readonly<Record<string, unknown>>;

export function TaskCalculator({ id, price, form }: TaskCalculatorProps): ReactNode {
  const t = useModelsTexts();
  const fields = form.fields.filter(({ name }) => decides(price, name));
  // Fields of the example that the price does not depend on go with it as they are.
  const [values, setValues] = useState<Values>(() => ({
    ...defaultsOf(fields),
    ...form.examples.minimal,
  }));
  const asked = useDebounced(values);
  const unread = Object.values(values).some((value) => Number.isNaN(value));
  const quote = useQuery({
    queryKey: ["task-quote", id, asked],
    placeholderData: keepPreviousData,
    retry: false,
    enabled: !Object.values(asked).some((value) => Number.isNaN(value)),
    queryFn: () =>
      postRaw("/quote/tasks/{+model}", { params: { model: id }, body: given(form, asked) }),
  });
  const current = asked === values && !quote.isPlaceholderData;
  return (
    <Card title={t.calculator}>
      <p className="quiet">{fields.length === 0 ? t.fixedPrice : t.calculatorTask}</p>
      <div className="models-fields">
        {fields.map((field) => (
          <PriceField
            key={field.name}
            field={field}
            value={values[field.name]}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      {unread ? (
        <p className="models-cost" role="status">
          {t.cost}: —
        </p>
      ) : (
        <Cost quote={current ? quote.data : undefined} error={current ? quote.error : null} />
      )}
    </Card>
  );
}

function decides({ quantity, amounts, multiply }: TaskPrice, name: string): boolean {
  return (
    quantity === name || [...amounts, ...multiply].some(({ when }) => Object.hasOwn(when, name))
  );
}

function defaultsOf(fields: readonly PanelTaskField[]): Values {
  return Object.fromEntries(
    fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  );
}

/**
 * Without what was emptied: the API takes its default, and where it has none, the example's value
 * stands.
 */
function given({ fields, examples }: PanelTaskForm, values: Values): Values {
  const required = fields.flatMap(({ name, required: asked }) =>
    asked ? [[name, examples.minimal[name]] as const] : [],
  );
  const typed = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries([...required, ...typed]);
}

interface PriceFieldProps {
  readonly field: PanelTaskField;
  readonly value: unknown;
  onChange(value: unknown): void;
}

function PriceField({ field, value, onChange }: PriceFieldProps): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const label = field.title[language];
  if (field.kind === "flag")
    return <Checkbox label={label} checked={value === true} onChange={onChange} />;
  if (field.kind === "choice") {
    const options = (field.values ?? []).map((one) => ({ value: one, label: one }));
    return (
      <Select
        label={label}
        value={typeof value === "string" ? value : ""}
        options={
          field.required || field.default !== undefined
            ? options
            : [{ value: "", label: t.byExample }, ...options]
        }
        onChange={(chosen) => onChange(chosen === "" ? undefined : chosen)}
      />
    );
  }
  const { min, max } = field;
  const bounds =
    min !== undefined && max !== undefined ? t.between(String(min), String(max)) : undefined;
  return (
    <NumberField
      label={label}
      hint={bounds}
      decimal={field.kind === "number"}
      value={typeof value === "number" ? value : null}
      onChange={onChange}
    />
  );
}

function Cost({
  quote,
  error,
}: {
  readonly quote: PanelTaskQuote | undefined;
  readonly error: Error | null;
}): ReactNode {
  const t = useModelsTexts();
  const faults = useFaults();
  const { language } = useLocale();
  if (error !== null) {
    const mistakes =
      error instanceof ApiError
        ? error.errors.map((mistake) => mistakeSentence(language, mistake))
        : [];
    return (
      <div className="banner banner-warn" role="status">
        <span>
          {t.notPriced} {mistakes.length === 0 ? faults.sentence(error) : mistakes.join(" ")}
        </span>
      </div>
    );
  }
  return (
    <>
      <p className="models-cost" role="status">
        {t.cost}:{" "}
        {quote === undefined ? <span className="quiet">{t.counting}</span> : <Amount of={quote} />}
      </p>
      {quote === undefined || quote.admitted ? null : <p className="quiet small">{t.notEnough}</p>}
    </>
  );
}

function Amount({ of }: { readonly of: PanelTaskQuote }): ReactNode {
  return (
    <b>
      <Money amount={of.amount} />
    </b>
  );
}
