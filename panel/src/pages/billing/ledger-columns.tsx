/** What the ledger tells of each movement. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LedgerEntry } from "../../../../src/contract/panel/ledger-entry.ts";
import { movementOf } from "../../../../src/contract/enums/movement.ts";
import type { BillingTexts } from "../../i18n/texts/billing.ru.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { RowTime } from "../../ui/time.tsx";

/** Of what was paid by members themselves; behind it stands the top-up's own id. */
const PAYMENT = "payment:";

/**
 * @param places as many digits as the longest of the sums has behind its comma.
 * @param noted whether any entry has a note: a column of dashes is none.
 */
export function ledgerColumns(
  t: BillingTexts,
  { inZone }: Formats,
  { places, noted }: { readonly places: number; readonly noted: boolean },
): readonly Column<LedgerEntry>[] {
  const columns: readonly Column<LedgerEntry>[] = [
    { id: "at", header: inZone(t.at), cell: ({ at }) => <RowTime iso={at} /> },
    { id: "what", header: t.what, leads: true, cell: (entry) => <What entry={entry} t={t} /> },
    {
      id: "key",
      header: t.key,
      cell: ({ key }) =>
        key === null ? (
          <span className="quiet">—</span>
        ) : (
          <Link to="/keys/$hash" params={{ hash: key.hash }}>
            {key.name}
          </Link>
        ),
    },
    {
      id: "note",
      header: t.note,
      cell: (entry) =>
        isNoted(entry) ? (
          (entry.note ?? <code className="quiet billing-reference">{entry.reference}</code>)
        ) : (
          <span className="quiet">—</span>
        ),
    },
    {
      id: "change",
      header: t.change,
      comesTo: true,
      align: "end",
      cell: ({ change }) => <Change change={change} places={places} />,
    },
    {
      id: "after",
      header: t.after,
      align: "end",
      cell: ({ balanceAfter }) => <Money amount={balanceAfter} places={places} />,
    },
  ];
  return columns.filter(({ id }) => noted || id !== "note");
}

/** What was moved by hand has a note of its own, or a reference. */
export function isNoted({ note, request, reference }: LedgerEntry): boolean {
  return note !== null || (request === null && !reference.startsWith(PAYMENT));
}

function What({ entry, t }: { readonly entry: LedgerEntry; readonly t: BillingTexts }): ReactNode {
  const { kind, request, reference, class: creditClass } = entry;
  if (kind === "topup" && reference.startsWith(PAYMENT)) {
    return (
      <Link to="/billing/top-ups/$id" params={{ id: reference.slice(PAYMENT.length) }}>
        {t.kinds[kind]}
      </Link>
    );
  }
  if (creditClass === "trial" || creditClass === "bonus")
    return `${t.kinds[kind]}: ${t.gifts[creditClass]}`;
  if (request === null) return t.kinds[movementOf(entry)];
  return (
    <span className="billing-what">
      {t.kinds[kind]}{" "}
      {request.kind === "task" ? (
        <Link to="/tasks/$id" params={{ id: request.id }}>
          {t.forTask}
        </Link>
      ) : (
        <Link to="/requests/$id" params={{ id: request.id }}>
          {t.forRequest}
        </Link>
      )}
    </span>
  );
}

function Change({
  change,
  places,
}: {
  readonly change: string;
  readonly places: number;
}): ReactNode {
  const gained = !change.startsWith("-") && /[1-9]/.test(change);
  return (
    <span className={gained ? "figure billing-gained" : "figure"}>
      {gained ? "+" : null}
      <Money amount={change} places={places} />
    </span>
  );
}
