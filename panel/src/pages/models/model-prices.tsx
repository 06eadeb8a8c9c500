/** The prices of a model: of each kind of token, or of a task by its parameters. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelTaskForm } from "../../../../src/contract/panel/panel-model.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EACH_KINDS, TOKEN_KINDS } from "../../../../src/contract/price/chat-price.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import type { ChatPrice } from "./chat-cost.ts";
import type { TaskPrice } from "./model-price.ts";
import { VARIANTS } from "./price-variants.ts";
import { useModelsTexts } from "./use-models-texts.ts";

interface ChatLine {
  readonly kind: (typeof TOKEN_KINDS | typeof EACH_KINDS)[number];
  readonly amount: string;
  readonly each: boolean;
}

export function ChatPrices({ price }: { readonly price: ChatPrice }): ReactNode {
  const t = useModelsTexts();
  const { count } = useFormats();
  return (
    <Card title={t.prices}>
      <KindPrices caption={t.pricesCaption} price={price} />
      {(price.tiers ?? []).map((tier) => (
        <PriceList
          key={tier.abovePromptTokens}
          title={t.tier(tier.abovePromptTokens, count(tier.abovePromptTokens))}
          price={tier.price}
        />
      ))}
      <Surcharges price={price} />
    </Card>
  );
}

function PriceList({
  title,
  price,
}: {
  readonly title: string;
  readonly price: KindAmounts;
}): ReactNode {
  return (
    <div>
      <h3>{title}</h3>
      <KindPrices caption={title} price={price} />
    </div>
  );
}

/** What makes a request dearer: by another price, by a factor, or by the call of a tool. */
function Surcharges({ price: { surcharges } }: { readonly price: ChatPrice }): ReactNode {
  const t = useModelsTexts();
  const { money, decimal, count } = useFormats();
  if (surcharges === undefined) return null;
  const values = VARIANTS.flatMap((field) =>
    Object.entries(surcharges[field] ?? {}).map(([value, variant]) => ({ field, value, variant })),
  );
  const tools = Object.entries(surcharges.tools ?? {});
  return (
    <>
      {values.map(({ field, value, variant: { multiply, price, tiers } }) => {
        const name = `${t.variants[field]}: ${value}`;
        if (price === undefined)
          return <p key={name}>{t.multiplied(decimal(multiply ?? "1"), name)}</p>;
        return (
          <div key={name}>
            <PriceList title={name} price={price} />
            {(tiers ?? []).map((tier) => (
              <PriceList
                key={tier.abovePromptTokens}
                title={`${name}, ${t.tier(tier.abovePromptTokens, count(tier.abovePromptTokens))}`}
                price={tier.price}
              />
            ))}
          </div>
        );
      })}
      {tools.map(([tool, { perCall = "0", perRequest = "0" }]) => (
        <p key={tool}>
          <code>{tool}</code>:{" "}
          {[
            perCall === "0" ? "" : t.perCall(money(perCall)),
            perRequest === "0" ? "" : t.perRequest(money(perRequest)),
          ]
            .filter((one) => one !== "")
            .join(", ")}
        </p>
      ))}
    </>
  );
}

type KindAmounts = Readonly<Partial<Record<ChatLine["kind"], string | undefined>>>;

function KindPrices({
  caption,
  price,
}: {
  readonly caption: string;
  readonly price: KindAmounts;
}): ReactNode {
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
            <Money amount={amount} />{" "}
            <span className="quiet small">{each ? t.each : t.perMillion}</span>
          </span>
        ),
      },
    ],
    [t],
  );
  const line = (kind: ChatLine["kind"], each: boolean): readonly ChatLine[] => {
    const amount = price[kind];
    // What costs nothing by itself needs no line.
    return amount === undefined || (each && amount === "0") ? [] : [{ kind, amount, each }];
  };
  const rows = [
    ...TOKEN_KINDS.flatMap((kind) => line(kind, false)),
    ...EACH_KINDS.flatMap((kind) => line(kind, true)),
  ];
  return <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ kind }) => kind} />;
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
    const titleOf = (name: string): string =>
      form?.fields.find((field) => field.name === name)?.title[language] ?? name;
    const valueOf = (value: string): string =>
      value === "true" ? t.yes : value === "false" ? t.no : value;
    const sentence = (when: Conditions): string =>
      Object.entries(when)
        .map(([name, value]) => `${titleOf(name)}: ${valueOf(value)}`)
        .join(", ");
    return { titleOf, sentence };
  }, [form, language, t]);
  const columns = useMemo(
    (): readonly Column<TaskPrice["amounts"][number]>[] => [
      {
        id: "when",
        header: t.when,
        cell: ({ when }) => (Object.keys(when).length === 0 ? t.always : words.sentence(when)),
      },
      {
        id: "price",
        header: t.price,
        align: "end",
        cell: ({ amount }) => (
          <span>
            <Money amount={amount} />{" "}
            <span className="quiet small">/ {t.units[price.unit] ?? price.unit}</span>
          </span>
        ),
      },
    ],
    [t, words, price.unit],
  );
  const byParameter = form?.fields.some(({ name }) => name === price.quantity) === true;
  return (
    <Card title={t.prices}>
      <DataTable
        caption={t.pricesCaption}
        columns={columns}
        rows={price.amounts}
        rowKey={({ when }) => JSON.stringify(when)}
      />
      {price.multiply.map(({ when, by }) => (
        <p key={JSON.stringify(when)}>{t.multiplied(decimal(by), words.sentence(when))}</p>
      ))}
      {byParameter ? <p className="quiet">{t.quantityIs(words.titleOf(price.quantity))}</p> : null}
    </Card>
  );
}
