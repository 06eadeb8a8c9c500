/** By what requests are found and in which order: the row above their list. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CHAT_STATES } from "../../../../src/contract/enums/chat-state.ts";
import { REQUEST_KINDS } from "../../../../src/contract/enums/request-kind.ts";
import { REQUEST_ORDERS } from "../../../../src/contract/enums/request-order.ts";
import { TASK_STATES } from "../../../../src/contract/enums/task-state.ts";
import { allKeysQuery } from "../../api/account-keys.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { PERIODS } from "../../i18n/period-of-days.ts";
import type { Period } from "../../i18n/period-of-days.ts";
import { DateField } from "../../ui/date-field.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { FilterSheet } from "../../ui/filter-sheet.tsx";
import { RequestNumber } from "../../ui/request-number.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { Segments } from "../../ui/segments.tsx";
import { Select } from "../../ui/select.tsx";
import type { Filters } from "../../ui/use-filters.ts";
import { useMedia } from "../../ui/use-media.ts";
import { WEIGHT_FILTERS, WeightFilters } from "./weight-filters.tsx";

/** Where a row of filters would be a screen of them. */
const NARROW = "(width < 860px)";

/** Of chats and tasks: two are of both. */
const STATES = [...new Set([...CHAT_STATES, ...TASK_STATES])];

/** What each is without a word about it in the address. */
export const NO_REQUEST_FILTERS = {
  period: "",
  from: "",
  to: "",
  keyHash: "",
  model: "",
  state: "",
  kind: "",
  chargedFrom: "",
  chargedTo: "",
  durationFrom: "",
  durationTo: "",
  order: "time",
};
export type RequestFilters = Filters<keyof typeof NO_REQUEST_FILTERS>;

interface RequestsFiltersProps {
  readonly filters: RequestFilters;
  readonly period: Period;
  /** Only within one day there is another order than that of time. */
  readonly oneDay: boolean;
  /** A receipt stands beside the list: there is as little room as on a phone. */
  readonly narrow: boolean;
  onRequest(id: string): void;
}

export function RequestsFilters({
  filters,
  period,
  oneDay,
  narrow,
  onRequest,
}: RequestsFiltersProps): ReactNode {
  const t = useReceiptTexts();
  const keys = useQuery(allKeysQuery);
  const models = useQuery(modelsQuery);
  const keyOptions = (keys.data?.data ?? []).map(({ hash, name, mask }) => ({
    value: hash,
    label: `${name} · ${mask}`,
  }));
  const modelOptions = (models.data?.data ?? []).map(({ id, displayName }) => ({
    value: id,
    label: displayName,
  }));
  const asked = REQUEST_ORDERS.find((order) => order === filters.values.order) ?? "time";
  const shownOrder = oneDay ? asked : "time";
  const selects = [
    ["keyHash", t.key, keyOptions],
    ["model", t.model, modelOptions],
    ["state", t.state, STATES.map((state) => ({ value: state, label: t.states[state] }))],
    ["kind", t.kind, REQUEST_KINDS.map((kind) => ({ value: kind, label: t.kinds[kind] }))],
  ] as const;
  const isSmall = useMedia(NARROW);
  const inSheet = isSmall || narrow;
  const set = [
    ...selects.map(([name]) => filters.values[name] !== ""),
    ...WEIGHT_FILTERS.map((name) => filters.values[name] !== ""),
    shownOrder !== "time",
  ].filter(Boolean).length;
  const fields = (
    <>
      {selects.map(([name, label, options]) => (
        <FilterSelect
          key={name}
          label={label}
          options={options}
          goneLabel={(value) => value}
          {...filters.of(name)}
        />
      ))}
      <Select
        label={t.order}
        value={shownOrder}
        onChange={(order) => filters.set({ order })}
        options={REQUEST_ORDERS.map((order) => ({
          value: order,
          label: order === "time" || oneDay ? t.orders[order] : t.orderOfOneDay(t.orders[order]),
          disabled: order !== "time" && !oneDay,
        }))}
      />
      <WeightFilters filters={filters} />
    </>
  );
  return (
    <>
      <div className="requests-periods">
        <Segments
          label={t.period}
          value={period}
          onChange={(next) => filters.set({ period: next, from: "", to: "" })}
          options={PERIODS.map((one) => ({ value: one, label: t.periods[one] }))}
        />
        <RequestNumber labelInside onRequest={onRequest} onTask={onRequest} />
      </div>
      {period === "own" ? (
        <>
          <DateField label={t.from} {...filters.of("from")} />
          <DateField label={t.to} {...filters.of("to")} />
        </>
      ) : null}
      {inSheet ? <FilterSheet set={set}>{fields}</FilterSheet> : fields}
    </>
  );
}
