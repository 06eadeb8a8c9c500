/** The top-ups of all accounts through payment providers, by state, with the provider's number. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { TOP_UP_STATES } from "../../../../src/contract/enums/top-up-state.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { FilterText } from "../../ui/filter-text.tsx";
import { AccountFilter } from "../../ui/operator/account-filter.tsx";
import "../../ui/operator/operator.css";
import { PageHead } from "../../ui/page-head.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { paymentColumns } from "./payment-columns.tsx";
import { PaymentTotals } from "./payment-totals.tsx";
import { usePaymentTexts } from "./use-payment-texts.ts";

export function Component(): ReactNode {
  const t = usePaymentTexts();
  const formats = useFormats();
  const filters = useFilters({ account: "", state: "", number: "" });
  const pages = usePages("/operator/payments", { query: filters.values });
  const { number, ...summed } = filters.values;
  const columns = useMemo(() => paymentColumns(t, formats), [t, formats]);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <AccountFilter {...filters.of("account")} />
            <FilterSelect
              label={t.state}
              options={TOP_UP_STATES.map((value) => ({ value, label: t.states[value] }))}
              {...filters.of("state")}
            />
            <FilterText label={t.number} placeholder={t.numberHint} {...filters.of("number")} />
          </>
        }
        caption={t.caption}
        columns={columns}
        rowKey={({ paymentId }) => paymentId}
        nothingFound={<EmptyState title={t.notFoundTitle} text={t.notFoundText} />}
        empty={<EmptyState title={t.emptyTitle} text={t.emptyText} />}
      >
        {/* Of one that is looked for by its number there is nothing to add up. */}
        {number === "" ? <PaymentTotals asked={summed} /> : null}
      </CursorList>
    </>
  );
}
