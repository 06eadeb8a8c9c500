/** The prices of a model: of each kind of token, or of a task by its parameters. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelTaskForm } from "../../../../src/contract/panel/panel-model.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import type { ChatPrice } from "./chat-cost.ts";
import type { TaskPrice } from "./model-price.ts";
import { useModelsTexts } from "./use-models-texts.ts";

const TOKENS = ["input", "cachedInput", "cacheWrite5m", "cacheWrite1h", "output", "reasoning"] as const;
const SINGLE = ["image", "request"] as const;

interface ChatLine {
  readonly kind: (typeof TOKENS | typeof SINGLE)[number];
  readonly amount: string;
  readonly each: boolean;
}

export function ChatPrices({ price }: { readonly price: ChatPrice }): ReactNode {
  const t = useModelsTexts();
  const columns = useMemo(
    (): readonly Column<ChatLine>[] => [
      { id: "what", header: t.what, cell: ({ kind }) => t.kinds[kind] },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: ({ amount, each }) => (
          <span>
            <Money amount={amount} /> <span className="quiet small">{each ? t.each : t.perMillion}</span>
          </span>
        ),
      },
    ],
    [t],
  );
  const rows = [
    ...TOKENS.map((kind) => ({ kind, amount: price[kind], each: false })),
    // What costs nothing by itself needs no line.
    ...SINGLE.filter((kind) => price[kind] !== "0").map((kind) => ({ kind, amount: price[kind], each: true })),
  ];
  return (
    <Card title={t.prices}>
      <DataTable caption={t.pricesCaption} columns={columns} rows={rows} rowKey={({ kind }) => kind} />
    </Card>
  );
}

type Conditions = Readonly<Record<string, string>>;

interface TaskPricesProps {
  readonly price: TaskPrice;
  readonly form: PanelTaskForm | null;
}

export function TaskPrices({ price, form }: TaskPricesProps): ReactNode {
  const t = useModelsTexts();
  const { language } = useLocale();
  const { decimal } = useFormats();
  const words = useMemo(() => {
    const titleOf = (name: string): string => form?.fields.find((field) => field.name === name)?.title[language] ?? name;
    const valueOf = (value: string): string => (value === "true" ? t.yes : value === "false" ? t.no : value);
    const sentence = (when: Conditions): string =>
      Object.entries(when)
        .map(([name, value]) => `${titleOf(name)}: ${valueOf(value)}`)
        .join(", ");
    return { titleOf, sentence };
  }, [form, language, t]);
  const columns = useMemo(
    (): readonly Column<TaskPrice["amounts"][number]>[] => [
      { id: "when", header: t.when, cell: ({ when }) => (Object.keys(when).length === 0 ? t.always : words.sentence(when)) },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: ({ amount }) => (
          <span>
            <Money amount={amount} /> <span className="quiet small">/ {t.units[price.unit] ?? price.unit}</span>
          </span>
        ),
      },
    ],
    [t, words, price.unit],
  );
  const byParameter = form?.fields.some(({ name }) => name === price.quantity) === true;
  return (
    <Card title={t.prices}>
      <DataTable caption={t.pricesCaption} columns={columns} rows={price.amounts} rowKey={({ when }) => JSON.stringify(when)} />
      {price.multiply.map(({ when, by }) => (
        <p key={JSON.stringify(when)}>{t.multiplied(decimal(by), words.sentence(when))}</p>
      ))}
      {byParameter ? <p className="quiet">{t.quantityIs(words.titleOf(price.quantity))}</p> : null}
    </Card>
  );
}
