/** What the list of models tells of each. */
import { Link } from "@tanstack/react-router";
import type { Language } from "../../../../src/contract/enums/language.ts";
import type { PanelModel, PanelModelStatus } from "../../../../src/contract/panel/panel-model.ts";
import { pricePlaces } from "../../i18n/format-money.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import type { Column } from "../../ui/data-table.tsx";
import { DayStrip } from "../../ui/day-strip.tsx";
import { toUnits } from "../../ui/decimal.ts";
import { Price } from "../../ui/money.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { answeredWords, isKnown } from "./answered-words.ts";
import type { Comparing } from "./comparing.ts";
import { callPriceLine, cheapest, taskPriceLine } from "./model-price.ts";

function nameColumn(t: ModelsTexts, header = t.model): Column<PanelModel> {
  return {
    id: "model",
    header,
    leads: true,
    sortBy: ({ displayName }) => displayName,
    cell: ({ id, displayName }) => (
      <TwoLines detail={<code>{id}</code>}>
        <Link className="row-link" to="/models/$" params={{ _splat: id }}>
          {displayName}
        </Link>
      </TwoLines>
    ),
  };
}

/** What a list of chat models is made of. */
interface ChatList {
  readonly models: readonly PanelModel[];
  statusOf(id: string): PanelModelStatus | undefined;
  readonly comparing: Comparing;
}

export function chatColumns(
  t: ModelsTexts,
  formats: Formats,
  { models, statusOf, comparing }: ChatList,
): readonly Column<PanelModel>[] {
  const { countBrief, duration } = formats;
  const amountOf = ({ price }: PanelModel, id: PriceKind): string | null =>
    price.kind !== "chat" || (id === "cachedInput" && price.cachedInput === price.input)
      ? null
      : price[id];
  const priceColumn = (id: PriceKind): Column<PanelModel> => {
    const places = pricePlaces(models.flatMap((model) => amountOf(model, id) ?? []));
    return {
      id,
      header: t.listPrices[id],
      align: "end",
      sortBy: (model) => toUnits(amountOf(model, id) ?? "0"),
      cell: (model) => {
        const amount = amountOf(model, id);
        return amount === null ? (
          <span className="quiet">—</span>
        ) : (
          <Price amount={amount} places={places} />
        );
      },
    };
  };
  const statuses = models.flatMap(({ id }) => statusOf(id) ?? []);
  const fares: readonly Column<PanelModel>[] = [
    ...(statuses.some(({ firstTokenMs }) => firstTokenMs !== null)
      ? [
          {
            id: "first",
            header: t.firstTokenShort,
            align: "end" as const,
            sortBy: ({ id }: PanelModel) => statusOf(id)?.firstTokenMs ?? Infinity,
            cell: ({ id }: PanelModel) => {
              const ms = statusOf(id)?.firstTokenMs ?? null;
              return <span className="figure">{ms === null ? "—" : duration(ms)}</span>;
            },
          },
        ]
      : []),
    ...(statuses.some(isKnown)
      ? [
          {
            id: "days",
            header: t.days,
            cell: ({ id }: PanelModel) => {
              const status = statusOf(id);
              return status === undefined ? null : (
                <DayStrip days={status.days} label={answeredWords(status, t, formats)} />
              );
            },
          },
        ]
      : []),
  ];
  return [
    nameColumn(t, t.modelPerMillion),
    {
      id: "context",
      header: t.context,
      align: "end",
      sortBy: ({ contextTokens }) => contextTokens ?? 0,
      cell: ({ contextTokens }) => (
        <span className="figure">{contextTokens === null ? "—" : countBrief(contextTokens)}</span>
      ),
    },
    priceColumn("input"),
    priceColumn("cachedInput"),
    priceColumn("output"),
    ...fares,
    {
      id: "compare",
      header: t.compare,
      cell: ({ id, displayName }) => (
        <label className="checkbox">
          <input
            type="checkbox"
            checked={comparing.ids.includes(id)}
            disabled={comparing.isFull && !comparing.ids.includes(id)}
            onChange={() => comparing.toggle(id)}
          />
          <span className="unseen">{t.compareOne(displayName)}</span>
        </label>
      ),
    },
  ];
}

type PriceKind = "input" | "cachedInput" | "output";

export function taskColumns(
  t: ModelsTexts,
  formats: Formats,
  language: Language,
): readonly Column<PanelModel>[] {
  return [
    nameColumn(t),
    { id: "does", header: t.does, cell: ({ form }) => form?.title[language] },
    {
      id: "price",
      header: t.price,
      align: "end",
      sortBy: ({ price }) => (price.kind === "task" ? toUnits(cheapest(price.amounts)) : 0n),
      cell: ({ price }) =>
        price.kind === "task" ? (
          <span className="figure">{taskPriceLine(price, t, formats)}</span>
        ) : null,
    },
  ];
}

export function callColumns(t: ModelsTexts, formats: Formats): readonly Column<PanelModel>[] {
  return [
    nameColumn(t),
    { id: "does", header: t.does, cell: ({ type }) => t.doesOf[type] },
    {
      id: "price",
      header: t.price,
      align: "end",
      cell: ({ price }) =>
        price.kind === "call" ? (
          <span className="figure">{callPriceLine(price, t, formats)}</span>
        ) : null,
    },
    { id: "endpoints", header: t.endpoints, cell: ({ endpoints }) => <Endpoints of={endpoints} /> },
  ];
}

function Endpoints({ of }: { readonly of: readonly string[] }) {
  return (
    <span className="models-endpoints">
      {of.map((endpoint) => (
        <code key={endpoint}>{endpoint}</code>
      ))}
    </span>
  );
}
