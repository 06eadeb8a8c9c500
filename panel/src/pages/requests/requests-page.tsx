/**
 * Every request and task of the account, newest first, by filters that live in the address; also as
 * a file.
 */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { CHAT_STATES } from "../../../../src/contract/enums/chat-state.ts";
import { REQUEST_KINDS } from "../../../../src/contract/enums/request-kind.ts";
import { TASK_STATES } from "../../../../src/contract/enums/task-state.ts";
import { allKeysQuery } from "../../api/account-keys.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { periodOfDays } from "../../i18n/period-of-days.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CsvLink } from "../../ui/csv-link.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RequestNumber } from "../../ui/request-number.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { useFilters } from "../../ui/use-filters.ts";
import { requestColumns } from "./request-columns.tsx";
import "./requests.css";

/** Of chats and tasks: two are of both. */
const STATES = [...new Set([...CHAT_STATES, ...TASK_STATES])];

export function Component(): ReactNode {
  const t = useReceiptTexts();
  const formats = useFormats();
  const { timeZone } = useLocale();
  const navigate = useNavigate();
  const open = (id: string): void => void navigate({ to: "/requests/$id", params: { id } });
  const keys = useQuery(allKeysQuery);
  const models = useQuery(modelsQuery);
  const filters = useFilters({ from: "", to: "", keyHash: "", model: "", state: "", kind: "" });
  const { from, to, ...others } = filters.values;
  const asked = { ...others, ...periodOfDays(from, to, timeZone) };
  const pages = usePages("/requests", { query: asked });
  const columns = useMemo(() => requestColumns(t, formats), [t, formats]);
  const keyOptions = (keys.data?.data ?? []).map(({ hash, name, mask }) => ({
    value: hash,
    label: `${name} · ${mask}`,
  }));
  const modelOptions = (models.data?.data ?? []).map(({ id, displayName }) => ({
    value: id,
    label: displayName,
  }));
  const selects = [
    ["keyHash", t.key, keyOptions],
    ["model", t.model, modelOptions],
    ["state", t.state, STATES.map((state) => ({ value: state, label: t.states[state] }))],
    ["kind", t.kind, REQUEST_KINDS.map((kind) => ({ value: kind, label: t.kinds[kind] }))],
  ] as const;
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <CsvLink path="/requests.csv" query={asked} name={["requests", from, to]}>
            {t.csv}
          </CsvLink>
        }
      />
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <RequestNumber onRequest={open} onTask={open} />
            <DateField label={t.from} {...filters.of("from")} />
            <DateField label={t.to} {...filters.of("to")} />
            {selects.map(([name, label, options]) => (
              <FilterSelect
                key={name}
                label={label}
                options={options}
                goneLabel={(value) => value}
                {...filters.of(name)}
              />
            ))}
          </>
        }
        caption={t.caption}
        columns={columns}
        rowKey={({ id }) => id}
        nothingFound={<EmptyState title={t.emptyFilteredTitle} text={t.emptyFilteredText} />}
        empty={
          <EmptyState
            title={t.emptyTitle}
            text={t.emptyText}
            action={<ButtonLink to="/playground">{t.openPlayground}</ButtonLink>}
          />
        }
      />
    </>
  );
}
