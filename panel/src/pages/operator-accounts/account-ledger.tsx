/**
 * An account's money as its owner sees it, movement by movement; top-ups first, which is what is
 * asked about.
 */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { MONEY_ENTRY_KINDS } from "../../../../src/contract/enums/entry-kind.ts";
import type { LedgerEntry } from "../../../../src/contract/panel/ledger-entry.ts";
import { movementOf } from "../../../../src/contract/enums/movement.ts";
import { usePages } from "../../api/use-pages.ts";
import { mostPlaces } from "../../i18n/format-money.ts";
import type { OperatorAccountsTexts } from "../../i18n/texts/operator-accounts.ru.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { Select } from "../../ui/select.tsx";
import type { Option } from "../../ui/select.tsx";
import { RowTime } from "../../ui/time.tsx";
import { useAccountTexts } from "./use-account-texts.ts";

/** Empty: all of them. */
type Shown = "" | (typeof MONEY_ENTRY_KINDS)[number];

export function AccountLedger({ accountId }: { readonly accountId: string }): ReactNode {
  const t = useAccountTexts();
  const [kind, setKind] = useState<Shown>("topup");
  const pages = usePages("/operator/accounts/{id}/ledger", {
    params: { id: accountId },
    query: { kind },
  });
  const places = mostPlaces(
    (pages.rows ?? []).flatMap(({ change, balanceAfter }) => [change, balanceAfter]),
  );
  const formats = useFormats();
  const columns = useMemo(() => ledgerColumns(t, formats, places), [t, formats, places]);
  const options: readonly Option<Shown>[] = [
    ...MONEY_ENTRY_KINDS.map((one) => ({ value: one, label: t.ledgerKinds[one] })),
    { value: "", label: t.ledgerAll },
  ];
  return (
    <Card
      title={t.ledger}
      actions={
        <Select<Shown>
          quietLabel
          label={t.ledgerShow}
          value={kind}
          onChange={setKind}
          options={options}
        />
      }
    >
      <CursorList
        pages={pages}
        caption={t.ledger}
        columns={columns}
        rowKey={({ entryId }) => entryId}
        empty={<p className="quiet">{t.ledgerEmpty}</p>}
      />
    </Card>
  );
}

function ledgerColumns(
  t: OperatorAccountsTexts,
  { inZone }: Formats,
  places: number,
): readonly Column<LedgerEntry>[] {
  return [
    { id: "at", header: inZone(t.ledgerAt), cell: ({ at }) => <RowTime iso={at} /> },
    { id: "what", header: t.ledgerWhat, leads: true, cell: (entry) => whatOf(entry, t) },
    {
      id: "note",
      header: t.ledgerNote,
      cell: ({ note, reference }) => <span className="breaks">{note ?? reference}</span>,
    },
    {
      id: "change",
      header: t.ledgerChange,
      comesTo: true,
      align: "end",
      cell: ({ change }) => <Money amount={change} places={places} />,
    },
    {
      id: "after",
      header: t.ledgerAfter,
      align: "end",
      cell: ({ balanceAfter }) => <Money amount={balanceAfter} places={places} />,
    },
  ];
}

/** What was given is told from what was paid. */
function whatOf(entry: LedgerEntry, { ledgerMoves, classes }: OperatorAccountsTexts): string {
  const { class: creditClass } = entry;
  const moved = ledgerMoves[movementOf(entry)];
  return creditClass === null || creditClass === "paid"
    ? moved
    : `${moved}: ${classes[creditClass]}`;
}
