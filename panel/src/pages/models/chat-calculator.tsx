/** What a chat request of so many tokens costs, exactly. */
import { useState } from "react";
import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { chatCost } from "./chat-cost.ts";
import type { ChatPrice } from "./chat-cost.ts";
import { useModelsTexts } from "./use-models-texts.ts";

const FIRST = { inputTokens: 10_000, cachedTokens: 0, outputTokens: 1_000, requests: 1 };
const FIELDS = ["inputTokens", "cachedTokens", "outputTokens", "requests"] as const;

export function ChatCalculator({ price }: { readonly price: ChatPrice }): ReactNode {
  const t = useModelsTexts();
  const [counts, setCounts] = useState<Readonly<Record<(typeof FIELDS)[number], number | null>>>(FIRST);
  const countOf = (name: (typeof FIELDS)[number]): bigint => BigInt(Math.max(0, counts[name] ?? 0));
  const cachedInput = countOf("cachedTokens");
  const input = countOf("inputTokens") - cachedInput;
  return (
    <Card title={t.calculator}>
      <p className="quiet">{t.calculatorChat}</p>
      <div className="models-fields">
        {FIELDS.map((name) => (
          <NumberField
            key={name}
            label={t[name]}
            maxLength={12}
            value={counts[name]}
            error={name === "cachedTokens" && input < 0n ? t.cachedTooMany : undefined}
            onChange={(count) => setCounts((before) => ({ ...before, [name]: count }))}
          />
        ))}
      </div>
      <p className="models-cost" role="status">
        {t.cost}:{" "}
        <b>
          {input < 0n ? (
            "—"
          ) : (
            <Money amount={chatCost(price, { input, cachedInput, output: countOf("outputTokens"), requests: countOf("requests") })} />
          )}
        </b>
      </p>
      <p className="quiet small">{t.estimateNote}</p>
    </Card>
  );
}
