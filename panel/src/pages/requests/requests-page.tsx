/**
 * Every request and task of the account, by filters that live in the address: what they add up to,
 * the list, which may be live, and the receipt of one of them beside it; also as a file.
 */
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { usePages } from "../../api/use-pages.ts";
import { useSeeing } from "../../app/session.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { daysOfPeriod, periodOfDays, readPeriod } from "../../i18n/period-of-days.ts";
import type { Days, Period } from "../../i18n/period-of-days.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CsvLink } from "../../ui/csv-link.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { useFilters } from "../../ui/use-filters.ts";
import { useMedia } from "../../ui/use-media.ts";
import { BESIDE, ReceiptBeside } from "./receipt-beside.tsx";
import { askedWeights } from "./asked-weights.ts";
import { requestColumns } from "./request-columns.tsx";
import { NO_REQUEST_FILTERS, RequestsFilters } from "./requests-filters.tsx";
import "./requests.css";
import { TotalsLine } from "./totals-line.tsx";
import { useFreshRows } from "./use-fresh-rows.ts";
import { neighboursOf } from "./receipt-walk.ts";
import { useReceiptWalk } from "./use-receipt-walk.ts";

/** From here on there is room for more columns. */
const LARGE = "(width >= 1680px)";
const LIVE_EVERY_MS = 2_000;
/** Who looks on longer presses again: a tab that was left open asks for nothing. */
const LIVE_FOR_MS = 15 * 60_000;

export function Component(): ReactNode {
  const t = useReceiptTexts();
  const formats = useFormats();
  const { timeZone } = useLocale();
  const seeing = useSeeing();
  const navigate = useNavigate();
  const filters = useFilters(NO_REQUEST_FILTERS);
  const shown = useFilters<"receipt">({ receipt: "" });
  const [live, setLive] = useState(false);
  const { period: wanted, from: ownFrom, to: ownTo, order, ...others } = filters.values;
  const { keyHash, model, state, kind } = others;
  const own = { from: ownFrom, to: ownTo };
  const period = readPeriod(wanted, own);
  const { from, to } = daysNow(period, own, timeZone);
  const oneDay = from !== "" && from === to;
  const found = {
    keyHash,
    model,
    state,
    kind,
    ...askedWeights(others),
    ...periodOfDays(from, to, timeZone),
  };
  const sorted = oneDay && order !== "time";
  const pages = usePages("/requests", { query: sorted ? { ...found, order } : found });
  // What is over gets no more.
  const canLive = !sorted && period !== "yesterday" && period !== "own";
  const everyMs = live && canLive ? LIVE_EVERY_MS : undefined;
  useEffect(() => {
    if (!live) return undefined;
    const timer = setTimeout(() => setLive(false), LIVE_FOR_MS);
    return () => clearTimeout(timer);
  }, [live]);

  const open = shown.values.receipt === "" ? null : shown.values.receipt;
  const isOpen = open !== null;
  // The first receipt is a step of its own, so that the way back closes it; the others take its
  // place.
  const [stepped, setStepped] = useState(false);
  const show = useCallback(
    (receipt: string | undefined) => {
      if (!isOpen) setStepped(true);
      void navigate({
        to: ".",
        search: (before) => ({ ...before, receipt }),
        replace: isOpen,
        resetScroll: false,
      });
    },
    [navigate, isOpen],
  );
  const close = useCallback(() => {
    if (stepped) globalThis.history.back();
    else show(undefined);
    setStepped(false);
  }, [show, stepped]);
  const ids = (pages.rows ?? []).map(({ id }) => id);
  const walk = open === null ? { newer: null, older: null } : neighboursOf(ids, open);
  useReceiptWalk({ open, ...walk, onOpen: show, onClose: close });
  // Where arrow keys lead is in sight.
  useEffect(() => {
    if (open === null) return;
    const row = document.querySelector(".requests-list tr[aria-current]");
    row?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const fresh = useFreshRows(everyMs !== undefined, ids);
  const narrow = useMedia(BESIDE) && open !== null;
  const large = useMedia(LARGE);
  const room = narrow ? "narrow" : large ? "wide" : "usual";
  const columns = useMemo(
    () => requestColumns(t, formats, { onOpen: show, room }),
    [t, formats, show, room],
  );
  return (
    <>
      <PageHead
        wide
        title={t.title}
        lead={t.lead}
        actions={
          <>
            {canLive ? (
              <Button look="ghost" icon="pulse" aria-pressed={live} onClick={() => setLive(!live)}>
                {live ? t.liveOn : t.live}
              </Button>
            ) : null}
            {seeing === null ? (
              <CsvLink path="/requests.csv" query={found} name={["requests", from, to]}>
                {t.csv}
              </CsvLink>
            ) : null}
          </>
        }
      />
      <div className={narrow ? "requests-split" : "requests-whole"}>
        <div className="requests-list">
          <CursorList
            pages={pages}
            everyMs={everyMs}
            filters={filters}
            fields={
              <RequestsFilters
                filters={filters}
                period={period}
                oneDay={oneDay}
                narrow={narrow}
                onRequest={(id) => void navigate({ to: "/requests/$id", params: { id } })}
              />
            }
            caption={t.caption}
            columns={columns}
            rowKey={({ id }) => id}
            current={open ?? undefined}
            fresh={fresh}
            nothingFound={<EmptyState title={t.emptyFilteredTitle} text={t.emptyFilteredText} />}
            empty={
              <EmptyState
                title={t.emptyTitle}
                text={t.emptyText}
                action={<ButtonLink to="/playground">{t.openPlayground}</ButtonLink>}
              />
            }
          >
            <TotalsLine asked={found} everyMs={everyMs} />
          </CursorList>
        </div>
        {open === null ? null : (
          <ReceiptBeside id={open} walk={walk} onOpen={show} onClose={close} />
        )}
      </div>
    </>
  );
}

/** Asked anew at each look: a tab may stay open over midnight. */
function daysNow(period: Period, own: Days, timeZone: string): Days {
  return daysOfPeriod(period, own, Date.now(), timeZone);
}
