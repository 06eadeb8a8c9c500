/** What the keys of each member spent in the last thirty days. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { SpendRow } from "../../../../src/contract/panel/spend.ts";
import { readApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function MemberSpend(): ReactNode {
  const t = useSettingsTexts();
  const { count } = useFormats();
  const spend = useQuery({
    queryKey: ["spend", "members"],
    queryFn: ({ signal }) => readApi("/spend", { query: { by: "member" }, signal }),
  });
  const columns = useMemo<readonly Column<SpendRow>[]>(
    () => [
      {
        id: "member",
        header: t.member,
        cell: ({ member }) => <span className="breaks">{member?.name ?? t.keysOfAccount}</span>,
      },
      {
        id: "requests",
        header: t.requestsAndTasks,
        align: "end",
        cell: ({ requests, tasks }) => count(requests + tasks),
      },
      {
        id: "spent",
        header: t.spent,
        align: "end",
        cell: ({ charged }) => <Money amount={charged} brief="up" />,
      },
    ],
    [t, count],
  );
  return (
    <Card title={t.memberSpend}>
      <Loaded query={spend}>
        {({ rows }) => (
          <DataTable
            caption={t.memberSpendCaption}
            columns={columns}
            rows={rows}
            rowKey={({ member }) => member?.memberId ?? ""}
          />
        )}
      </Loaded>
      <p className="quiet small">{t.memberSpendNote}</p>
    </Card>
  );
}
