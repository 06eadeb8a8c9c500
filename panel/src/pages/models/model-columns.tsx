/** What the list of models tells of each. */
import { Link } from "@tanstack/react-router";
import type { Language } from "../../../../src/contract/enums/language.ts";
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import type { Column } from "../../ui/data-table.tsx";
import { toUnits } from "../../ui/decimal.ts";
import { Money } from "../../ui/money.tsx";
import { callPriceLine, cheapest, taskPriceLine } from "./model-price.ts";

function nameColumn(t: ModelsTexts): Column<PanelModel> {
  return {
    id: "model",
    header: t.model,
    leads: true,
    sortBy: ({ displayName }) => displayName,
    cell: ({ id, displayName }) => (
      <span className="models-name">
        <Link to="/models/$" params={{ _splat: id }}>
          {displayName}
        </Link>
        <code className="quiet">{id}</code>
      </span>
    ),
  };
}

export function chatColumns(t: ModelsTexts, { count }: Formats): readonly Column<PanelModel>[] {
  const priceColumn = (id: "input" | "output"): Column<PanelModel> => ({
    id,
    header: t[id],
    align: "end",
    sortBy: ({ price }) => (price.kind === "chat" ? toUnits(price[id]) : 0n),
    cell: ({ price }) => (price.kind === "chat" ? <Money amount={price[id]} /> : null),
  });
  return [
    nameColumn(t),
    priceColumn("input"),
    priceColumn("output"),
    {
      id: "context",
      header: t.context,
      align: "end",
      sortBy: ({ contextTokens }) => contextTokens ?? 0,
      cell: ({ contextTokens }) => (
        <span className="figure">{contextTokens === null ? "—" : count(contextTokens)}</span>
      ),
    },
    { id: "endpoints", header: t.endpoints, cell: ({ endpoints }) => <Endpoints of={endpoints} /> },
  ];
}

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
