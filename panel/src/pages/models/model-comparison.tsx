/** Two or three chat models beside each other: what they cost, hold and how they fare. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelModel, PanelModelStatus } from "../../../../src/contract/panel/panel-model.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { compareDecimals } from "../../ui/decimal.ts";
import { Price } from "../../ui/money.tsx";
import { answeredShare } from "./answered-words.ts";
import { chatCost } from "./chat-cost.ts";
import { MOST_COMPARED, type Comparing } from "./comparing.ts";
import { useModelsTexts } from "./use-models-texts.ts";

const UNKNOWN = "—";
/** As much as a question with some context to it. */
const REQUEST = { input: 10_000, output: 1_000 };

interface Line {
  readonly id: string;
  readonly name: string;
  /** By the id of the model. */
  readonly cells: ReadonlyMap<string, ReactNode>;
}

interface ModelComparisonProps {
  /** Those that are compared. */
  readonly models: readonly PanelModel[];
  readonly comparing: Comparing;
  statusOf(id: string): PanelModelStatus | undefined;
}

export function ModelComparison({ models, comparing, statusOf }: ModelComparisonProps): ReactNode {
  const t = useModelsTexts();
  const formats = useFormats();
  const columns = useMemo(
    (): readonly Column<Line>[] => [
      { id: "what", header: t.what, leads: true, cell: ({ name }) => name },
      ...models.map(({ id, displayName }): Column<Line> => ({
        id,
        header: displayName,
        align: "end",
        cell: ({ cells }) => <span className="figure">{cells.get(id)}</span>,
      })),
    ],
    [t, models],
  );
  const [first, second] = models;
  if (first === undefined) return null;
  return (
    <section className="models-comparison">
      <header className="row">
        <h2>{t.comparison}</h2>
        <span className="quiet">
          {second === undefined ? t.compareMore : t.compared(models.length, MOST_COMPARED)}
        </span>
        <span className="models-comparison-ways row">
          <Button look="ghost" small onClick={() => comparing.reset()}>
            {t.compareNone}
          </Button>
          {second === undefined ? null : (
            <ButtonLink
              small
              icon="play"
              to="/playground"
              search={{ model: first.id, with: second.id }}
            >
              {t.compareTalk}
            </ButtonLink>
          )}
        </span>
      </header>
      {second === undefined ? null : (
        <DataTable
          caption={t.comparison}
          columns={columns}
          rows={linesOf(models, statusOf, t, formats)}
          rowKey={({ id }) => id}
        />
      )}
    </section>
  );
}

function linesOf(
  models: readonly PanelModel[],
  statusOf: ModelComparisonProps["statusOf"],
  t: ModelsTexts,
  { count, duration, share, decimal }: Formats,
): readonly Line[] {
  const line = (id: string, name: string, cell: (model: PanelModel) => ReactNode): Line => ({
    id,
    name,
    cells: new Map(models.map((model) => [model.id, cell(model) ?? UNKNOWN])),
  });
  /** The least of them in bold. */
  const sums = (id: string, name: string, of: (model: PanelModel) => string | null): Line => {
    const amounts = models.flatMap((model) => of(model) ?? []);
    const least = amounts.toSorted(compareDecimals)[0];
    return line(id, name, (model) => {
      const amount = of(model);
      if (amount === null) return null;
      // Read along the row: there is no other comma below it.
      const price = <Price amount={amount} places={0} />;
      return compareDecimals(amount, least ?? amount) === 0 ? <b>{price}</b> : price;
    });
  };
  const known = <Value,>(
    of: (status: PanelModelStatus) => Value | null,
    write: (value: Value) => string,
  ): ((model: PanelModel) => ReactNode) => {
    return ({ id }) => {
      const status = statusOf(id);
      const value = status === undefined ? null : of(status);
      return value === null ? null : write(value);
    };
  };
  const kind =
    (name: "input" | "cachedInput" | "output") =>
    ({ price }: PanelModel): string | null =>
      price.kind === "chat" ? price[name] : null;
  const tokens = {
    input: BigInt(REQUEST.input),
    cachedInput: 0n,
    output: BigInt(REQUEST.output),
    requests: 1n,
  };
  const all = [
    sums("request", t.compareRequest(count(REQUEST.input), count(REQUEST.output)), ({ price }) =>
      price.kind === "chat" ? chatCost(price, tokens).amount : null,
    ),
    sums("input", t.listPrices.input, kind("input")),
    sums("cachedInput", t.listPrices.cachedInput, kind("cachedInput")),
    sums("output", t.listPrices.output, kind("output")),
    line("context", t.context, ({ contextTokens }) =>
      contextTokens === null ? null : count(contextTokens),
    ),
    line("most", t.maxOutput, ({ maxOutputTokens }) =>
      maxOutputTokens === null ? null : count(maxOutputTokens),
    ),
    line(
      "first",
      t.firstToken,
      known(({ firstTokenMs }) => firstTokenMs, duration),
    ),
    line(
      "speed",
      t.speed,
      known(
        ({ tokensPerSecond }) => tokensPerSecond,
        (value) => t.tokensPerSecond(decimal(String(value))),
      ),
    ),
    line(
      "answered",
      t.answered,
      known(
        (status) => status.share,
        (value) => share(answeredShare(value)),
      ),
    ),
  ];
  // What is known of none is left out.
  return all.filter(({ cells }) => [...cells.values()].some((cell) => cell !== UNKNOWN));
}
