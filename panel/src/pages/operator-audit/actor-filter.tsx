/**
 * Filters the log by the operator who acted: those whose entries are in sight are offered by their
 * e-mail.
 */
import type { ReactNode } from "react";
import type { AuditList } from "../../../../src/contract/panel/operator-audit.ts";
import { Combobox } from "../../ui/combobox.tsx";
import { ACCOUNT_ID } from "../../ui/operator/filter-shapes.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import type { FilterField } from "../../ui/use-filters.ts";

interface ActorFilterProps extends FilterField {
  readonly entries: readonly AuditList["data"][number][];
}

export function ActorFilter({ entries, value, onChange }: ActorFilterProps): ReactNode {
  const t = useBusinessTexts();
  const emails = new Map(
    entries.flatMap(({ memberId, actor }) =>
      memberId === null ? [] : [[memberId, actor] as const],
    ),
  );
  return (
    <Combobox
      label={t.actor}
      value={value}
      onChange={onChange}
      choices={[...emails].map(([id, email]) => ({ value: id, label: email }))}
      onSearch={() => undefined}
      busy={false}
      takesTyped={(typed) => ACCOUNT_ID.test(typed)}
    />
  );
}
