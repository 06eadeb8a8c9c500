/** What a chat request of so many tokens costs, exactly, with what makes it dearer. */
import { useState } from "react";
import type { ReactNode } from "react";
import { VARIANTS } from "./price-variants.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Select } from "../../ui/select.tsx";
import { chatCost } from "./chat-cost.ts";
import type { ChatPrice } from "./chat-cost.ts";
import { useModelsTexts } from "./use-models-texts.ts";

const FIRST = { inputTokens: 10_000, cachedTokens: 0, outputTokens: 1_000, requests: 1 };
const FIELDS = ["inputTokens", "cachedTokens", "outputTokens", "requests"] as const;

export function ChatCalculator({ price }: { readonly price: ChatPrice }): ReactNode {
  const t = useModelsTexts();
  const { count } = useFormats();
  const [counts, setCounts] =
    useState<Readonly<Record<(typeof FIELDS)[number], number | null>>>(FIRST);
  const [variants, setVariants] = useState<Readonly<Record<string, string>>>({});
  const unread = FIELDS.some((name) => Number.isNaN(counts[name]));
  const countOf = (name: (typeof FIELDS)[number]): bigint =>
    BigInt(unread ? 0 : Math.max(0, counts[name] ?? 0));
  const cachedInput = countOf("cachedTokens");
  const input = countOf("inputTokens") - cachedInput;
  const asked = Object.fromEntries(Object.entries(variants).filter(([, value]) => value !== ""));
  const tokens = {
    input,
    cachedInput,
    output: countOf("outputTokens"),
    requests: countOf("requests"),
    variants: asked,
  };
  const cost = unread || input < 0n ? null : chatCost(price, tokens);
  return (
    <Card title={t.calculator}>
      <p className="quiet">{t.calculatorChat}</p>
      <div className="models-fields">
        {FIELDS.map((name) => (
          <NumberField
            key={name}
            label={t[name]}
            value={counts[name]}
            error={name === "cachedTokens" && input < 0n ? t.cachedTooMany : undefined}
            onChange={(next) => setCounts((before) => ({ ...before, [name]: next }))}
          />
        ))}
        {VARIANTS.map((field) => {
          const values = Object.keys(price.surcharges?.[field] ?? {});
          return values.length === 0 ? null : (
            <Select
              key={field}
              label={t.variants[field]}
              value={variants[field] ?? ""}
              options={[
                { value: "", label: t.ordinary },
                ...values.map((value) => ({ value, label: value })),
              ]}
              onChange={(value) => setVariants((before) => ({ ...before, [field]: value }))}
            />
          );
        })}
      </div>
      <p className="models-cost" role="status">
        {t.cost}: <b>{cost === null ? "—" : <Money amount={cost.amount} />}</b>
      </p>
      {cost === null || cost.tier === null ? null : (
        <p className="quiet small">{t.tierCounts(cost.tier, count(cost.tier))}</p>
      )}
      <p className="quiet small">{t.estimateNote}</p>
    </Card>
  );
}
